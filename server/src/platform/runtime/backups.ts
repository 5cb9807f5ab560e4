import { sql } from 'kysely'
import type { Moment } from '../base/moment.ts'
import { firstMigrationAt, inTransaction, type Db, type Tx } from '../db/index.ts'
import type { Job } from '../jobs/index.ts'
import { raiseOrRenewAlert, resolveAlert } from './alerts.ts'
import { momentOf, type Runtime } from './runtime.ts'

type Kind = 'backup' | 'drill'

/** A backup that ended well, or a drill that restored one. */
export interface RecordedBackup {
  kind: Kind
  /** the backup's folder */
  name: string
  walPosition: string
  signerLogLength: number | null
}

const ALERT = 'backup-old'
/** A backup a day, and two hours for its duration. */
const BACKUP_HOURS = 26
/** A drill a month, and four days. */
const DRILL_HOURS = 35 * 24
const HOUR_MS = 3_600_000
const MOST_HOURS: Readonly<Record<Kind, number>> = { backup: BACKUP_HOURS, drill: DRILL_HOURS }

/**
 * Records a backup or a drill that ended well.
 * @param finishedAt real time
 */
export const recordBackup = async (
  tx: Db | Tx,
  { kind, name, walPosition, signerLogLength }: RecordedBackup,
  { newId }: Pick<Moment, 'newId'>,
  finishedAt: Date,
): Promise<void> => {
  await sql`insert into backups (id, kind, name, wal_position, signer_log_length, finished_at)
    values (${newId()}, ${kind}, ${name}, ${walPosition}, ${signerLogLength}, ${finishedAt})`.execute(tx)
}

/** The time of the newest backup or drill; undefined when there was none. */
export const newestBackup = async (db: Db | Tx, kind: Kind): Promise<Date | undefined> => {
  const { rows } = await sql<{
    at: Date
  }>`select finished_at as at from backups where kind = ${kind} order by finished_at desc limit 1`.execute(db)
  return rows[0]?.at
}

/**
 * Whether the newest backup or drill is recent enough, and a sentence about it. A new installation has as much time for
 * its first one as there may be between two.
 */
export const judgeBackup = async (db: Db | Tx, kind: Kind, now: number): Promise<{ good: boolean; text: string }> => {
  const at = await newestBackup(db, kind)
  if (!at) {
    const isNew = now - (await firstMigrationAt(db)).getTime() < MOST_HOURS[kind] * HOUR_MS
    return { good: isNew, text: `no ${kind} has ended well yet (docs/operating/backup.md)` }
  }
  const hours = Math.floor((now - at.getTime()) / HOUR_MS)
  const good = hours < MOST_HOURS[kind]
  const most = good ? '' : `, more than ${MOST_HOURS[kind]} hours ago (docs/operating/backup.md)`
  return { good, text: `the newest ${kind} ended ${at.toISOString()}${most}` }
}

/** Raises an alert while the newest backup or drill is too old, or the first one is overdue. */
export const createBackupWatchJob = (runtime: Runtime, everyMs: number): Job => ({
  name: 'watch the age of backups',
  everyMs,
  run: async () => {
    for (const kind of ['backup', 'drill'] as const) {
      const { good, text } = await judgeBackup(runtime.db, kind, runtime.clock.now())
      const moment = momentOf(runtime)
      await inTransaction(runtime.db, async (tx) => {
        if (good) await resolveAlert(tx, ALERT, kind, moment.at)
        else await raiseOrRenewAlert(tx, { kind: ALERT, subject: kind, text }, moment)
      })
    }
    return false
  },
})

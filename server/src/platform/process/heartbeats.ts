import { sql } from 'kysely'
import { inTransaction, type Db } from '../db/index.ts'
import { raiseAlert, resolveAlert } from '../runtime/alerts.ts'
import { momentOf, type Runtime } from '../runtime/runtime.ts'

const LIVING_ROLES = ['api', 'worker', 'watcher', 'signer'] as const
export type LivingRole = (typeof LIVING_ROLES)[number]

export interface Process {
  id: string
  host: string
  startedAt: Date
}

/** A role without a heartbeat for this long counts as gone. */
const GONE_AFTER_MS = 60_000
const FORGOTTEN_AFTER_MS = 24 * 3_600_000

const WHAT_WAITS: Record<LivingRole, string> = {
  api: 'merchants and payers get no answer',
  worker: 'nothing is paid out, swept, notified or reconciled',
  watcher: 'no deposit is seen, and nothing that is sent is confirmed',
  signer: 'nothing is signed, so nothing is paid out or swept',
}

/** Records that this process is alive in these roles. */
export const beat = async (
  db: Db,
  { id, host, startedAt }: Process,
  roles: readonly LivingRole[],
  now: Date,
): Promise<void> => {
  await sql`insert into heartbeats(process, role, host, started_at, seen_at)
    select ${id}, u.role, ${host}, ${startedAt}, ${now} from unnest(${[...roles]}::text[]) u(role)
    on conflict (process, role) do update set seen_at = excluded.seen_at`.execute(db)
  await sql`delete from heartbeats where seen_at < ${new Date(now.getTime() - FORGOTTEN_AFTER_MS)}`.execute(db)
}

/**
 * For each role the age of its last heartbeat, ms, and its number of live processes. A role that never had a heartbeat
 * is absent.
 */
export const signsOfLife = async (db: Db, now: number): Promise<Map<LivingRole, { ageMs: number; living: number }>> => {
  const { rows } = await sql<{ role: LivingRole; seenAt: Date; living: number }>`select role, max(seen_at) as "seenAt",
      count(*) filter (where seen_at > ${new Date(now - GONE_AFTER_MS)}) as living from heartbeats group by role`.execute(
    db,
  )
  return new Map(rows.map(({ role, seenAt, living }) => [role, { ageMs: now - seenAt.getTime(), living }]))
}

/**
 * Raises an alert for each role without a live process, and resolves those of roles that are alive again. Every process
 * calls it, so that any remaining one raises the alert.
 * @param startedAt of the calling process: at first the others may still be starting
 */
export const lookForTheDead = async (
  runtime: Pick<Runtime, 'db' | 'clock' | 'newId'>,
  startedAt: Date,
): Promise<void> => {
  const now = runtime.clock.now()
  const signs = await signsOfLife(runtime.db, now)
  const moment = momentOf(runtime)
  for (const role of LIVING_ROLES) {
    const age = signs.get(role)?.ageMs
    if (age !== undefined && age <= GONE_AFTER_MS) {
      await resolveAlert(runtime.db, KIND, role, moment.at)
      continue
    }
    if (now - startedAt.getTime() <= GONE_AFTER_MS) continue
    const since = age === undefined ? '' : ` since ${new Date(now - age).toISOString()}`
    const text = `No ${role} has reported${since}: ${WHAT_WAITS[role]}. Start one; its log says why it ended`
    await inTransaction(runtime.db, (tx) => raiseAlert(tx, { kind: KIND, subject: role, text }, moment))
  }
}

const KIND = 'no-process'

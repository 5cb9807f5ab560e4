import { sql } from 'kysely'
import { readClockOffset } from '../../platform/runtime/business-clock.ts'
import { judgeBackup } from '../../platform/runtime/backups.ts'
import { readMonths } from '../../merchants/webhooks/index.ts'
import type { Report } from './doctor-acquirers.ts'
import type { Note } from './doctor-networks.ts'
import type { Opened } from '../installation/open.ts'
import { mayAcknowledge, readStandbyNames } from '../backup/standby-names.ts'
import { SLOT } from '../backup/wal.ts'

/** Reports the clock, and the login of the processes and how they authenticate. */
export const reportDatabase = async (
  { config, runtime }: Pick<Opened, 'config' | 'runtime'>,
  report: Report,
  note: Note,
): Promise<void> => {
  const offset = await readClockOffset(runtime.db)
  report(
    offset === 0 || config.sandbox,
    `database: schema of this build, business clock ${offset} ms ahead${offset === 0 || config.sandbox ? '' : " of the real one, which only a sandbox's may be"}`,
  )
  const { good, text } = await readMonths(runtime.db, new Date(Date.now() + offset))
  report(good, `database: ${text}`)
  for (const kind of ['backup', 'drill'] as const) {
    const judged = await judgeBackup(runtime.db, kind, runtime.clock.now())
    report(judged.good || config.sandbox, `database: ${judged.text}`)
  }
  if (!config.sandbox) await reportDurability(runtime.db, report, note)
  const { rows } = await sql<{
    application: string
    user: string
    owns: boolean
  }>`select distinct a.application_name as application, a.usename::text as user,
      r.rolsuper or pg_has_role(a.usename, c.relowner, 'member') as owns
    from pg_stat_activity a join pg_roles r on r.rolname = a.usename, pg_class c
    where c.oid = 'ledger_accounts'::regclass and a.datname = current_database() and a.application_name ~ '^bursar (api|worker|watcher|all|cli)' order by 1, 2`.execute(
    runtime.db,
  )
  for (const { application, user, owns } of rows) {
    if (owns)
      report(
        config.sandbox,
        `database: ${application} is logged in as ${user}, which owns the tables: give it a role of its own, docs/operating/production.md`,
      )
  }
  if (rows.every(({ owns }) => !owns))
    report(
      true,
      `database: logged in as ${[...new Set(rows.map(({ user }) => user))].join(', ')}, none of which owns the tables`,
    )
}

/**
 * Reports whether a commit that was acknowledged can be lost with this machine. An installation may choose to have one
 * machine; a setting that loses commits of a machine that survives, or of a standby that exists, is an error.
 */
const reportDurability = async (db: Opened['runtime']['db'], report: Report, note: Note): Promise<void> => {
  const { rows } = await sql<{
    commit: string
    standbys: string
  }>`select current_setting('synchronous_commit') as commit,
    current_setting('synchronous_standby_names') as standbys`.execute(db)
  const [judgement, text] = judgeDurability(rows[0]!.commit, rows[0]!.standbys)
  if (judgement === 'note') note(text)
  else report(judgement, text)
  const required = readStandbyNames(rows[0]!.standbys)?.count
  if (required === undefined) return
  const { rows: receivers } = await sql<{ name: string | null }>`select a.application_name as name
    from pg_replication_slots s left join pg_stat_activity a on a.pid = s.active_pid
    where s.slot_name = ${SLOT} and s.active`.execute(db)
  for (const { name } of receivers) {
    const fault = faultOfReceiver(rows[0]!.standbys, name ?? '')
    if (fault !== undefined) report(false, fault)
  }
  const { rows: connections } = await sql<Connected>`select count(*)::int as connected,
      (count(*) filter (where sync_state in ('sync', 'quorum')))::int as synchronous,
      (count(*) filter (where sync_state is null))::int as unseen
    from pg_stat_replication`.execute(db)
  const [state, about] = judgeStandbys(required, connections[0]!)
  if (state === 'note') note(about)
  else report(state, about)
}

/**
 * @param standbys `synchronous_standby_names`
 * @param name of a program that receives the log through the slot of the backup, and so tells what it has on its disk
 * @returns why it must not, or undefined
 */
export const faultOfReceiver = (standbys: string, name: string): string | undefined => {
  if (mayAcknowledge(standbys, name)) return undefined
  return `database: the receiver of the backup (${name}) counts as a standby while synchronous_standby_names is *, which Patroni writes when no standby streams: commits would then be on the primary and in the backup alone. Start \`bursar backup wal\` of this version, and no other program with the slot ${SLOT}`
}

interface Connected {
  connected: number
  synchronous: number
  /** those whose state this login may not see: only members of pg_read_all_stats see it */
  unseen: number
}

/**
 * @param required how many synchronous standbys a commit waits for
 * @returns whether so many are connected, and a sentence about it. With fewer, commits wait
 */
export const judgeStandbys = (
  required: number,
  { connected, synchronous, unseen }: Connected,
): [boolean | 'note', string] => {
  if (synchronous >= required)
    return [
      true,
      `database: ${synchronous} of ${connected} connected standbys ${synchronous === 1 ? 'is' : 'are'} synchronous`,
    ]
  if (unseen > 0)
    return ['note', `database: ${connected} standbys are connected; this login may not see which are synchronous`]
  if (synchronous === 0) return [false, 'database: no synchronous standby is connected: commits wait until one is']
  return [
    false,
    `database: ${synchronous} synchronous standby of ${required} is connected: commits wait for the others`,
  ]
}

/**
 * @param commit `synchronous_commit`
 * @param standbys `synchronous_standby_names`
 * @returns whether an acknowledged commit survives the loss of the machine of the database, and a sentence about it
 */
export const judgeDurability = (commit: string, standbys: string): [boolean | 'note', string] => {
  if (commit === 'off')
    return [false, 'database: synchronous_commit is off: a crash loses commits that were acknowledged']
  if (readStandbyNames(standbys) === undefined)
    return [
      'note',
      'database: synchronous_standby_names is empty: the loss of this machine loses the last commits (docs/operating/backup.md)',
    ]
  if (commit === 'local')
    return [false, 'database: synchronous_commit is local: the loss of this machine loses the last commits']
  if (commit === 'remote_write')
    return [
      'note',
      'database: synchronous_commit is remote_write: each commit is in the memory of a second machine, and not yet on its disk. If both machines lose power at once, the last commits are lost; `on` waits for the disk',
    ]
  const { method, count, names } = readStandbyNames(standbys)!
  if (names.includes('*'))
    return [
      'note',
      'database: synchronous_standby_names has *: any program that receives the log counts as a standby, also a backup. Patroni 4.1.4 and earlier write it while no standby is connected',
    ]
  const machines = count === 1 ? 'two machines' : `${count + 1} machines`
  if (method === 'first' || count >= names.length)
    return [true, `database: each commit is on ${machines} before it is acknowledged`]
  return [
    true,
    `database: each commit is on ${count + 1} of ${names.length + 1} machines before it is acknowledged, and it is unknown on which. Patroni promotes one after a comparison; before a person does, compare it with ${names.length - count} of the others`,
  ]
}

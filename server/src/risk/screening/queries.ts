import { sql } from 'kysely'
import type { ListAnswer, Listed } from '../../adapters/screening/local-lists.ts'
import type { SenderScreenings } from '../../adapters/screening/internal-transfers.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { KeyedPage } from '../../platform/lists/keyed.ts'
import type { ScreeningState } from './machine.ts'
import type { Screening, ScreeningKind } from './screening.ts'
import { spellingOf } from './spelling.ts'
import { SCREENING_COLUMNS } from './store.ts'

export const findScreening = async (
  db: Db | Tx,
  kind: ScreeningKind,
  merchantId: string,
  subjectId: string,
): Promise<Screening | undefined> => {
  const { rows } = await sql<Screening>`select ${SCREENING_COLUMNS} from screenings s
    where s.kind = ${kind} and s.merchant_id = ${merchantId} and s.subject_id = ${subjectId}`.execute(db)
  return rows[0]
}

export const findScreeningById = async (db: Db | Tx, id: string): Promise<Screening | undefined> => {
  const { rows } = await sql<Screening>`select ${SCREENING_COLUMNS} from screenings s where s.id = ${id}`.execute(db)
  return rows[0]
}

export const findByToken = async (db: Db, token: string): Promise<Screening | undefined> => {
  const { rows } = await sql<Screening>`select ${SCREENING_COLUMNS} from screenings s where s.token = ${token}`.execute(
    db,
  )
  return rows[0]
}

/** Returns the states of the requested screenings, by subject; subjects without one are absent. */
export const statesOf = async (
  db: Db,
  kind: ScreeningKind,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, ScreeningState>> => {
  const { rows } = await sql<{ id: string; state: ScreeningState }>`select subject_id as id, state from screenings
    where kind = ${kind} and subject_id = any(${[...subjectIds]}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, state }) => [id, state]))
}

/** The state of a deposit's screening. Times are of the business clock. */
export interface ScreenedDeposit {
  depositId: string
  state: ScreeningState
  askedAt: Date
  /** when the state last changed */
  changedAt: Date
}

/** Returns the screenings of a merchant's deposits. */
export const depositScreenings = async (
  db: Db,
  merchantId: string,
  depositIds: readonly string[],
): Promise<ScreenedDeposit[]> => {
  const { rows } = await sql<ScreenedDeposit>`select subject_id as "depositId", state, created_at as "askedAt",
      updated_at as "changedAt"
    from screenings where kind = 'deposit' and merchant_id = ${merchantId}
      and subject_id = any(${[...depositIds]}::uuid[])`.execute(db)
  return rows
}

/** A page of a merchant's screenings that have a judgement, by id. */
export const judgedById = async (
  db: Db,
  merchantId: string,
  { after, before, limit }: KeyedPage,
): Promise<Screening[]> => {
  const { rows } = await sql<Screening>`select ${SCREENING_COLUMNS} from screenings s
    where s.merchant_id = ${merchantId} and s.id > ${after} and s.created_at < ${before} and s.report is not null
    order by s.id limit ${limit}`.execute(db)
  return rows
}

/**
 * Returns the screenings that need an operator, oldest first: risky and undecided, unanswered for too long, or with an
 * other side that was listed later.
 */
export const listOpen = async (db: Db, most: number): Promise<Screening[]> => {
  const { rows } =
    await sql<Screening>`select ${SCREENING_COLUMNS} from screenings s where s.state in ('risky', 'unanswered')
      or s.id in (select screening_id from screening_findings where noted_at is null)
    order by s.created_at, s.id limit ${most}`.execute(db)
  return rows
}

/** Returns deposits that operators rejected, newest first; their money is in quarantine. */
export const listRejected = async (db: Db, most: number): Promise<Screening[]> => {
  const { rows } =
    await sql<Screening>`select ${SCREENING_COLUMNS} from screenings s where s.state = 'rejected' and s.kind = 'deposit'
    order by s.updated_at desc, s.id limit ${most}`.execute(db)
  return rows
}

/** The subjects that no provider has judged for too long. */
export interface Waiting {
  deposits: number
  withdrawals: number
  since: Date
  /** why the oldest has no judgement */
  problem: string | null
}

export const waitingTooLong = async (db: Db): Promise<Waiting | undefined> => {
  const { rows } = await sql<
    Omit<Waiting, 'since'> & { since: Date | null }
  >`select count(*) filter (where kind = 'deposit') as deposits, count(*) filter (where kind = 'withdrawal') as withdrawals,
      min(created_at) as since, (array_agg(problem order by created_at))[1] as problem
    from screenings where state = 'unanswered'`.execute(db)
  const { since, ...row } = rows[0]!
  return since === null ? undefined : { ...row, since }
}

/** Returns the entries of the current lists for these addresses. */
export const lookUpListed = async (db: Db, addresses: readonly string[]): Promise<ListAnswer> => {
  const { rows } = await sql<Listed>`select distinct e.address, l.source as list, e.name from screening_list_entries e
    join screening_lists l on l.id = e.list_id
    where l.current and e.address = any(${[...new Set(addresses.map(spellingOf))]}::text[]) order by 1, 2`.execute(db)
  const { rows: lists } = await sql`select from screening_lists where current limit 1`.execute(db)
  return { complete: lists.length > 0, listed: rows }
}

/**
 * Returns the sender's screenings that were made before a withdrawal within the ledger, of deposits that are credited
 * now: those without a judgement (`unjudged`), and those that are risky or were found on a list later (`open`). Money
 * in quarantine is never part of a withdrawal. Undefined if there is no such withdrawal.
 */
export const screeningsOfSender = async (db: Db, withdrawalId: string): Promise<SenderScreenings | undefined> => {
  const { rows } = await sql<{ id: string | null; judged: boolean | null }>`with sent as (
      select merchant_id, created_at from withdrawals where id = ${withdrawalId} and internal),
    open as (
      select s.merchant_id, s.id, s.subject_id, s.state = 'risky' as judged, s.created_at from sent join screenings s on s.merchant_id = sent.merchant_id
        where s.kind = 'deposit' and s.state in ('asked', 'unanswered', 'risky')
      union all select s.merchant_id, s.id, s.subject_id, true, s.created_at from sent
        join screening_findings f on f.merchant_id = sent.merchant_id and f.noted_at is null
        join screenings s on s.merchant_id = f.merchant_id and s.id = f.screening_id and s.kind = 'deposit' and s.state in ('clean', 'released'))
    select o.id, o.judged from sent left join (open o join deposits d on d.merchant_id = o.merchant_id and d.id = o.subject_id and d.state = 'credited')
      on o.created_at <= sent.created_at`.execute(db)
  if (rows.length === 0) return undefined
  const ids = (judged: boolean): string[] => [
    ...new Set(rows.flatMap((row) => (row.id !== null && row.judged === judged ? [row.id] : []))),
  ]
  return { unjudged: ids(false), open: ids(true) }
}

/** A version of a list. */
export interface ListVersion {
  id: string
  source: string
  /** YYYY-MM-DD */
  published: string
  sha256: string
  entries: number
  current: boolean
  importedAt: Date
}

/** Returns all versions, the newest of each source first. */
export const listLists = async (db: Db | Tx): Promise<ListVersion[]> => {
  const { rows } =
    await sql<ListVersion>`select id, source, published::text as published, sha256, entries, current, imported_at as "importedAt"
    from screening_lists order by source, imported_at desc, id`.execute(db)
  return rows
}

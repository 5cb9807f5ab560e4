import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { screeningMoves, type ScreeningState } from './machine.ts'
import { statesTaking } from '../../platform/base/moves.ts'
import { changeStops } from '../../ledger/stops/index.ts'
import type { ScreeningKind } from './screening.ts'
import { NOT_NAMED } from './store.ts'

export interface RescreeningDeps {
  /** the age up to which judged deposits and withdrawals are compared, ms */
  windowMs: number
  /** Halts withdrawals for which nothing is signed; returns those that could still be halted. */
  halt(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>>
}

interface Hit {
  merchantId: string
  id: string
  kind: ScreeningKind
  subjectId: string
  state: ScreeningState
  createdAt: Date
  addresses: string[]
}

const ALERT = 'screening-finding'

/**
 * Compares the addresses that the current version of a list adds with earlier judgements, in the transaction that
 * brings the version into force. An unsigned withdrawal is halted and judged again. A subject without a judgement is
 * asked about again. For any other subject an alert is raised, and its judgement stays.
 * @returns the number of halted withdrawals, and the number of deposits and withdrawals with an alert
 */
export const screenAgain = async (
  tx: Tx,
  source: string,
  { windowMs, halt }: RescreeningDeps,
  moment: Moment,
): Promise<{ halted: number; found: number }> => {
  const { at } = moment
  // First the lock of planners and signers, then that of judgements: concurrent work is finished, or sees this change.
  await changeStops(tx)
  await sql`lock table screenings in share row exclusive mode`.execute(tx)
  const { added, published } = await addedTo(tx, source)
  const hits = added.length === 0 ? [] : await hitsOf(tx, added)
  const halted = await halt(
    tx,
    hits.filter(({ kind }) => kind === 'withdrawal').map(({ subjectId }) => subjectId),
  )
  const open = statesTaking(screeningMoves, 'found-clean')
  const isHalted = (hit: Hit): boolean => hit.kind === 'withdrawal' && halted.has(hit.subjectId)
  await askAnew(
    tx,
    hits.filter((hit) => open.includes(hit.state) || (isHalted(hit) && hit.state === 'clean')),
    at,
  )
  const found = hits.filter(
    (hit) => !open.includes(hit.state) && !isHalted(hit) && hit.createdAt.getTime() >= at.getTime() - windowMs,
  )
  for (const hit of found) await keepFinding(tx, hit, { source, published }, moment)
  return { halted: halted.size, found: found.length }
}

const addedTo = async (tx: Tx, source: string): Promise<{ added: string[]; published: string }> => {
  const { rows } = await sql<{ address: string | null; published: string }>`with versions as (
      select id, published, current, row_number() over (order by current desc, imported_at desc) as n from screening_lists where source = ${source})
    select v.published::text as published, e.address from versions v left join lateral (
      select distinct address from screening_list_entries where list_id = v.id
      except select address from screening_list_entries where list_id = (select id from versions where n = 2)) e on true
    where v.n = 1 and v.current`.execute(tx)
  return {
    added: rows.flatMap(({ address }) => (address === null ? [] : [address])),
    published: rows[0]?.published ?? '',
  }
}

/** Returns the screenings whose other side is one of these addresses, or had too many addresses to be stored. */
const hitsOf = async (tx: Tx, added: readonly string[]): Promise<Hit[]> => {
  const wanted = [...added, NOT_NAMED]
  const { rows } =
    await sql<Hit>`select s.merchant_id as "merchantId", s.id, s.kind, s.subject_id as "subjectId", s.state, s.created_at as "createdAt",
      array(select unnest(s.others) intersect select unnest(${wanted}::text[])) as addresses
    from screenings s where s.others && ${wanted}::text[] order by s.merchant_id, s.id`.execute(tx)
  return rows
}

/** Also ends the claim of a worker that is waiting for an answer, so that the older answer does not count. */
const askAnew = async (tx: Tx, hits: readonly Hit[], at: Date): Promise<void> => {
  if (hits.length === 0) return
  await sql`update screenings s set state = case when s.state = 'clean' then 'asked' else s.state end, report = null, answers = s.answers - 'local-lists',
      attempts = s.attempts + 1, next_at = ${at}, leased_until = '-infinity', updated_at = ${at}
    from unnest(${hits.map(({ merchantId }) => merchantId)}::uuid[], ${hits.map(({ id }) => id)}::uuid[]) u(m, i)
    where s.merchant_id = u.m and s.id = u.i`.execute(tx)
}

const keepFinding = async (
  tx: Tx,
  { merchantId, id, kind, subjectId, addresses }: Hit,
  { source, published }: { source: string; published: string },
  moment: Moment,
): Promise<void> => {
  const isNamed = !addresses.includes(NOT_NAMED)
  // Unique each time: an operator's note on an earlier list does not cover this one.
  const said = isNamed ? addresses : [`${NOT_NAMED}, at ${moment.at.toISOString()}`]
  const { rows } =
    await sql`insert into screening_findings(merchant_id, screening_id, address, list, published, found_at)
    select ${merchantId}, ${id}, a, ${source}, ${published}::date, ${moment.at} from unnest(${said}::text[]) a
    on conflict (merchant_id, screening_id, address, list) do nothing returning 1`.execute(tx)
  if (rows.length === 0) return
  const text = isNamed
    ? `${addresses.join(', ')} of ${kind} ${subjectId} of merchant ${merchantId}, judged before, is on the list ${source} of ${published}: bursar screening show ${id}`
    : `The transaction of ${kind} ${subjectId} of merchant ${merchantId}, judged before, has too many senders to be compared with the new addresses of the list ${source} of ${published}: look at it, bursar screening show ${id}`
  await raiseOrRenewAlert(tx, { kind: ALERT, subject: id, text }, moment)
}

export interface Finding {
  address: string
  list: string
  published: string
  foundAt: Date
  actor: string | null
  note: string | null
}

export const findingsOn = async (db: Db | Tx, screeningId: string): Promise<Finding[]> => {
  const { rows } =
    await sql<Finding>`select address, list, published::text as published, found_at as "foundAt", actor, note from screening_findings
    where screening_id = ${screeningId} order by found_at, address, list`.execute(db)
  return rows
}

/**
 * Records an operator's action about a later finding, and resolves its alert. Returns false if all findings have been
 * noted.
 */
export const noteFindings = async (
  tx: Tx,
  screeningId: string,
  { actor, note }: { actor: string; note: string },
  { at }: Moment,
): Promise<boolean> => {
  const { rows } = await sql`update screening_findings set noted_at = ${at}, actor = ${actor}, note = ${note}
    where screening_id = ${screeningId} and noted_at is null returning 1`.execute(tx)
  if (rows.length > 0) await resolveAlert(tx, ALERT, screeningId, at)
  return rows.length > 0
}

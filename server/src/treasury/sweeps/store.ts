import { isAnyPaying, isPayingFrom } from '../../chain/transactions/index.ts'
import type { Network } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import { familyOf, lockAddresses } from '../../chain/addresses/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { isCovered } from '../../ledger/stops/index.ts'
import { sweepMoves, type SweepEvent } from './machine.ts'
import type { Holder, Holding, Sweep } from './sweep.ts'

const COLUMNS =
  sql.raw(`s.id, s.network, s.asset, s.address, s.merchant_id as "merchantId", s.derivation_index as "derivationIndex",
  s.units, s.way, s.state, s.funding_id as "fundingId", s.outgoing_id as "outgoingId"`)

/** Which holdings are worth a look. */
export interface Worthwhile {
  /** of the business clock */
  now: Date
  /** what waits since before this has waited too long */
  overdue: Date
  /** ledger units an asset has to be at least, by how long it waits; what is not listed is left */
  least: ReadonlyMap<string, { young: bigint; overdue: bigint }>
}

/** A sweep that came to nothing is tried again after this long, then after twice as long, up to 128 times. */
const RETRY = '1 hour'

/**
 * Deposit addresses that hold something final while no sweep of theirs is under way: those that wait longest first, or
 * where worth is known what is worth most, so that what does not pay yet never stands before what does. What a block
 * above the final one brought does not count: it could still be taken back.
 */
export const holdersOn = async (db: Db, network: Network, most: number, worthwhile?: Worthwhile): Promise<Holder[]> => {
  const { rows } = await sql<Omit<Holder, 'holdings' | 'sweptBefore'> & Holding & { swept: number }>`
    with held as (
      select c.address, c.asset, a.merchant_id, a.derivation_index, c.booked - c.suspended - d.young as units, d.since, l.swept, t.failures
      from custody_addresses c
      join addresses a on a.family = ${familyOf(network)} and a.address = c.address
      left join lateral (select max(created_at) as last, count(*) as swept from sweeps s
        where s.network = c.network and s.address = c.address and s.asset = c.asset and s.state = 'final') l on true
      cross join lateral (select count(*) as failures, max(s.updated_at) as last from sweeps s
        where s.network = c.network and s.address = c.address and s.asset = c.asset and s.state in ('failed', 'replaced')
          and (l.last is null or s.created_at > l.last)) t
      cross join lateral (
        select coalesce(sum(d.units) filter (where d.block_height > w.final_height), 0) as young,
          min(d.created_at) filter (where l.last is null or d.updated_at > l.last) as since
        from deposits d join watch_cursors w on w.network = d.network
        where d.merchant_id = a.merchant_id and d.network = c.network and d.address = c.address and d.asset = c.asset
          and not d.internal and d.index not like 's:%' and d.block_height is not null) d
      where c.network = ${network} and c.booked > 0 ${worthwhile ? mayBeEnough(worthwhile) : sql``} and not exists (select from sweeps s
        where s.network = c.network and s.address = c.address and s.state not in ('final', 'failed', 'replaced'))
        and not ${isPayingFrom(sql`c.network`, sql`c.address`)}
        and not ${isStopped(sql`c`)}
        and (${worthwhile?.now ?? null}::timestamptz is null or t.failures = 0
          or t.last + interval '${sql.raw(RETRY)}' * power(2, least(t.failures, 8) - 1) <= ${worthwhile?.now ?? null}::timestamptz))
    select address, asset, merchant_id as "merchantId", derivation_index as "derivationIndex", units, since, swept, failures
    from held where units > 0 and since is not null ${worthwhile ? atLeast(worthwhile) : sql``}
    order by ${worthwhile ? byWorth(worthwhile) : sql``} since, address limit ${most}`.execute(db)
  const holders = new Map<string, Holder>()
  for (const { asset, units, since, failures, swept, ...owner } of rows) {
    const holder = holders.get(owner.address) ?? { ...owner, sweptBefore: 0, holdings: [] }
    holders.set(owner.address, holder)
    holder.sweptBefore = Math.max(holder.sweptBefore, swept)
    holder.holdings.push({ asset, units, since, failures })
  }
  return [...holders.values()]
}

/** Whether a stop covers the asset and network of a row: one of a merchant's withdrawals does not. */
const isStopped = (row: RawBuilder<unknown>) => isCovered({ asset: sql`${row}.asset`, network: sql`${row}.network` })

/** Dust is left out before anything is asked about it. */
const mayBeEnough = (worthwhile: Worthwhile) =>
  sql`and c.booked >= (select f.old from ${floors(worthwhile)} where f.asset = c.asset)`

const atLeast = (worthwhile: Worthwhile) =>
  sql`and units >= (select case when held.since <= ${worthwhile.overdue} then f.old else f.young end from ${floors(worthwhile)} where f.asset = held.asset)`

const byWorth = (worthwhile: Worthwhile) =>
  sql`(select held.units / greatest(f.old, 1) from ${floors(worthwhile)} where f.asset = held.asset) desc,`

const floors = ({ least }: Worthwhile) => {
  const column = (of: (one: { young: bigint; overdue: bigint }) => bigint): string[] =>
    [...least.values()].map((one) => of(one).toString())
  return sql`unnest(${[...least.keys()]}::text[], ${column((f) => f.young)}::numeric[], ${column((f) => f.overdue)}::numeric[]) f(asset, young, old)`
}

export type NewSweep = Pick<
  Sweep,
  'id' | 'network' | 'asset' | 'address' | 'merchantId' | 'derivationIndex' | 'units' | 'way'
> & {
  state: 'planned' | 'carried' | 'funded'
  fundingId: string | null
  outgoingId: string | null
}

/**
 * Stores sweeps; false, and none, when another process has begun one of the same address and asset, or a payment from
 * it.
 */
export const insertSweeps = async (tx: Tx, sweeps: readonly NewSweep[], { at }: Moment): Promise<boolean> => {
  if (await arePaying(tx, sweeps)) return false
  let stored = 0
  for (const s of sweeps) {
    const { rows } =
      await sql`insert into sweeps(id, network, asset, address, merchant_id, derivation_index, units, way, state,
        funding_id, outgoing_id, created_at, updated_at)
      values (${s.id}, ${s.network}, ${s.asset}, ${s.address}, ${s.merchantId}, ${s.derivationIndex}, ${s.units}, ${s.way}, ${s.state},
        ${s.fundingId}, ${s.outgoingId}, ${at}, ${at})
      on conflict (network, address, asset) where state not in ('final', 'failed', 'replaced') do nothing returning id`.execute(
        tx,
      )
    stored += rows.length
  }
  return stored === sweeps.length
}

/**
 * Takes the addresses, so that no payment is planned from them meanwhile; true when one of them pays a withdrawal by
 * itself.
 */
const arePaying = async (tx: Tx, sweeps: readonly NewSweep[]): Promise<boolean> => {
  const network = sweeps[0]?.network
  if (network === undefined) return false
  const addresses = [...new Set(sweeps.map(({ address }) => address))]
  await lockAddresses(tx, familyOf(network), addresses)
  return isAnyPaying(tx, network, addresses)
}

/** Moves sweeps by their table, by compare-and-set. @returns those that took the event */
export const moveSweeps = async (
  tx: Tx,
  which: { ids: readonly string[] } | { outgoingId: string } | { fundingId: string },
  event: SweepEvent,
  at: Date,
  more: { outgoingId?: string; fundingId?: string; way?: string } = {},
): Promise<Sweep[]> => {
  const from = statesTaking(sweepMoves, event)
  const target = moveOf(sweepMoves, from[0]!, event)!.to
  const chosen =
    'ids' in which
      ? sql`s.id = any(${[...which.ids]}::uuid[])`
      : 'outgoingId' in which
        ? sql`s.outgoing_id = ${which.outgoingId}`
        : sql`s.funding_id = ${which.fundingId}`
  const { rows } = await sql<Sweep>`update sweeps s set state = ${target}, updated_at = ${at},
      way = coalesce(${more.way ?? null}, s.way), outgoing_id = coalesce(${more.outgoingId ?? null}::uuid, s.outgoing_id),
      funding_id = coalesce(${more.fundingId ?? null}::uuid, s.funding_id)
    where ${chosen} and s.state = any(${from}) returning ${COLUMNS}`.execute(tx)
  return rows
}

export const sweepsOf = async (db: Db | Tx, outgoingId: string): Promise<Sweep[]> => {
  const { rows } = await sql<Sweep>`select ${COLUMNS} from sweeps s
    where s.outgoing_id = ${outgoingId} or s.funding_id = ${outgoingId} order by s.created_at, s.id`.execute(db)
  return rows
}

/**
 * Sweeps that are prepared and wait to be sent, oldest first. What was prepared before a stop waits until it is lifted.
 */
export const fundedOn = async (db: Db, network: Network, most: number): Promise<Sweep[]> => {
  const { rows } = await sql<Sweep>`select ${COLUMNS} from sweeps s
    where s.network = ${network} and s.state = 'funded' and not ${isStopped(sql`s`)} order by s.created_at, s.id limit ${most}`.execute(
    db,
  )
  return rows
}

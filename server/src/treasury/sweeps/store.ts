import { isAnyPaying, isPayingFrom } from '../../chain/transactions/index.ts'
import type { Network } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import { familyOf, isOfStolenSeed, lockAddresses } from '../../chain/addresses/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { isCovered } from '../../ledger/stops/index.ts'
import { sweepMoves, type SweepEvent } from './machine.ts'
import { isOfSeed, type Seed } from './queries.ts'
import type { Holder, Holding, Sweep } from './sweep.ts'

const COLUMNS =
  sql.raw(`s.id, s.network, s.asset, s.address, s.merchant_id as "merchantId", s.derivation_index as "derivationIndex",
  s.units, s.way, s.state, s.funding_id as "fundingId", s.outgoing_id as "outgoingId"`)

/** Limits that a holding must reach to be considered. */
export interface Worthwhile {
  /** of the business clock */
  now: Date
  /** holdings that have waited since before this are overdue */
  overdue: Date
  /** least ledger units of an asset, by how long it has waited; assets that are not listed are left */
  least: ReadonlyMap<string, { young: bigint; overdue: bigint }>
  /** of the addresses; all when absent */
  seed?: Seed
}

/** A failed sweep is tried again after this long, then after twice as long, up to 128 times as long. */
const RETRY = '1 hour'

/**
 * Returns deposit addresses with a final balance and no sweep under way: the longest waiting first, or the most
 * valuable first where worth is known, so that holdings which do not pay yet never come before those which do. Receipts
 * of a block above the final one do not count: they could still be lost.
 * @param skipped holdings of earlier pages
 */
export const holdersOn = async (
  db: Db,
  network: Network,
  most: number,
  worthwhile?: Worthwhile,
  skipped = 0,
): Promise<Holder[]> => {
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
        and ${isOfSeed(sql`a.derivation_index`, worthwhile?.seed)}
        and not ${isStopped(network, sql`c`, sql`a.derivation_index`)}
        and (${worthwhile?.now ?? null}::timestamptz is null or t.failures = 0
          or t.last + interval '${sql.raw(RETRY)}' * power(2, least(t.failures, 8) - 1) <= ${worthwhile?.now ?? null}::timestamptz))
    select address, asset, merchant_id as "merchantId", derivation_index as "derivationIndex", units, since, swept, failures
    from held where units > 0 and since is not null ${worthwhile ? atLeast(network, worthwhile) : sql``}
    order by ${worthwhile ? byWorth(worthwhile) : sql``} since, address, asset limit ${most} offset ${skipped}`.execute(
    db,
  )
  const holders = new Map<string, Holder>()
  for (const { asset, units, since, failures, swept, ...owner } of rows) {
    const holder = holders.get(owner.address) ?? { ...owner, sweptBefore: 0, holdings: [] }
    holders.set(owner.address, holder)
    holder.sweptBefore = Math.max(holder.sweptBefore, swept)
    holder.holdings.push({ asset, units, since, failures })
  }
  return [...holders.values()]
}

/**
 * Whether a stop covers the asset and network of a row; a stop of one merchant's withdrawals does not. What is left
 * under a stolen seed is moved in spite of a stop of its asset.
 */
const isStopped = (network: Network, row: RawBuilder<unknown>, index: RawBuilder<unknown>) =>
  sql`case when ${isOfStolenSeed(familyOf(network), index)} then ${isCovered({ network: sql`${row}.network` })}
    else ${isCovered({ asset: sql`${row}.asset`, network: sql`${row}.network` })} end`

/** Excludes dust before any request is made about it. */
const mayBeEnough = (worthwhile: Worthwhile) =>
  sql`and c.booked >= (select f.old from ${floors(worthwhile)} where f.asset = c.asset)`

const atLeast = (network: Network, worthwhile: Worthwhile) =>
  sql`and units >= (select case when held.since <= ${worthwhile.overdue} or ${isOfStolenSeed(familyOf(network), sql`held.derivation_index`)} then f.old else f.young end from ${floors(worthwhile)} where f.asset = held.asset)`

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
 * Stores sweeps. Returns false when another process has started a sweep of the same address and asset, or one of the
 * addresses is paying a withdrawal; the caller then rolls back.
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
 * Locks the addresses, so that no payment from them is planned meanwhile; true when one of them is paying a withdrawal.
 */
const arePaying = async (tx: Tx, sweeps: readonly NewSweep[]): Promise<boolean> => {
  const network = sweeps[0]?.network
  if (network === undefined) return false
  const addresses = [...new Set(sweeps.map(({ address }) => address))]
  await lockAddresses(tx, familyOf(network), addresses)
  return isAnyPaying(tx, network, addresses)
}

/** Changes the states of sweeps by their table, by compare-and-set. @returns those that accepted the event */
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

/** Returns prepared sweeps that wait to be sent, the oldest first. Those that a stop covers wait until it is lifted. */
export const fundedOn = async (db: Db, network: Network, most: number, seed?: Seed): Promise<Sweep[]> => {
  const { rows } = await sql<Sweep>`select ${COLUMNS} from sweeps s
    where s.network = ${network} and s.state = 'funded' and ${isOfSeed(sql`s.derivation_index`, seed)} and not ${isStopped(network, sql`s`, sql`s.derivation_index`)} order by s.created_at, s.id limit ${most}`.execute(
    db,
  )
  return rows
}

import { sql } from 'kysely'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { hedgeMoves, OPEN_STATES, type HedgeEvent } from './machine.ts'
import type { HedgeOrder } from './order.ts'
import type { VenueFill } from '../../adapters/venues/port.ts'

const ORDER =
  sql.raw(`h.id, h.venue, h.asset, h.base, h.quote, h.side, h.amount, h.price, h.middle, h.spends, h.reserved, h.executed, h.state, h.reason,
  h.placed_at as "placedAt", h.valid_ms as "validMs", h.asks, h.created_at as "createdAt", h.updated_at as "updatedAt"`)
const open = sql`h.state = any(${[...OPEN_STATES]}::text[])`

/** Stores an order. False when another order of that asset has not ended. */
export const insertOrder = async (tx: Tx, o: HedgeOrder, nextAskAt: Date): Promise<boolean> => {
  const { rows } =
    await sql`insert into hedge_orders(id, venue, asset, base, quote, side, amount, price, middle, spends, reserved, state, placed_at,
      valid_ms, next_ask_at, created_at, updated_at)
    values (${o.id}, ${o.venue}, ${o.asset}, ${o.base}, ${o.quote}, ${o.side}, ${o.amount}, ${o.price}, ${o.middle}, ${o.spends}, ${o.reserved}, ${o.state},
      ${o.placedAt}, ${o.validMs}, ${nextAskAt}, ${o.createdAt}, ${o.updatedAt})
    on conflict (venue, asset) where state in ('sending', 'open') do nothing returning 1`.execute(tx)
  return rows.length === 1
}

export const lockOrder = async (tx: Tx, id: string): Promise<HedgeOrder> => {
  const { rows } = await sql<HedgeOrder>`select ${ORDER} from hedge_orders h where h.id = ${id} for update`.execute(tx)
  if (!rows[0]) throw new Error(`there is no hedge order ${id}`)
  return rows[0]
}

/** Moves an order by compare-and-set; false when its state does not allow the event. */
export const moveOrder = async (
  tx: Tx,
  id: string,
  event: HedgeEvent,
  at: Date,
  more: { reserved: bigint; executed: bigint; reason: string | null },
): Promise<boolean> => {
  const from = statesTaking(hedgeMoves, event)
  const { rows } =
    await sql`update hedge_orders set state = ${moveOf(hedgeMoves, from[0]!, event)!.to}, reserved = ${more.reserved}, executed = ${more.executed},
      reason = ${more.reason}, updated_at = ${at} where id = ${id} and state = any(${from}) returning 1`.execute(tx)
  return rows.length === 1
}

/** Stores a fill. False when it is already posted. */
export const insertFill = async (
  tx: Tx,
  { id, venue, base, quote }: HedgeOrder,
  f: VenueFill,
  transferId: string,
): Promise<boolean> => {
  const { rows } =
    await sql`insert into hedge_fills(venue, base, quote, trade_id, order_id, amount, price, cost, fee_asset, fee, transfer_id, traded_at)
    values (${venue}, ${base}, ${quote}, ${f.tradeId}, ${id}, ${f.amount}, ${f.price}, ${f.cost}, ${f.fee?.asset ?? null}, ${f.fee?.amount ?? 0n}, ${transferId}, ${new Date(f.at)})
    on conflict do nothing returning 1`.execute(tx)
  return rows.length === 1
}

export const bookedOf = async (tx: Tx, id: string): Promise<bigint> => {
  const { rows } = await sql<{
    amount: bigint
  }>`select coalesce(sum(amount), 0) as amount from hedge_fills where order_id = ${id}`.execute(tx)
  return rows[0]!.amount
}

/** Claims orders that have not ended and are due, oldest first; no other worker claims them for `leaseMs`. */
export const claimDue = async (
  db: Db,
  venue: string,
  at: Date,
  leaseMs: number,
  most: number,
): Promise<HedgeOrder[]> => {
  const { rows } =
    await sql<HedgeOrder>`with due as (select h.id from hedge_orders h where h.venue = ${venue} and ${open} and h.next_ask_at <= ${at}
      order by h.next_ask_at limit ${most} for update skip locked)
    update hedge_orders h set next_ask_at = ${new Date(at.getTime() + leaseMs)}, asks = h.asks + 1 from due where h.id = due.id returning ${ORDER}`.execute(
      db,
    )
  return rows
}

export const askAgainAt = async (db: Db | Tx, id: string, at: Date): Promise<void> => {
  await sql`update hedge_orders h set next_ask_at = ${at} where h.id = ${id} and ${open}`.execute(db)
}

export const listOpenOrders = async (db: Db | Tx): Promise<HedgeOrder[]> => {
  const { rows } =
    await sql<HedgeOrder>`select ${ORDER} from hedge_orders h where ${open} order by h.created_at`.execute(db)
  return rows
}

/** Returns the newest orders, of one asset or of all. */
export const newestOrders = async (
  db: Db | Tx,
  { venue, asset }: { venue: string; asset?: string },
  most: number,
): Promise<HedgeOrder[]> => {
  const { rows } =
    await sql<HedgeOrder>`select ${ORDER} from hedge_orders h where h.venue = ${venue} and (${asset ?? null}::text is null or h.asset = ${asset ?? null})
    order by h.created_at desc, h.id desc limit ${most}`.execute(db)
  return rows
}

/** Returns the value that orders since a moment have traded or may still trade, in 1e-18 USDT at their limits. */
export const usdtSince = async (tx: Db | Tx, venue: string, since: Date): Promise<bigint> => {
  const { rows } = await sql<{
    usdt: bigint
  }>`select coalesce(sum(case when h.asset = h.base then ceil(t.amount * h.price / 1000000000000000000) else t.amount end), 0) as usdt
    from hedge_orders h, lateral (select case when ${open} then h.amount else h.executed end as amount) t
    where h.venue = ${venue} and h.created_at > ${since}`.execute(tx)
  return rows[0]!.usdt
}

/** The amounts of an asset that hedges have moved: ledger units, values in 1e-18 USDT. */
export interface HedgeFlow {
  asset: string
  boughtUnits: bigint
  boughtValue: bigint
  soldUnits: bigint
  soldValue: bigint
  feesValue: bigint
  slippage: bigint
  fills: number
}

/** The amounts of an asset that no hedge has moved. */
export const NO_FLOW: Omit<HedgeFlow, 'asset'> = {
  boughtUnits: 0n,
  boughtValue: 0n,
  soldUnits: 0n,
  soldValue: 0n,
  feesValue: 0n,
  slippage: 0n,
  fills: 0,
}

export const addFlow = async (tx: Tx, f: HedgeFlow): Promise<void> => {
  await sql`insert into hedge_flows(asset, bought_units, bought_value, sold_units, sold_value, fees_value, slippage, fills)
    values (${f.asset}, ${f.boughtUnits}, ${f.boughtValue}, ${f.soldUnits}, ${f.soldValue}, ${f.feesValue}, ${f.slippage}, ${f.fills})
    on conflict (asset) do update set bought_units = hedge_flows.bought_units + excluded.bought_units, bought_value = hedge_flows.bought_value + excluded.bought_value,
      sold_units = hedge_flows.sold_units + excluded.sold_units, sold_value = hedge_flows.sold_value + excluded.sold_value,
      fees_value = hedge_flows.fees_value + excluded.fees_value, slippage = hedge_flows.slippage + excluded.slippage, fills = hedge_flows.fills + excluded.fills`.execute(
    tx,
  )
}

export const hedgeFlows = async (db: Db | Tx): Promise<HedgeFlow[]> => {
  const { rows } =
    await sql<HedgeFlow>`select asset, bought_units as "boughtUnits", bought_value as "boughtValue", sold_units as "soldUnits",
    sold_value as "soldValue", fees_value as "feesValue", slippage, fills from hedge_flows order by asset`.execute(db)
  return rows
}

/** Returns the amounts that orders may still spend, by asset; ledger units. */
export const reservedByOrders = async (db: Db | Tx): Promise<Map<string, bigint>> => {
  const { rows } = await sql<{
    asset: string
    units: bigint
  }>`select spends as asset, sum(reserved) as units from hedge_orders h where ${open} group by spends`.execute(db)
  return new Map(rows.map(({ asset, units }) => [asset, units]))
}

import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import type { Item } from '../../ledger/postings/index.ts'
import type { MerchantSettings } from '../../merchants/accounts/index.ts'
import { mulDiv } from '../../platform/money/index.ts'
import type { CardHold, Payment } from './payment.ts'
import { cardHoldItem, cardReleaseItem } from './postings.ts'

type Terms = Pick<MerchantSettings, 'cardHoldHours' | 'cardReservePercent' | 'cardReserveDays'>

const HOUR_MS = 3_600_000
const COLUMNS = sql.raw(
  `h.merchant_id as "merchantId", h.id, h.payment_id as "paymentId", h.ticker, h.units, h.kind, h.release_at as "releaseAt"`,
)

/**
 * Computes the parts of credited money that a merchant's settings hold, and until when: the reserve, rounded up, and
 * then either all of the rest or none of it.
 * @param units the amount credited to the merchant's balance
 */
export const heldParts = (
  units: bigint,
  { cardHoldHours, cardReservePercent, cardReserveDays }: Terms,
  at: Date,
): Pick<CardHold, 'units' | 'kind' | 'releaseAt'>[] => {
  const reserve = cardReserveDays > 0 ? mulDiv(units, BigInt(cardReservePercent), 100n, 'up') : 0n
  const rest = cardHoldHours > 0 ? units - reserve : 0n
  const after = (hours: number): Date => new Date(at.getTime() + hours * HOUR_MS)
  const parts = [
    { units: rest, kind: 'time', releaseAt: after(cardHoldHours) },
    { units: reserve, kind: 'reserve', releaseAt: after(Math.max(cardReserveDays * 24, cardHoldHours)) },
  ] as const
  return parts.filter((part) => part.units > 0n)
}

/** Holds parts of a payment that is credited in the same transaction. @returns the postings that follow the credit */
export const holdParts = async (
  tx: Tx,
  { merchantId, id, paidTicker }: Pick<Payment, 'merchantId' | 'id' | 'paidTicker'>,
  parts: readonly Pick<CardHold, 'units' | 'kind' | 'releaseAt'>[],
  { at, newId }: Moment,
): Promise<Item[]> => {
  const items: Item[] = []
  for (const part of parts) {
    const hold: CardHold = { ...part, merchantId, id: newId(), paymentId: id, ticker: paidTicker! }
    await sql`insert into card_holds(merchant_id, id, payment_id, ticker, units, kind, release_at, created_at)
      values (${merchantId}, ${hold.id}, ${id}, ${hold.ticker}, ${hold.units}, ${hold.kind}, ${hold.releaseAt}, ${at})`.execute(
      tx,
    )
    items.push(cardHoldItem(hold, at))
  }
  return items
}

const end = async (
  tx: Tx,
  hold: CardHold,
  how: 'released' | 'used',
  moment: Moment,
  used: { for: string; units: bigint } | null = null,
): Promise<void> => {
  await sql`update card_holds set ended_at = ${moment.at}, ended_as = ${how}, used_for = ${used?.for ?? null}, used_units = ${used?.units ?? null} where merchant_id = ${hold.merchantId} and id = ${hold.id}`.execute(
    tx,
  )
  await carryOut(tx, { items: [cardReleaseItem(hold, moment)], notices: [] }, moment)
}

/**
 * Frees held money for a refund or a chargeback of a payment, in this transaction: first the holds of the payment
 * itself, then, if that is too little and `fromReserve` is set, the merchant's reserves of other payments, oldest
 * first. The rest of a hold stays held.
 * @param needed minor units
 * @param usedFor the hold of a refund or a dispute, which may end without using the money; undefined: the money is used
 */
export const freeHeld = async (
  tx: Tx,
  payment: Pick<Payment, 'merchantId' | 'id' | 'paidTicker'>,
  {
    needed,
    available,
    fromReserve,
    usedFor,
  }: { needed: bigint; available: bigint; fromReserve: boolean; usedFor?: string | undefined },
  moment: Moment,
): Promise<void> => {
  const { merchantId, id, paidTicker } = payment
  const { rows: own } =
    await sql<CardHold>`select ${COLUMNS} from card_holds h where h.merchant_id = ${merchantId} and h.payment_id = ${id}
    and h.ended_at is null order by h.release_at, h.id for update`.execute(tx)
  const left = await free(tx, own, needed, usedFor, moment)
  if (!fromReserve || left <= available) return
  const { rows: reserve } =
    await sql<CardHold>`select ${COLUMNS} from card_holds h where h.merchant_id = ${merchantId} and h.ticker = ${paidTicker}
    and h.kind = 'reserve' and h.ended_at is null order by h.release_at, h.id for update`.execute(tx)
  await free(tx, reserve, left - available, usedFor, moment)
}

/** @returns the amount that is still needed beyond these holds */
const free = async (
  tx: Tx,
  holds: readonly CardHold[],
  needed: bigint,
  usedFor: string | undefined,
  moment: Moment,
): Promise<bigint> => {
  let left = needed
  for (const hold of holds) {
    if (left <= 0n) break
    const used = hold.units < left ? hold.units : left
    await end(tx, hold, 'used', moment, usedFor === undefined ? null : { for: usedFor, units: used })
    if (hold.units > left) {
      const items = await holdParts(
        tx,
        { merchantId: hold.merchantId, id: hold.paymentId, paidTicker: hold.ticker },
        [{ ...hold, units: hold.units - left }],
        moment,
      )
      await carryOut(tx, { items, notices: [] }, moment)
    }
    left -= used
  }
  return left
}

/**
 * Holds freed money again, until its original time, after a refund or a dispute ended without using it.
 * @returns the postings that follow that end
 */
export const holdAgain = async (tx: Tx, merchantId: string, usedFor: string, moment: Moment): Promise<Item[]> => {
  const { rows } = await sql<CardHold>`update card_holds h set used_for = null, used_units = null
    from card_holds o where o.merchant_id = h.merchant_id and o.id = h.id and h.merchant_id = ${merchantId} and h.used_for = ${usedFor}
      and o.used_units is not null
    returning h.merchant_id as "merchantId", h.id, h.payment_id as "paymentId", h.ticker, o.used_units as units, h.kind, h.release_at as "releaseAt"`.execute(
    tx,
  )
  const items: Item[] = []
  for (const hold of rows)
    items.push(...(await holdParts(tx, { merchantId, id: hold.paymentId, paidTicker: hold.ticker }, [hold], moment)))
  return items
}

/** Returns holds whose time has come, oldest first. */
export const dueHolds = async (db: Db, at: Date, most: number): Promise<CardHold[]> => {
  const { rows } =
    await sql<CardHold>`select ${COLUMNS} from card_holds h where h.ended_at is null and h.release_at <= ${at}
    order by h.release_at limit ${most}`.execute(db)
  return rows
}

/** Releases a hold whose time has come. @returns false when it had already ended */
export const releaseHold = async (tx: Tx, { merchantId, id }: CardHold, moment: Moment): Promise<boolean> => {
  const { rows } =
    await sql<CardHold>`select ${COLUMNS} from card_holds h where h.merchant_id = ${merchantId} and h.id = ${id}
    and h.ended_at is null for update`.execute(tx)
  if (rows[0]) await end(tx, rows[0], 'released', moment)
  return rows[0] !== undefined
}

/** Returns the held totals of a merchant's card money, by ticker, in minor units. */
export const heldTotals = async (db: Db, merchantId: string): Promise<ReadonlyMap<string, bigint>> => {
  const { rows } = await sql<{ ticker: string; units: bigint }>`select h.ticker, sum(h.units) as units from card_holds h
    where h.merchant_id = ${merchantId} and h.ended_at is null group by h.ticker`.execute(db)
  return new Map(rows.map(({ ticker, units }) => [ticker, units]))
}

/** Returns the holds of a merchant's card money, ordered by their release time. */
export const heldOf = async (db: Db | Tx, merchantId: string): Promise<CardHold[]> => {
  const { rows } =
    await sql<CardHold>`select ${COLUMNS} from card_holds h where h.merchant_id = ${merchantId} and h.ended_at is null
    order by h.release_at, h.id`.execute(db)
  return rows
}

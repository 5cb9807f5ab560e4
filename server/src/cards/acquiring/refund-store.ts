import { sql } from 'kysely'
import { moveOf } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { KeyedPage } from '../../platform/lists/keyed.ts'
import type { Payment } from './payment.ts'
import { refundMoves, type RefundEvent, type RefundState } from './refund-machine.ts'

/** Units are minor units of `ticker`. */
export interface Refund {
  merchantId: string
  id: string
  /** our reference with the acquirer, once it is sent; null: not sent, or sent under its id by an older release */
  reference: string | null
  paymentId: string
  acquirer: string
  ticker: string
  units: bigint
  /** the owner whose account pays it */
  from: 'merchant' | 'suspense'
  holdId: string
  state: RefundState
  reason: string
  actor: string
  epoch: number
  createdAt: Date
  /** from when the acquirer may have it; null: not sent */
  sentAt: Date | null
}

export const REFUND_COLUMNS =
  sql.raw(`r.merchant_id as "merchantId", r.id, r.reference, r.payment_id as "paymentId", r.acquirer, r.ticker, r.units,
  r.source as "from", r.hold_id as "holdId", r.state, r.reason, r.actor, r.epoch, r.created_at as "createdAt", r.sent_at as "sentAt"`)

/**
 * Stores a refund, and subtracts it from the rest of its payment, whose row the caller has locked.
 * @param next when a worker claims it; null: it has ended
 */
export const insertRefund = async (tx: Tx, refund: Refund, next: Date | null): Promise<void> => {
  const { merchantId, id, paymentId, acquirer, ticker, units, from, holdId, state, reason, actor, createdAt } = refund
  await sql`insert into payment_refunds(merchant_id, id, payment_id, acquirer, ticker, units, source, hold_id, state, reason,
      actor, next_step_at, created_at, updated_at)
    values (${merchantId}, ${id}, ${paymentId}, ${acquirer}, ${ticker}, ${units}, ${from}, ${holdId}, ${state}, ${reason},
      ${actor}, ${next}, ${createdAt}, ${createdAt})`.execute(tx)
  await sql`update payments set refunded_units = refunded_units + ${units}, updated_at = ${createdAt}
    where merchant_id = ${merchantId} and id = ${paymentId}`.execute(tx)
}

/**
 * Moves a refund from the state it was read in, if its state machine allows that; undefined when another worker was
 * faster.
 * @param epoch moves only while this claim is valid; null: with any claim
 * @param next when it is processed again; null: never
 * @param reference under which it is sent; null: it is not sent now
 */
export const moveRefund = async (
  tx: Tx,
  refund: Refund,
  event: RefundEvent,
  {
    at,
    next,
    message = null,
    epoch = null,
    reference = null,
  }: { at: Date; next: Date | null; message?: string | null; epoch?: number | null; reference?: string | null },
): Promise<Refund | undefined> => {
  const move = moveOf(refundMoves, refund.state, event)
  if (!move) return undefined
  const { rows } =
    await sql<Refund>`update payment_refunds r set state = ${move.to}, updated_at = ${at}, next_step_at = ${next},
      message = coalesce(${message}, message), reference = ${move.to === 'requested' ? sql`null` : sql`coalesce(reference, ${reference}::uuid)`},
      sent_at = ${move.to === 'asked' ? at : move.to === 'requested' ? null : sql`sent_at`}
    where merchant_id = ${refund.merchantId} and id = ${refund.id} and state = ${refund.state}
      and epoch = coalesce(${epoch}::bigint, epoch) returning ${REFUND_COLUMNS}`.execute(tx)
  return rows[0]
}

/** Makes a refused refund's amount refundable again. */
export const uncountRefund = async (tx: Tx, { merchantId, paymentId, units }: Refund, at: Date): Promise<void> => {
  await sql`update payments set refunded_units = refunded_units - ${units}, updated_at = ${at}
    where merchant_id = ${merchantId} and id = ${paymentId}`.execute(tx)
}

export const lockRefund = async (tx: Tx, id: string): Promise<Refund | undefined> => {
  const { rows } =
    await sql<Refund>`select ${REFUND_COLUMNS} from payment_refunds r where r.id = ${id} for update`.execute(tx)
  return rows[0]
}

export const findRefund = async (db: Db | Tx, id: string): Promise<Refund | undefined> => {
  const { rows } = await sql<Refund>`select ${REFUND_COLUMNS} from payment_refunds r where r.id = ${id}`.execute(db)
  return rows[0]
}

/** A page of all refunds of a merchant, by id. */
export const refundsById = async (
  db: Db,
  merchantId: string,
  { after, before, limit }: KeyedPage,
): Promise<Refund[]> => {
  const { rows } = await sql<Refund>`select ${REFUND_COLUMNS} from payment_refunds r
    where r.merchant_id = ${merchantId} and r.id > ${after} and r.created_at < ${before}
    order by r.id limit ${limit}`.execute(db)
  return rows
}

/** Counts the other refunds of its payment that have the same amount as a refund: the refused ones, and all others. */
export const countSameAmount = async (
  db: Db,
  { merchantId, id, paymentId, units }: Refund,
): Promise<{ refused: number; others: number }> => {
  const { rows } = await sql<{ refused: number; others: number }>`select
      count(*) filter (where state = 'refused') as refused, count(*) filter (where state <> 'refused') as others
    from payment_refunds
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and units = ${units} and id <> ${id}`.execute(db)
  return rows[0]!
}

/** The refunds of these payments of a merchant, oldest first. */
export const refundsOf = async (db: Db, merchantId: string, paymentIds: readonly string[]): Promise<Refund[]> => {
  const { rows } = await sql<Refund>`select ${REFUND_COLUMNS} from payment_refunds r
    where r.merchant_id = ${merchantId} and r.payment_id = any(${[...paymentIds]}::uuid[])
    order by r.created_at, r.id`.execute(db)
  return rows
}

/** Returns the refunded total of a payment, in minor units, without refunds that have not ended. */
export const givenBackOf = async (db: Db | Tx, merchantId: string, paymentId: string): Promise<bigint> => {
  const { rows } = await sql<{ units: bigint }>`select coalesce(sum(units), 0) as units from payment_refunds
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and state = 'done'`.execute(db)
  return rows[0]!.units
}

/** Whether a payment has a refund that was sent to the acquirer and has not ended. */
export const hasOpenRefund = async (
  tx: Tx,
  { merchantId, id }: Pick<Payment, 'merchantId' | 'id'>,
): Promise<boolean> => {
  const { rows } = await sql`select from payment_refunds where merchant_id = ${merchantId} and payment_id = ${id}
    and state in ('requested', 'asked') limit 1`.execute(tx)
  return rows.length > 0
}

export const claimRefunds = async (db: Db, at: Date, leaseMs: number, most: number): Promise<Refund[]> => {
  const until = new Date(at.getTime() + leaseMs)
  const { rows } = await sql<Refund>`with due as (
      select merchant_id, id from payment_refunds where next_step_at <= ${at} order by next_step_at limit ${most} for update skip locked)
    update payment_refunds r set next_step_at = ${until}, epoch = r.epoch + 1 from due
    where r.merchant_id = due.merchant_id and r.id = due.id returning ${REFUND_COLUMNS}`.execute(db)
  return rows
}

/** Sets when a claimed refund is processed next. Does nothing when the claim has passed to another worker. */
export const refundAgainAt = async (db: Db | Tx, { merchantId, id, epoch }: Refund, next: Date): Promise<void> => {
  await sql`update payment_refunds set next_step_at = ${next} where merchant_id = ${merchantId} and id = ${id} and epoch = ${epoch}`.execute(
    db,
  )
}

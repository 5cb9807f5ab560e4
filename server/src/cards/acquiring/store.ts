import { sql } from 'kysely'
import type { PaymentPage } from '../../adapters/acquirers/port.ts'
import { moveOf } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { KeyedPage } from '../../platform/lists/keyed.ts'
import { paymentMoves, type PaymentEvent, type PaymentState } from './machine.ts'
import type { Payment, SuspendedFor } from './payment.ts'

export const PAYMENT_COLUMNS =
  sql.raw(`p.merchant_id as "merchantId", p.id, p.invoice_id as "invoiceId", p.acquirer, p.tried,
  p.ticker, p.units, p.description, p.email, p.language, p.return_url as "returnUrl", p.expires_at as "expiresAt", p.state,
  p.page::jsonb as page, p.acquirer_reference as "acquirerReference", p.paid_ticker as "paidTicker", p.paid_units as "paidUnits",
  p.cost_units as "costUnits", p.fee_units as fee, p.masked_card as "maskedCard", p.refusal_code as "refusalCode",
  p.refusal_message as "refusalMessage", p.suspended_for as "suspendedFor", p.refunded_units as "refundedUnits",
  p.called_at as "calledAt", p.watched_until as "watchedUntil", p.dispute_hold_id as "disputeHoldId", p.dispute_units as "disputeUnits", p.asked,
  p.epoch, p.created_at as "createdAt"`)

export const insertPayment = async (tx: Tx, payment: Payment): Promise<void> => {
  const {
    merchantId,
    id,
    invoiceId,
    acquirer,
    tried,
    ticker,
    units,
    description,
    email,
    language,
    returnUrl,
    expiresAt,
  } = payment
  const { state, createdAt } = payment
  await sql`insert into payments(merchant_id, id, invoice_id, acquirer, tried, ticker, units, description, email, language,
      return_url, expires_at, state, next_step_at, created_at, updated_at)
    values (${merchantId}, ${id}, ${invoiceId}, ${acquirer}, ${tried}, ${ticker}, ${units}, ${description}, ${email}, ${language},
      ${returnUrl}, ${expiresAt}, ${state}, ${createdAt}, ${createdAt}, ${createdAt})`.execute(tx)
}

/** Fields that a move sets on a payment; absent ones stay unchanged. */
export interface Learned {
  page?: Omit<PaymentPage, 'acquirerReference'>
  acquirerReference?: string | undefined
  paidTicker?: string
  paidUnits?: bigint
  costUnits?: bigint
  fee?: bigint
  maskedCard?: string | undefined
  refusalCode?: string
  refusalMessage?: string
  suspendedFor?: SuspendedFor | null
  disputeHoldId?: string
  disputeUnits?: bigint
}

/**
 * Moves a payment from the state it was read in, by compare-and-set; undefined when its state machine has no such move
 * or the payment's state has changed.
 * @param next when it is processed again; null: not until the acquirer calls
 * @param calledAt when the acquirer called with a contradiction of the new state; null: it did not
 */
export const movePayment = async (
  tx: Tx,
  payment: Pick<Payment, 'merchantId' | 'id' | 'state'>,
  event: PaymentEvent,
  learned: Learned,
  { at, next, calledAt = null }: { at: Date; next: Date | null; calledAt?: Date | null },
): Promise<Payment | undefined> => {
  const move = moveOf(paymentMoves, payment.state, event)
  if (!move) return undefined
  const { rows } =
    await sql<Payment>`update payments p set state = ${move.to}, updated_at = ${at}, next_step_at = ${next}, asked = 0, called_at = ${calledAt},
      dispute_hold_id = coalesce(${learned.disputeHoldId ?? null}, dispute_hold_id),
      dispute_units = coalesce(${learned.disputeUnits ?? null}, dispute_units),
      page = coalesce(${learned.page ? JSON.stringify(learned.page) : null}::text, page),
      acquirer_reference = coalesce(${learned.acquirerReference ?? null}, acquirer_reference),
      paid_ticker = coalesce(${learned.paidTicker ?? null}, paid_ticker),
      paid_units = coalesce(${learned.paidUnits ?? null}, paid_units),
      cost_units = coalesce(${learned.costUnits ?? null}, cost_units),
      fee_units = coalesce(${learned.fee ?? null}, fee_units),
      masked_card = coalesce(${learned.maskedCard ?? null}, masked_card),
      refusal_code = coalesce(${learned.refusalCode ?? null}, refusal_code),
      refusal_message = coalesce(${learned.refusalMessage ?? null}, refusal_message),
      suspended_for = ${learned.suspendedFor === undefined ? sql`suspended_for` : learned.suspendedFor}
    where merchant_id = ${payment.merchantId} and id = ${payment.id} and state = ${payment.state}
    returning ${PAYMENT_COLUMNS}`.execute(tx)
  return rows[0]
}

export const lockPayment = async (tx: Tx, id: string): Promise<Payment | undefined> => {
  const { rows } = await sql<Payment>`select ${PAYMENT_COLUMNS} from payments p where p.id = ${id} for update`.execute(
    tx,
  )
  return rows[0]
}

export const findPayment = async (db: Db | Tx, id: string): Promise<Payment | undefined> => {
  const { rows } = await sql<Payment>`select ${PAYMENT_COLUMNS} from payments p where p.id = ${id}`.execute(db)
  return rows[0]
}

/** Returns the payments of an invoice, oldest first. */
export const paymentsOf = async (db: Db | Tx, merchantId: string, invoiceId: string): Promise<Payment[]> => {
  const { rows } = await sql<Payment>`select ${PAYMENT_COLUMNS} from payments p
    where p.merchant_id = ${merchantId} and p.invoice_id = ${invoiceId} order by p.created_at, p.id`.execute(db)
  return rows
}

/** A page of all payments of a merchant, by id. */
export const paymentsById = async (
  db: Db,
  merchantId: string,
  { after, before, limit }: KeyedPage,
): Promise<Payment[]> => {
  const { rows } = await sql<Payment>`select ${PAYMENT_COLUMNS} from payments p
    where p.merchant_id = ${merchantId} and p.id > ${after} and p.created_at < ${before}
    order by p.id limit ${limit}`.execute(db)
  return rows
}

/** States of payments whose payer paid, whatever came of it. */
const PAID: readonly PaymentState[] = ['reported', 'credited', 'suspended', 'disputed', 'reversed']

/** Returns payments of an invoice, paid ones first, and then the newer first. A payer may try as often as they like. */
export const newestPaymentsOf = async (
  db: Db,
  merchantId: string,
  invoiceId: string,
  most: number,
): Promise<Payment[]> => {
  const { rows } = await sql<Payment>`select ${PAYMENT_COLUMNS} from payments p
    where p.merchant_id = ${merchantId} and p.invoice_id = ${invoiceId}
    order by p.state = any(${[...PAID]}::text[]) desc, p.created_at desc, p.id desc limit ${most}`.execute(db)
  return rows
}

/**
 * Which payments a job claims: those that an account does not have yet or all its others, or those of accounts that are
 * not configured.
 */
export type PaymentLine = { acquirer: string; isPlanned: boolean } | { noneOf: readonly string[] }

/** Claims payments whose next step is due, for `leaseMs`; no other worker claims them meanwhile. */
export const claimPayments = async (
  db: Db,
  line: PaymentLine,
  at: Date,
  leaseMs: number,
  most: number,
): Promise<Payment[]> => {
  const until = new Date(at.getTime() + leaseMs)
  const which =
    'noneOf' in line
      ? sql`acquirer <> all(${[...line.noneOf]}::text[])`
      : sql`acquirer = ${line.acquirer} and (state = 'planned') = ${line.isPlanned}`
  const { rows } = await sql<Payment>`with due as (
      select merchant_id, id from payments where next_step_at <= ${at} and ${which} order by next_step_at limit ${most} for update skip locked)
    update payments p set next_step_at = ${until}, epoch = p.epoch + 1 from due
    where p.merchant_id = due.merchant_id and p.id = due.id returning ${PAYMENT_COLUMNS}`.execute(db)
  return rows
}

/**
 * Sets when a claimed payment is queried next, and counts the query. Does nothing when the claim has passed to another
 * worker.
 * @param isConfirmed the acquirer has confirmed the content of its callback
 */
export const askAgainAt = async (
  db: Db | Tx,
  { merchantId, id, epoch }: Payment,
  next: Date | null,
  isConfirmed = false,
): Promise<void> => {
  await sql`update payments set next_step_at = ${next}, asked = asked + 1, called_at = case when ${isConfirmed} then null else called_at end
    where merchant_id = ${merchantId} and id = ${id} and epoch = ${epoch}`.execute(db)
}

/**
 * Schedules an immediate query of a payment, whichever worker has claimed it. False when this acquirer has no payment
 * of this reference.
 * @param contradicts true: the callback contradicts the payment's state, which is queried until that is confirmed
 * @param next the latest time of the query, when there were too many callbacks to query at once
 */
export const wakePayment = async (
  tx: Tx,
  acquirer: string,
  id: string,
  at: Date,
  contradicts = false,
  next: Date | null = null,
): Promise<boolean> => {
  const { rows } =
    await sql`update payments set next_step_at = least(next_step_at, ${next ?? at}::timestamptz), asked = ${next === null ? 0 : sql`asked`}, epoch = epoch + 1,
      called_at = case when ${contradicts} then ${at} else called_at end
    where id = ${id} and acquirer = ${acquirer} returning 1`.execute(tx)
  return rows.length === 1
}

/**
 * Schedules queries, now and until the given time, of the returned sum of a posted payment, because a refund of it
 * ended as not made or by an operator's decision.
 */
export const watchPayment = async (
  tx: Tx,
  { merchantId, id }: Pick<Payment, 'merchantId' | 'id'>,
  until: Date,
  at: Date,
): Promise<void> => {
  await sql`update payments set next_step_at = ${at}, asked = 0, epoch = epoch + 1, watched_until = greatest(watched_until, ${until})
    where merchant_id = ${merchantId} and id = ${id}`.execute(tx)
}

/** Sets the acquirer's own number of a payment, by which it is queried. */
export const setAcquirerReference = async (
  tx: Tx,
  { merchantId, id }: Payment,
  acquirerReference: string,
): Promise<void> => {
  await sql`update payments set acquirer_reference = ${acquirerReference} where merchant_id = ${merchantId} and id = ${id}`.execute(
    tx,
  )
}

/** Corrects the acquirer's fee of a payment. */
export const setCost = async (tx: Tx, { merchantId, id }: Payment, costUnits: bigint, at: Date): Promise<void> => {
  await sql`update payments set cost_units = ${costUnits}, updated_at = ${at} where merchant_id = ${merchantId} and id = ${id}`.execute(
    tx,
  )
}

import { sql } from 'kysely'
import type { AcquirerState } from '../../adapters/acquirers/port.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { AttemptState } from './machine.ts'
import type { Attempt } from './payout.ts'

const ATTEMPT =
  sql.raw(`a.reference, a.merchant_id as "merchantId", a.payout_id as "payoutId", a.part_id as "partId", a.account, a.state,
  a.asks, a.epoch, a.sent_at as "sentAt", a.called_at as "calledAt"`)

/** Stores an order before its acquirer is called. No job queries it before `nextAskAt`. */
export const insertAttempt = async (tx: Tx, attempt: Attempt, nextAskAt: Date): Promise<void> => {
  await sql`insert into card_payout_attempts(reference, merchant_id, payout_id, part_id, account, state, next_ask_at, sent_at)
    values (${attempt.reference}, ${attempt.merchantId}, ${attempt.payoutId}, ${attempt.partId}, ${attempt.account}, 'open', ${nextAskAt},
      ${attempt.sentAt})`.execute(tx)
}

export const findAttempt = async (db: Db | Tx, reference: string): Promise<Attempt | undefined> => {
  const { rows } =
    await sql<Attempt>`select ${ATTEMPT} from card_payout_attempts a where a.reference = ${reference}`.execute(db)
  return rows[0]
}

export const attemptsOf = async (db: Db | Tx, partId: string): Promise<Attempt[]> => {
  const { rows } =
    await sql<Attempt>`select ${ATTEMPT} from card_payout_attempts a where a.part_id = ${partId} order by a.sent_at`.execute(
      db,
    )
  return rows
}

/** The report of an acquirer about an order, as it is stored. Units are the ticker's. */
export interface Ending {
  acquirerReference?: string | undefined
  feeUnits?: bigint | undefined
  code?: string
  message?: string
}

const MOST_TEXT = 500

/**
 * Moves an order from one state to another, by compare-and-set; false when its state has changed. When it is queried
 * next does not change: a callback may have come since its state was queried, and `askAgainAt` knows.
 */
export const moveAttempt = async (
  tx: Tx,
  { reference }: Attempt,
  from: AttemptState,
  state: AttemptState,
  at: Date,
  { acquirerReference, feeUnits, code, message }: Ending = {},
): Promise<boolean> => {
  const { rows } = await sql`update card_payout_attempts set state = ${state}, ended_at = ${at},
      called_at = case when ${state}::text = 'succeeded' then called_at end,
      acquirer_reference = coalesce(${acquirerReference ?? null}, acquirer_reference),
      acquirer_fee_units = coalesce(${feeUnits ?? null}, acquirer_fee_units),
      code = coalesce(${code?.slice(0, MOST_TEXT) ?? null}, code), message = coalesce(${message?.slice(0, MOST_TEXT) ?? null}, message)
    where reference = ${reference} and state = ${from} returning 1`.execute(tx)
  return rows.length === 1
}

/** Returns the acquirer's fee, null while it is unknown. */
export const postedFeeOf = async (tx: Tx, { reference }: Attempt): Promise<bigint | null> => {
  const { rows } = await sql<{ fee: bigint | null }>`select acquirer_fee_units as fee from card_payout_attempts
    where reference = ${reference} for update`.execute(tx)
  return rows[0]?.fee ?? null
}

/** Claims orders of one account whose query is due, for `leaseMs`; no other worker claims them meanwhile. */
export const claimAsks = async (
  db: Db,
  account: string,
  at: Date,
  leaseMs: number,
  most: number,
): Promise<Attempt[]> => {
  const until = new Date(at.getTime() + leaseMs)
  const { rows } = await sql<Attempt>`with due as (
      select reference from card_payout_attempts where account = ${account} and next_ask_at <= ${at}
      order by next_ask_at limit ${most} for update skip locked)
    update card_payout_attempts a set next_ask_at = ${until}, epoch = a.epoch + 1, asks = a.asks + 1 from due where a.reference = due.reference
    returning ${ATTEMPT}`.execute(db)
  return rows
}

/**
 * Sets when an order is queried next, null for never. Does nothing when another worker has claimed it or `wake` was
 * called.
 */
export const askAgainAt = async (db: Db | Tx, { reference, epoch }: Attempt, next: Date | null): Promise<void> => {
  await sql`update card_payout_attempts set next_ask_at = ${next} where reference = ${reference} and epoch = ${epoch}`.execute(
    db,
  )
}

/**
 * Schedules an immediate query of an order; false when the account has no such order. A query that is running now can't
 * postpone it.
 * @param said the outcome in the callback, if any: a contradiction of the order's end, or a return of money before the
 *   order is known to be paid, is queried until it is confirmed
 * @param next the latest time of the query, when it must not run now
 */
export const wake = async (
  db: Db | Tx,
  { reference, account, said }: { reference: string; account: string; said: AcquirerState['kind'] },
  at: Date,
  next: Date = at,
): Promise<boolean> => {
  const contradicted = [
    ...(said === 'reversed' || said === 'refused' ? ['succeeded'] : []),
    ...(said === 'reversed' ? ['open'] : []),
    ...(said === 'succeeded' ? ['unsent', 'refused', 'reversed'] : []),
  ]
  const { rows } =
    await sql`update card_payout_attempts set next_ask_at = least(next_ask_at, ${next}::timestamptz), epoch = epoch + 1,
      called_at = case when state = any(${contradicted}::text[]) then ${at} else called_at end
    where reference = ${reference} and account = ${account} returning 1`.execute(db)
  return rows.length === 1
}

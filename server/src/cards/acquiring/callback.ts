import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { AcquirerState, RawCallback } from '../../adapters/acquirers/port.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { moveOf } from '../../platform/base/moves.ts'
import { makesWork, type Db, type Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { raiseOrRenewAlert } from '../../platform/runtime/alerts.ts'
import { paymentMoves } from './machine.ts'
import type { Payment, PaymentSubscriber } from './payment.ts'
import { lockPayment, movePayment, setAcquirerReference, wakePayment } from './store.ts'

/** A callback with a valid signature. It is only a hint: nothing is posted until the acquirer has been queried (F1). */
export interface ReadCallback {
  acquirer: string
  reference: string
  state: AcquirerState
  /** the latest time to query its object; set when there were too many callbacks about it to query at once */
  lookAt?: Date
}

/**
 * Called for a callback by each module that has its own references at acquirers, such as payouts. Schedules a query of
 * the object.
 * @returns undefined when the reference is not the module's
 */
export type CallbackSubscriber = (tx: Tx, heard: ReadCallback, moment: Moment) => Promise<Effects | undefined>

export const digestOf = ({ url, body }: RawCallback): Buffer =>
  createHash('sha256').update(url).update('\n').update(body).digest()

/**
 * The most callbacks stored for one order. Later ones only cause a query within a minute. Some acquirers do not sign
 * the whole callback, so a payer who sees one can repeat it with different bytes endlessly; this bounds the queries.
 */
const MOST_STORED = 100
const MANY_LOOK_MS = 60_000

/**
 * Stores a signed callback and schedules an immediate query of its object. A repetition of the same bytes is only
 * counted (F3).
 */
export const hearCallback = async (
  tx: Tx,
  { heard, digest }: { heard: ReadCallback; digest: Buffer },
  subscribers: readonly CallbackSubscriber[],
  moment: Moment,
): Promise<Effects> => {
  const { acquirer, reference, state } = heard
  const { rows } = await sql<{
    times: number
  }>`insert into acquirer_callbacks(acquirer, digest, reference, state, received_at)
    select ${acquirer}, ${digest}, ${reference.slice(0, 200)}, ${jsonOf(state)}::jsonb, ${moment.at}
    where (select count(*) from (select from acquirer_callbacks where acquirer = ${acquirer} and reference = ${reference.slice(0, 200)} limit ${MOST_STORED}) stored) < ${MOST_STORED}
    on conflict (acquirer, digest) do update set times = acquirer_callbacks.times + 1 returning times`.execute(tx)
  if ((rows[0]?.times ?? 1) > 1) return noEffects
  makesWork(tx)
  if (isUuid(reference)) {
    const heardSo = rows[0] ? heard : { ...heard, lookAt: new Date(moment.at.getTime() + MANY_LOOK_MS) }
    for (const subscriber of subscribers) {
      const effects = await subscriber(tx, heardSo, moment)
      if (effects) return effects
    }
  }
  const text = `${acquirer} sent a callback about ${JSON.stringify(reference.slice(0, 64))}, which is no order of this installation: is its account shared with another system?`
  await raiseOrRenewAlert(tx, { kind: 'callback-unknown', subject: acquirer, text }, moment)
  return noEffects
}

const jsonOf = (state: AcquirerState): string =>
  JSON.stringify(state, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))

/**
 * Handles callbacks about payments. One that reports exactly the ordered amount as paid is passed to the subscriber
 * before it is confirmed.
 */
export const createCallbackHandler =
  (subscriber: PaymentSubscriber): CallbackSubscriber =>
  async (tx, { acquirer, reference, state, lookAt = null }, moment) => {
    const payment = await lockPayment(tx, reference)
    if (!payment || payment.acquirer !== acquirer) return undefined
    if (state.kind === 'succeeded' && takesMoney(payment))
      await setAcquirerReference(tx, payment, state.acquirerReference)
    const matches = state.kind === 'succeeded' && state.ticker === payment.ticker && state.units === payment.units
    const reported = matches
      ? await movePayment(tx, payment, 'reported', {}, { at: moment.at, next: moment.at })
      : undefined
    await wakePayment(tx, acquirer, reference, moment.at, contradicts(payment, state), lookAt)
    return reported ? subscriber.reported(tx, reported, moment) : noEffects
  }

/**
 * Whether money of a payment can still be posted. Then it is queried by the number that the newest report of money
 * names. Another card on Freedom Pay's page is another payment of the order, with a number of its own. A query by the
 * number of the refused card does not find it, and one by the order finds its newest operation, which is a refund if
 * there is one (rows of docs/dialects.md).
 */
const takesMoney = ({ state }: Payment): boolean => moveOf(paymentMoves, state, 'suspended') !== undefined

/** Whether a callback contradicts the state in which a payment has ended. */
const contradicts = ({ state, refundedUnits }: Payment, said: AcquirerState): boolean => {
  switch (state) {
    case 'refused':
    case 'not-taken':
    case 'expired':
      return said.kind === 'succeeded'
    case 'reversed':
      return said.kind === 'succeeded' && (said.backUnits ?? 0n) < said.units
    case 'credited':
    case 'suspended':
      return (
        said.kind === 'refused' ||
        said.kind === 'reversed' ||
        (said.kind === 'succeeded' && (said.backUnits ?? 0n) > refundedUnits)
      )
    default:
      return false
  }
}

const RETENTION_MS = 90 * 86_400_000

/** Deletes callbacks that are older than any repetition by an acquirer. */
export const forgetOldCallbacks = async (db: Db, at: Date): Promise<void> => {
  await sql`delete from acquirer_callbacks where received_at < ${new Date(at.getTime() - RETENTION_MS)}`.execute(db)
}

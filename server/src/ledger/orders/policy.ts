/** The merchant's own policy for orders of the signed API that pay money out. */
import { apply, type Committer } from '../postings/index.ts'
import { noEffects } from '../effects/index.ts'
import type { ApiAnswer } from '../../platform/api/route.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { placeDecided, type RequestIdentity } from './deciding.ts'
import { itemOf, placeOrder, type NewOrder } from './placing.ts'

/** A payment of an order. */
export interface OrderedPayment {
  merchantId: string
  asset: { ticker: string; scale: number }
  /** that the receiver gets, in ledger units */
  units: bigint
  /** in canonical form; null: a card */
  to: { network: string; address: string } | null
}

/**
 * Judges orders by the policy of their merchant, in the transaction that places them. `check` and `record` follow a
 * `lock` of the merchant, so that two orders are never judged by the same sums.
 */
export interface OrderPolicy {
  /** Whether the policy limits orders of the API of a merchant; at most half a second old, like stops. */
  isLimited(merchantId: string): Promise<boolean>
  lock(tx: Tx, merchantId: string): Promise<void>
  /** @throws ApiRefusal when the policy does not allow the payment now */
  check(tx: Tx, payment: OrderedPayment): Promise<void>
  /** Counts a payment whose order is placed. */
  record(tx: Tx, payment: OrderedPayment): Promise<void>
}

export interface PayoutPlacing {
  runtime: Runtime
  committer: Pick<Committer, 'submit'>
  orderPolicy: OrderPolicy
}

/**
 * Places an order of a payout whose price is known. Without a policy that limits it, it shares a transaction with
 * concurrent orders, as `placeOrder`; else it has its own, because it waits for the other payouts of its merchant.
 * @throws ApiRefusal
 */
export const placePayout = async (
  { runtime, committer, orderPolicy }: PayoutPlacing,
  request: RequestIdentity,
  order: NewOrder,
  payment: OrderedPayment,
): Promise<ApiAnswer> => {
  const { merchantId, answerKeys } = request
  if (!(await orderPolicy.isLimited(merchantId))) return placeOrder(committer, answerKeys, order)
  const [placed] = await placeDecided(runtime, [request], async (tx) => {
    await orderPolicy.lock(tx, merchantId)
    await orderPolicy.check(tx, payment)
    const [outcome] = await apply(tx, [itemOf(order, answerKeys)])
    if (outcome!.kind === 'applied') await orderPolicy.record(tx, payment)
    return [{ order, outcome: outcome!, effects: noEffects }]
  })
  if ('error' in placed!) throw placed.error
  return placed!.answer
}

/** Judges and counts a payment in the transaction of its order. @throws ApiRefusal: roll back */
export type Charge = (tx: Tx, payment: OrderedPayment) => Promise<void>

/**
 * Locks the merchant if its policy limits the API, and returns the function that judges its payment; undefined: the
 * order is free. Call it at the beginning of the transaction, before rows of the ledger are locked.
 */
export const chargeUnder = async (
  policy: OrderPolicy,
  isLimited: boolean,
  tx: Tx,
  merchantId: string,
): Promise<Charge | undefined> => {
  if (!isLimited) return undefined
  await policy.lock(tx, merchantId)
  return async (within, payment) => {
    await policy.check(within, payment)
    await policy.record(within, payment)
  }
}

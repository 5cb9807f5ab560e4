/**
 * Withdrawals to chain addresses. Guarantees:
 * - amount and fee are held before the request is answered;
 * - one request makes at most one payment;
 * - Failed is sent only after proof that the payment did not happen and can't happen; the money is back on the balance
 *   then;
 * - Done is sent at most once. Failed may follow it: after a reorganisation, if the transaction is mined again without
 *   effect.
 */
export { askWithdrawal, createPricer } from './placing.ts'
export type { Asked, Priced } from './placing.ts'
export { attachSigned } from './attaching.ts'
export type { Attached } from './attaching.ts'
export { decideRepeat, holdWaitingRepeats, listRepeats } from './lost-repeats.ts'
export type { HeldRepeat } from './lost-repeats.ts'
export { acceptLost, listLost, paidIntents, recordLost, reportLost, resolveLost } from './lost-payments.ts'
export type { LostPayment } from './lost-payments.ts'

export { approve, attach, halt, haltWaiting, resume } from './commands.ts'

export type { Ended, WithdrawalSubscriber } from './commands.ts'
export { waitingPayments } from './bitcoin-batch.ts'
export { createClosedJob, giveBack } from './refusals.ts'

export { checkDestination } from './request.ts'
export {
  createBitcoinPayoutJob,
  createEvmPayoutJob,
  createFeeRateJob,
  createInternalDeliveryJob,
  createTronPayoutJob,
  payoutJob,
} from './jobs.ts'
export { createGasReader } from './terms.ts'
export { createDrainJob } from './jobs-drain.ts'
export { createRebalanceJob } from './rebalancing.ts'
export { intentIdOf, intentOfOrder, nextIntentOf } from './placing.ts'

export { newWithdrawal, orderOf, readPlace } from './placing.ts'
export type { PlacingDeps } from './placing.ts'
export { createWithdrawalFinder, lookupBodies } from './notice.ts'
export { listWithdrawals, type WithdrawalFilter } from './listing.ts'
export { withdrawalRoutes } from './routes.ts'
export { withdrawalListRoute } from './routes-listing.ts'

export { checkWithdrawable, currentFee, readAmount, readAsset } from './request.ts'
export type { Rules } from './request.ts'
export type { PaymentGas } from './terms.ts'
export { createTermsReader, networkCost } from './terms.ts'
export type { Terms } from './terms.ts'
export { spendableSun } from './jobs-tron.ts'
export { storeSignerLimits } from './limits.ts'
export type { SignerLimit } from './limits.ts'
export { checkLargest, withinLimits } from './limits.ts'
export { holdBack } from './refusals.ts'
export { createSettlement } from './settlement.ts'
export { gasRateOf, MOST_GAS, PLAIN_GAS } from './payouts.ts'
export type { EvmPayoutDeps, GasRate, PayFromDeposits, PayoutDeps, TronPayoutDeps } from './payouts.ts'
export { carriesStopped, countStopped } from './stopping.ts'
export { approvalsOf, carriedBy, findById, findWaitingByIntents, haltedOf, senderIntentOf } from './store.ts'
export { createAddressHolders } from './placing.ts'
export type { AddressHolders } from './placing.ts'
export type { Place, Withdrawal } from './withdrawal.ts'

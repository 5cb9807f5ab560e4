/**
 * Our own chain transactions, from plan to final block. Guarantees:
 * - signed bytes are stored before a node gets them;
 * - a replacement spends the same coins or nonce, so that at most one attempt is ever mined;
 * - a transaction that is not mined is broadcast again until it is mined or can never be mined;
 * - for each change of a transaction's state, the modules whose payments are in the transaction (withdrawals, sweeps)
 *   are called, in the database transaction that makes the change.
 */
export { adoptSigned, readForm } from './adopting.ts'
export type { SignedForm } from './adopting.ts'
export { planBitcoinPayout, planConsolidation, spendable } from './bitcoin-plan.ts'
export type { BitcoinPlan, ConsolidationPlan } from './bitcoin-plan.ts'
export { outpointsOf, vsizeOf } from './bitcoin-bump.ts'
export { anyChange, knowChange, takeChange } from './change.ts'
export type { ChangeKey } from './change.ts'
export { coinUnderWay } from './coin-under-way.ts'
export { coldPayers, isOpenToFirstSeed, largestReserved, leftUnderFirstSeed, unspentAt } from './coin-queries.ts'
export { reserveCoins, reserveUnconfirmed, spendableCoins, sweepableCoins } from './coins.ts'
export type { OwnCoin } from './coins.ts'
export { insertPlanned, recordSuperseded } from './commands.ts'
export type { NewOutgoing } from './commands.ts'
export { addressWithoutHistory, paymentCall, planEvm, planOf, planOfDraft } from './evm-plan.ts'
export type { EvmCall, EvmPlan } from './evm-plan.ts'
export { feeInLedgerUnits, nativeLedgerUnits, ownCosts } from './costs.ts'
export { createTransactionSubscriber, MINED_CHANNEL } from './subscriber.ts'
export { createSendingJob, sendingJob } from './jobs.ts'
export { createRefusalJob } from './jobs-refused.ts'
export { createLostJob } from './jobs-lost.ts'
export type { PausePoint, SendingDeps, SigningPurpose } from './sending.ts'
export { createSupersededJob } from './jobs-superseded.ts'
export { isNonceSound } from './jobs-nonces.ts'
export { currentState } from './jobs-state.ts'
export { lostSenders } from './lost.ts'

export {
  gapsOf,
  isContested,
  lockNextNonce,
  nonceAhead,
  skipUsed,
  takeExpected,
  takeFreed,
  takeNonce,
} from './nonces.ts'
export { leavingFrom } from './leaving.ts'
export { isPlannedStill, lockPlanned, readPlanned, readPlannedAmong } from './planned.ts'
export { insertOffered, readOffered, recordImported, withdrawOffer, yieldCoins } from './offers.ts'
export { DEFAULT_BITCOIN_POLICY, DEFAULT_POLICY, DEFAULT_TRON_POLICY, sendingPolicyOf, sendingShape } from './policy.ts'
export type { SendingPolicy } from './policy.ts'
export { acceptLog, createLogMemory, readLogEnd } from './signer-log.ts'
export { alertOf, classOf, pauseAfter } from './refusals.ts'
export {
  appearanceOf,
  appearancesOf,
  countTronPayouts,
  finalUserOfNonce,
  isAnyPaying,
  isPayingFrom,
  isSending,
  isSendingFrom,
  loadOf,
  loadsOf,
  paidBy,
  payoutsAmong,
  refusedPayouts,
  sendingAmong,
  transactionsOfHash,
  tronFeesUnderWay,
  unsignedOf,
  wasRefusedSince,
} from './queries.ts'
export type { Load } from './queries.ts'
export { attemptsOf, isUnderWay, lockOutgoing, oursAmong, plannedAmong, rawOf } from './store.ts'
export { tronCommitted } from './tron-committed.ts'
export type { TronCommitted } from './tron-committed.ts'
export { recentReference } from './jobs-head.ts'
export {
  LIFETIME_MS as TRON_LIFETIME_MS,
  contractCallPaying,
  inPayableForm,
  planTron,
  tronContractOf,
  tronPayment,
} from './tron-plan.ts'
export type { TronPlan } from './tron-plan.ts'
export type { Attempt, Outgoing, OutgoingChange, OutgoingSubscriber, Purpose } from './transaction.ts'
export { bitcoinHotAddress, bitcoinKey, evmHotAddress, evmHotKeys, evmTreasuries, tronHotAddress } from './wallet.ts'
export { WALLET_SHAPE } from './wallet.ts'
export type { HotKey, WalletKeys } from './wallet.ts'
export { ensureWallets, requireNextKeys, requireSameKeys } from './wallets.ts'

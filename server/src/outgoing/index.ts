/**
 * Chain transactions of ours, from plan to final block. Promises that signed bytes are stored before a node sees them,
 * that a replacement spends the same coins or nonce so at most one attempt is ever mined, that what is not mined is sent
 * again for ever, and that whoever has money in a transaction is told each of its moves in the transaction that makes it.
 */
export { planBitcoinPayout } from './bitcoin-plan.ts'
export type { BitcoinPlan } from './bitcoin-plan.ts'
export { reserveCoins, spendableCoins } from './coins.ts'
export type { OwnCoin } from './coins.ts'
export { insertPlanned } from './commands.ts'
export type { NewOutgoing } from './commands.ts'
export { paymentCall, planEvm } from './evm-plan.ts'
export type { EvmCall } from './evm-plan.ts'
export { feeInLedgerUnits, ownCosts } from './costs.ts'
export { createFollowing } from './following.ts'
export { createSendingJob } from './jobs.ts'
export type { PausePoint, SendingDeps, SigningPurpose } from './sending.ts'
export { outgoingMoves } from './machine.ts'
export { takeNonce } from './nonces.ts'
export { insertOffered, readOffered, recordImported, withdrawOffer, yieldCoins } from './offers.ts'
export { DEFAULT_BITCOIN_POLICY, DEFAULT_POLICY, DEFAULT_TRON_POLICY } from './policy.ts'
export type { SendingPolicy } from './policy.ts'
export { oursAmong } from './store.ts'
export { planTron, tronContractOf, tronPayment } from './tron-plan.ts'
export type { TronPlan } from './tron-plan.ts'
export type { Attempt, Outgoing, OutgoingChange, OutgoingSubscriber, Purpose } from './transaction.ts'
export { bitcoinHotAddress, bitcoinKey, evmHotAddress, tronHotAddress } from './wallet.ts'
export type { WalletKeys } from './wallet.ts'
export { ensureWallets } from './wallets.ts'

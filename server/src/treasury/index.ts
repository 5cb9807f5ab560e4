/**
 * The house's money: what reaches its wallets, and whether the books and the chains agree. Promises that money from outside
 * is booked once and only when final, and that a shortage stops withdrawals of that asset.
 */
export { freeze, liftFreeze, listFreezes } from './freezes.ts'
export type { Freeze } from './freezes.ts'
export { createFunding, grantCapital } from './funding.ts'
export { auditBooks, createReconcileJob, createSealJob, reconcileNetwork } from './jobs.ts'
export type { CustodyLine } from './reconcile.ts'

/**
 * Debts of merchants. A debt arises when a credit is reversed after the merchant has spent the money. Guarantees that a
 * debt is repaid once, from later credits before they reach the balance, and that the merchant's withdrawals are
 * stopped until it is repaid (`contract.md` 19 #14).
 */
export { stopDebtors, lockAvailable, lockDebts, pairText, liftDebtorStops } from './commands.ts'
export type { Pair } from './commands.ts'

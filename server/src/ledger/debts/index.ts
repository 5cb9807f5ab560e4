/**
 * Debts of merchants: money was taken back after they had spent it. Guarantees that a debt is repaid once, first from
 * later credits, and that withdrawals of a merchant with a debt are stopped until it is repaid (`contract.md` 19 #14).
 */
export { freezeDebtors, lockAvailable, lockDebts, pairText, unfreezeDebtors } from './commands.ts'
export type { Pair } from './commands.ts'

/**
 * What merchants owe after money was taken back that they had spent. Promises that a debt is repaid once, first from
 * later credits, and that withdrawals of a merchant that owes stop until it owes nothing (`contract.md` 19 #14).
 */
export { freezeDebtors, lockAvailable, lockDebts, pairText, unfreezeDebtors } from './commands.ts'
export type { Pair } from './commands.ts'

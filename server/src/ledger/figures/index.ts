/**
 * Figures of days, counted from the ledger, for charts and monthly statements. Guarantees:
 * - each entry of a merchant's balance is counted once, in the order of its account, some seconds after it is posted;
 * - a day begins with its first entry in that order, as in statements;
 * - reading them costs a number of rows that depends on the days and assets, not on the number of entries.
 */
export { createFigureJob } from './jobs.ts'
export { creditsOf, dailyBalancesOf, receivedOf } from './queries.ts'

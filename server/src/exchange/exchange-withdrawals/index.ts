/**
 * Exchanging and sending what was bought, as one. Promises that both are made in one transaction or neither is; that
 * the merchant is notified Exchanged, and then Done or Failed, and of nothing else; and that when the sending fails
 * what was bought is on the balance.
 */
export { exchangeAndSend, sendOnAsWhole } from './commands.ts'

export { carriedOn } from './terms.ts'
export type { CausedBy } from './notice.ts'
export { fiatExchangeWithdrawalRoutes } from './routes-fiat.ts'

export { exchangeWithdrawalRoutes } from './routes.ts'

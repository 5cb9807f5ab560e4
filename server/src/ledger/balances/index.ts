/** Available balances of a merchant, by asset. Guarantees current figures of the ledger: posted less held. */
export { balanceRoutes } from './routes.ts'

/** What a merchant may spend, per asset. Promises the ledger's figure of the moment: posted less what is held. */
export { balanceRoutes } from './routes.ts'

/** Available balances of a merchant, by asset. Guarantees current figures: posted minus held. */
export { balanceRoutes } from './routes.ts'
export { entryListRoute } from './routes-listing.ts'

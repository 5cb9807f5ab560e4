import { createPayoutFinder } from '../../cards/card-payouts/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { createExchangeFinder } from '../../exchange/exchanges/index.ts'
import { orderLookupRoutes } from '../../ledger/orders/index.ts'
import type { Route } from '../../platform/api/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createWithdrawalFinder } from '../../pay-out/withdrawals/index.ts'

/** Composes the route that finds an order by its localId, whichever operation placed it. */
export const placedOrderRoutes = ({
  runtime: { db },
  catalogue,
}: {
  runtime: Pick<Runtime, 'db'>
  catalogue: Catalogue
}): Route[] => {
  const [withdrawal, payout] = [createWithdrawalFinder({ db, catalogue }), createPayoutFinder({ db, catalogue })]
  return orderLookupRoutes(db, {
    createCryptoWithdrawal: withdrawal,
    createCryptoExchangeWithdrawal: withdrawal,
    createFiatWithdrawal: payout,
    createFiatBatchWithdrawal: payout,
    createFiatExchangeWithdrawal: payout,
    createExchange: createExchangeFinder({ db, catalogue }),
  })
}

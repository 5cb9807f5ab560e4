import { createPayoutFinder } from '../card-payouts/index.ts'
import type { Catalogue } from '../assets/index.ts'
import { createExchangeFinder } from '../exchange/index.ts'
import { orderLookupRoutes } from '../orders/index.ts'
import type { Route } from '../platform/route.ts'
import type { Runtime } from '../platform/runtime.ts'
import { createWithdrawalFinder } from '../withdrawals/index.ts'

/** The way back to what was placed under a localId, whichever operation placed it. */
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

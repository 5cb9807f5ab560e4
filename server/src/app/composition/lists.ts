import { cardPayoutListRoute } from '../../cards/card-payouts/index.ts'
import { exchangeListRoute } from '../../exchange/exchange-withdrawals/index.ts'
import { entryListRoute } from '../../ledger/balances/index.ts'
import { invoiceListRoute } from '../../pay-in/crypto-invoices/index.ts'
import { depositListRoute } from '../../pay-in/deposits/index.ts'
import { fiatInvoiceListRoute } from '../../pay-in/fiat-invoices/index.ts'
import { linkListRoute } from '../../pay-in/payment-links/index.ts'
import { withdrawalListRoute } from '../../pay-out/withdrawals/index.ts'
import type { Route } from '../../platform/api/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import type { World } from './world.ts'

/** The lists of the API (`contract.md` section 20). */
export const listRoutes = (
  world: Pick<World, 'catalogue' | 'publicUrl'> & { runtime: Pick<Runtime, 'db' | 'clock'> },
): Route[] => [
  depositListRoute(world),
  withdrawalListRoute(world),
  invoiceListRoute(world),
  fiatInvoiceListRoute(world),
  linkListRoute(world),
  cardPayoutListRoute(world),
  exchangeListRoute(world),
  entryListRoute(world),
]

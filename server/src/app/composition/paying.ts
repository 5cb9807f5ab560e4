import type { Network } from '@bursar/chainkit'
import {
  createCryptoPages,
  createFiatPages,
  createLivePages,
  createSellers,
  invoicePageRoutes,
  robotsRoute,
} from '../../pay-in/checkout/index.ts'
import { listen, type PoolSettings } from '../../platform/db/index.ts'
import { createDocumentMaker, type DocumentMaker } from '../../merchants/documents/index.ts'
import { fiatSettings, type FiatWorld } from './fiat.ts'
import { createInvoices } from '../../pay-in/crypto-invoices/index.ts'
import { invoiceSettings, type InvoicingWorld } from './invoicing.ts'
import type { Policies } from './policy.ts'
import { createTermsReader, networkCost } from '../../pay-out/withdrawals/index.ts'
import { logoRoute } from '../../merchants/logos/index.ts'
import type { MerchantDirectory } from '../../merchants/accounts/index.ts'
import type { PageRoute } from '../../platform/api/page.ts'

export interface Checkout {
  routes: PageRoute[]
  /** creates the documents, in this process */
  documents: DocumentMaker
  close(): Promise<void>
}

/**
 * Creates the payment pages of both kinds of invoice. They share one database connection of this process for live
 * updates.
 */
export const createCheckout = (
  world: FiatWorld & InvoicingWorld & { policies: Pick<Policies, 'deposits'> },
  directory: MerchantDirectory,
  pool: PoolSettings,
  chainIds: ReadonlyMap<Network, bigint>,
): Checkout => {
  const { runtime, catalogue, claimTokens } = world
  const documents = createDocumentMaker()
  const sellers = createSellers(directory)
  const live = createLivePages(runtime.log)
  const terms = createTermsReader(runtime.db, catalogue, runtime.clock.now)
  const kinds = [
    createCryptoPages({
      runtime,
      catalogue,
      chainIds,
      depositPolicy: world.policies.deposits,
      networkFees: async () => {
        const current = await terms()
        return (ticker, network) => networkCost(current, catalogue, ticker, network)
      },
      invoices: createInvoices(invoiceSettings(world)),
      claimTokens,
      sellers,
      documents,
    }),
    createFiatPages({ runtime, settings: fiatSettings(world), sellers, documents }),
  ]
  const listener = listen(
    pool,
    kinds.map(({ channel }) => channel),
    live,
  )
  return {
    routes: [...kinds.flatMap((pages) => invoicePageRoutes(pages, live)), logoRoute(runtime), robotsRoute],
    documents,
    close: async () => {
      live.close()
      await listener.close()
      await documents.close()
    },
  }
}

import { isNetwork } from '@bursar/chainkit'
import type { Catalogue } from '../assets/index.ts'
import type { ClaimSettings, ClaimTokens } from '../invoices/index.ts'
import type { WalletKeys } from '../outgoing/index.ts'
import type { Runtime } from '../platform/runtime.ts'
import { freshPrices } from '../rates/index.ts'
import { checkDestination } from '../withdrawals/index.ts'

export interface InvoicingWorld {
  runtime: Runtime
  catalogue: Catalogue
  wallet: WalletKeys
  publicUrl: string
  quoteMs: number
  claimTokens: ClaimTokens
}

/** What crypto invoices of this installation go by. */
export const invoiceSettings = ({ runtime, catalogue, wallet, publicUrl, quoteMs, claimTokens }: InvoicingWorld): ClaimSettings => ({
  catalogue,
  networks: catalogue.networks,
  keys: wallet,
  prices: (tx, tickers) => freshPrices(tx, tickers, new Date(runtime.clock.now())),
  quoteMs,
  publicUrl,
  claimTokens,
  destinationOf: (network, address) => {
    const destination = isNetwork(network) ? checkDestination(network, address, { bitcoinChain: wallet.bitcoinChain, catalogue }) : undefined
    return destination?.ok === true ? destination.address : undefined
  },
})

import { isNetwork } from '@bursar/chainkit'
import type { World } from './app.ts'
import type { ClaimSettings } from './invoices/index.ts'
import { freshPrices } from './rates/index.ts'
import { checkDestination } from './withdrawals/index.ts'

/** What crypto invoices of this installation go by. */
export const invoiceSettings = ({ runtime, catalogue, wallet, publicUrl, quoteMs, claimTokens }: World): ClaimSettings => ({
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

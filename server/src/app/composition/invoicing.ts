import { isNetwork } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import { releaseConversions } from '../../exchange/conversions/index.ts'
import { createRefundSubscriber, type ClaimSettings, type ClaimTokens } from '../../pay-in/crypto-invoices/index.ts'
import type { WalletKeys } from '../../chain/transactions/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { freshPrices } from '../../market/rates/index.ts'
import { checkDestination, type WithdrawalSubscriber } from '../../pay-out/withdrawals/index.ts'

export interface InvoicingWorld {
  runtime: Runtime
  catalogue: Catalogue
  wallet: WalletKeys
  publicUrl: string
  quoteMs: number
  minedWithinMs: number
  claimTokens: ClaimTokens
}

/** Composes the subscribers of the modules that order withdrawals. */
export const createWithdrawalSubscribers = ({
  catalogue,
  publicUrl,
}: Pick<InvoicingWorld, 'catalogue' | 'publicUrl'>): WithdrawalSubscriber[] => [
  createRefundSubscriber({ catalogue, publicUrl }),
]

/** Dependencies of this installation's crypto invoices. */
export const invoiceSettings = ({
  runtime,
  catalogue,
  wallet,
  publicUrl,
  quoteMs,
  minedWithinMs,
  claimTokens,
}: InvoicingWorld): ClaimSettings => ({
  catalogue,
  networks: catalogue.networks,
  keys: wallet,
  prices: (tx, tickers) => freshPrices(tx, tickers, new Date(runtime.clock.now())),
  quoteMs,
  minedWithinMs,
  publicUrl,
  claimTokens,
  onPaid: releaseConversions,
  destinationOf: (network, address) => {
    const destination = isNetwork(network)
      ? checkDestination(network, address, { bitcoinChain: wallet.bitcoinChain, catalogue })
      : undefined
    return destination?.ok === true ? destination.address : undefined
  },
})

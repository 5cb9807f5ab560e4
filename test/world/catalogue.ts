/** The assets of a test, without least amounts and fees. */
import type { Network } from '@bursar/chainkit'
import { createCatalogue, type Catalogue } from '../../server/src/market/assets/index.ts'

export interface ServedOn {
  decimals: number
  /** absent: the network's own coin */
  contract?: string
}

/** A catalogue of these assets on one network, by ticker. */
export const catalogueOn = (network: Network, assets: Readonly<Record<string, ServedOn>>): Catalogue =>
  createCatalogue({
    crypto: Object.entries(assets).map(([ticker, served]) => ({
      ticker,
      name: ticker,
      networks: { [network]: { ...served, minDeposit: '0', minWithdrawal: '0' } },
    })),
    fiat: [],
  })

/** Currencies of card payouts, and a coin. */
export const CARD_CATALOGUE = createCatalogue({
  crypto: [
    {
      ticker: 'BTC',
      name: 'Bitcoin',
      networks: { BITCOIN: { decimals: 8, minDeposit: '0.0001', minWithdrawal: '0.0001' } },
    },
  ],
  fiat: [
    { ticker: 'UAH', name: 'Hryvnia', scale: 2, payout: { fee: { bps: 100 } } },
    { ticker: 'KZT', name: 'Tenge', scale: 2, payout: { fee: { bps: 50 } } },
  ],
})

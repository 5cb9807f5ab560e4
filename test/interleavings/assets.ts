/** Assets and prices of the interleavings. The ledger unit of USDT is a millionth, that of UAH a hundredth. */
import { createCatalogue } from '../../server/src/market/assets/index.ts'
import { marketsAt } from '../world/exchange.ts'
import { E18 } from '../world/deposits.ts'
import { USDT } from '../world/signer.ts'

/** One USDT and one UAH. */
export const [ONE_USDT, ONE_UAH] = [1_000_000n, 100n]
export const NETWORK = 'ETHEREUM'
export const CONTRACT = USDT.toLowerCase()
/** An address that is not ours. */
export const OUTSIDE = '0x1111111111111111111111111111111111111111'
/** An address on a list of sanctions. */
export const LISTED = '0x2222222222222222222222222222222222222222'
export const CARD = '4111111111111111'
export const PRICES = { BTC: 65_000n * E18, ETH: 2_500n * E18, UAH: 40n * E18 }
/** gwei for each unit of gas */
export const GAS = 20n

export const catalogue = createCatalogue({
  crypto: [
    { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: { decimals: 8, minDeposit: '0', minWithdrawal: '0' } } },
    { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: { decimals: 18, minDeposit: '0', minWithdrawal: '0' } } },
    {
      ticker: 'USDT',
      name: 'Tether',
      networks: {
        ETHEREUM: { contract: CONTRACT, decimals: 6, minDeposit: '1', minWithdrawal: '1', depositFee: { bps: 100 } },
      },
    },
  ],
  fiat: [{ ticker: 'UAH', name: 'Hryvnia', scale: 2, payout: { fee: { bps: 100 } }, payIn: { fee: { bps: 100 } } }],
})

/** @param at ms */
export const marketsNow = (at: number) => async () => marketsAt(PRICES, at)

/** 1e-18 USD for one whole unit */
export const USD: ReadonlyMap<string, bigint> = new Map([
  ['ETH', PRICES.ETH],
  ['USDT', E18],
])

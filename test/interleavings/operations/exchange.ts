/** Exchanges: alone, with a withdrawal or a card payout as one order, and of a deposit; and hedging their exposure. */
import { createConversionJob } from '../../../server/src/exchange/conversions/index.ts'
import {
  createQuoteStore,
  exchangeRoutes,
  readExchangePolicy,
  type TradingDeps,
} from '../../../server/src/exchange/exchanges/index.ts'
import {
  exchangeWithdrawalRoutes,
  fiatExchangeWithdrawalRoutes,
} from '../../../server/src/exchange/exchange-withdrawals/index.ts'
import { createStopsReader } from '../../../server/src/ledger/stops/index.ts'
import { createTermsReader } from '../../../server/src/pay-out/withdrawals/index.ts'
import { createRoutingTable } from '../../../server/src/cards/acquiring/index.ts'
import { answerOf } from '../../world/requests.ts'
import { CARD, catalogue, marketsNow, NETWORK, OUTSIDE } from '../assets.ts'
import { askVenue, hedge } from '../hedging.ts'
import { UAH_ORDER, USDT_ORDER } from '../scene.ts'
import { LOCAL_ID, shown, type Operation, type Process } from './operation.ts'
import { createOrderPolicy } from '../../../server/src/pay-out/requests/index.ts'

const tradingOf = ({ runtime }: Process): TradingDeps => ({
  runtime,
  policy: readExchangePolicy(catalogue, { spreadBps: 40, feeBps: 50 }),
  quoteStore: createQuoteStore(runtime),
  usdtMarkets: marketsNow(runtime.clock.now()),
  stops: createStopsReader(runtime.db, runtime.clock.now),
})

const placingOf = ({ holders }: Process) => ({ holders, rules: { catalogue, bitcoinChain: 'regtest' as const } })

const termsOf = ({ runtime }: Process) => createTermsReader(runtime.db, catalogue, runtime.clock.now)

const exchange = async (process: Process, merchantId: string, more: object): Promise<string> => {
  const body = { spendTicker: 'USDT', targetTicker: 'UAH', side: 'spend', amount: USDT_ORDER, price: '39', ...more }
  return shown(await answerOf(exchangeRoutes(tradingOf(process)), 'createExchange', merchantId, { body }))
}

const BALANCES = ['USDT', 'UAH', 'position'] as const

export const exchangeOperations: readonly Operation[] = [
  {
    name: 'exchange',
    changes: BALANCES,
    reads: ['stops'],
    run: (process, { merchantId }) => exchange(process, merchantId, {}),
  },
  {
    name: 'exchange-once',
    changes: BALANCES,
    reads: ['stops'],
    run: (process, { merchantId }) => exchange(process, merchantId, { localId: LOCAL_ID }),
  },
  {
    name: 'exchange-and-withdraw',
    changes: [...BALANCES, 'payouts'],
    reads: ['stops', 'fees'],
    run: async (process, { merchantId }) => {
      const body = {
        spendTicker: 'UAH',
        ticker: 'USDT',
        blockchain: NETWORK,
        to: OUTSIDE,
        side: 'spend',
        amount: UAH_ORDER,
        price: '42',
      }
      const trading = tradingOf(process)
      const routes = exchangeWithdrawalRoutes({
        trading,
        placing: placingOf(process),
        terms: termsOf(process),
        orderPolicy: createOrderPolicy(process.runtime),
      })
      return shown(await answerOf(routes, 'createCryptoExchangeWithdrawal', merchantId, { body }))
    },
  },
  {
    name: 'exchange-and-pay-card',
    changes: [...BALANCES, 'card payouts'],
    reads: ['stops'],
    run: async (process, { merchantId, bank, ring }) => {
      const body = { spendTicker: 'USDT', ticker: 'UAH', to: CARD, side: 'spend', amount: USDT_ORDER, price: '39' }
      const rules = { catalogue, routing: createRoutingTable([bank]) }
      const cards = { rules, cards: ring, random: (below: number) => Math.floor(below / 2) }
      const orderPolicy = createOrderPolicy(process.runtime)
      const routes = fiatExchangeWithdrawalRoutes({ trading: tradingOf(process), cards, orderPolicy })
      return shown(await answerOf(routes, 'createFiatExchangeWithdrawal', merchantId, { body }))
    },
  },
  {
    name: 'convert',
    changes: BALANCES,
    reads: ['stops'],
    isJob: true,
    run: async (process) => {
      const { quoteStore: _, ...trading } = tradingOf(process)
      const deps = { trading, placing: placingOf(process), terms: termsOf(process), pause: async () => {} }
      await createConversionJob(deps, 1).run(new AbortController().signal)
    },
  },
  { name: 'hedge', isJob: true, changes: ['position'], run: (process, { venue }) => hedge(process, venue) },
  { name: 'book-fills', isJob: true, changes: ['position'], run: (process, { venue }) => askVenue(process, venue) },
]

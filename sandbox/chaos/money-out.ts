/** Orders of merchants in a chaos run: withdrawals, card payouts, exchanges, each with a `localId`. */
import { BursarError } from '@bursar/sdk'
import { passesLuhn } from '../acquirers/luhn.ts'
import { maskOf } from '../bank/test-cards.ts'
import type { Random } from '../random.ts'
import { control } from '../try/running.ts'
import { patiently, place } from './asking.ts'
import type { Ask } from './money-in.ts'
import type { Chaos, Order } from './orders.ts'

const WITHDRAWALS = [
  { blockchain: 'ETHEREUM', ticker: 'USDT', amount: '3' },
  { blockchain: 'BINANCE_SMART_CHAIN', ticker: 'USDT', amount: '4.25' },
  { blockchain: 'TRON', ticker: 'USDT', amount: '2' },
  { blockchain: 'ETHEREUM', ticker: 'ETH', amount: '0.01' },
  { blockchain: 'TRON', ticker: 'TRX', amount: '5' },
  { blockchain: 'BITCOIN', ticker: 'BTC', amount: '0.0005' },
] as const

/** A new address outside. */
const outside = async ({ sandbox }: Chaos, blockchain: string): Promise<string> =>
  (await control<{ address: string }>(sandbox, '/address', { blockchain })).address

export async function askWithdrawal({ chaos, merchant, random, name }: Ask): Promise<void> {
  const served = WITHDRAWALS.filter(({ ticker }) => Object.hasOwn(merchant.granted, ticker))
  const { blockchain, ticker, amount } = random.pick(served)
  const to = await outside(chaos, blockchain)
  const order: Order = { kind: 'withdrawal', merchant, name, blockchain, ticker, amount, to, state: 'asked' }
  chaos.orders.push(order)
  const body = { blockchain, ticker, amount, to, localId: name }
  await place(chaos, order, random, () => merchant.client.withdrawals.crypto.create(body))
}

export async function askCardPayout({ chaos, merchant, random, name }: Ask): Promise<void> {
  const number = cardOf(random)
  const [ticker, amount] = ['UAH', String(1_000 + random.int(500))]
  const order: Order = { kind: 'card payout', merchant, name, ticker, amount, card: maskOf(number), state: 'asked' }
  chaos.orders.push(order)
  await place(chaos, order, random, () =>
    merchant.client.withdrawals.fiat.create({ ticker, amount, to: number, localId: name }),
  )
}

const TARGETS = ['ETH', 'USDC', 'TRX'] as const

export async function askExchange({ chaos, merchant, random, name }: Ask): Promise<void> {
  const { client } = merchant
  const asked = {
    spendTicker: 'USDT',
    targetTicker: random.pick(TARGETS),
    amount: String(5 + random.int(20)),
    side: 'spend',
  } as const
  const estimate = await orClosed(patiently(chaos, () => client.exchange.estimate(asked)))
  if (estimate === undefined) return
  const order: Order = { kind: 'exchange', merchant, name, state: 'asked' }
  chaos.orders.push(order)
  const body = { ...asked, price: estimate.price.value, localId: name }
  await place(chaos, order, random, () => client.exchange.create(body))
}

export async function askExchangeAndWithdrawal({ chaos, merchant, random, name }: Ask): Promise<void> {
  const client = merchant.client.exchange.withdrawals.crypto
  const blockchain = 'ETHEREUM'
  const to = await outside(chaos, blockchain)
  const [ticker, spendTicker, amount] = ['USDC', 'USDT', String(5 + random.int(20))]
  const asked = { ticker, spendTicker, amount, side: 'withdraw', blockchain, to } as const
  const estimate = await orClosed(patiently(chaos, () => client.estimate(asked)))
  if (estimate === undefined) return
  const order: Order = { kind: 'exchange and withdrawal', merchant, name, blockchain, ticker, to, state: 'asked' }
  chaos.orders.push(order)
  const { withdraw, exchange, price } = estimate
  const body = { ...asked, fee: withdraw.fee, exchangeFee: exchange.fee, price: price.value, localId: name }
  await place(chaos, order, random, () => client.create(body))
}

/** @returns undefined when the market is closed, as while no worker reads prices */
const orClosed = <T>(estimate: Promise<T>): Promise<T | undefined> =>
  estimate.catch((error: unknown) => {
    if (error instanceof BursarError) return undefined
    throw error
  })

/** A card number that the bank pays to. Its mask has ten digits of it and is so rare that it names one payout. */
function cardOf(random: Random): string {
  const digits = `4${Array.from({ length: 14 }, () => random.int(10)).join('')}`
  return Array.from({ length: 10 }, (_, check) => `${digits}${check}`).find(passesLuhn)!
}

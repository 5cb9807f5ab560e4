/** The business of one day of a small shop: orders paid on chains and by card, orders that are not paid, money out. */
import { setTimeout as sleep } from 'node:timers/promises'
import { BursarError } from '@bursar/sdk'
import type { Bursar } from '@bursar/sdk'
import type { Random } from '../random.ts'
import { control, SandboxError } from '../try/running.ts'
import type { Description } from '../try/running.ts'

export interface Shop {
  readonly sandbox: Description
  readonly client: Bursar
  /** Runs the command `bursar`. @returns its JSON */
  bursar<T>(...words: string[]): Promise<T>
}

const GOODS = [
  'Espresso beans, 1 kg',
  'Filter coffee, 250 g',
  'Coffee subscription',
  'Hand grinder',
  'Gift box',
  'Paper filters',
]
const TOWNS = ['Lviv', 'Kyiv', 'Odesa', 'Almaty', 'Astana', 'Dnipro']
/** What payers choose; BSC's blocks come fastest. */
const MONEY = [
  ['USDT', 'BINANCE_SMART_CHAIN'],
  ['USDT', 'BINANCE_SMART_CHAIN'],
  ['USDT', 'ETHEREUM'],
  ['USDC', 'ETHEREUM'],
  ['BNB', 'BINANCE_SMART_CHAIN'],
  ['ETH', 'ETHEREUM'],
] as const
/** USD for one, nearly: orders have prices of a shop. */
const PRICES: Readonly<Record<string, number>> = { USDT: 1, USDC: 1, BNB: 600, ETH: 2_500 }
/** Blocks that make a payment of the sandbox's chains final. */
const BLOCKS = 4
/** A payment that is later than this belongs to a later day. */
const LATEST_MS = 12_000

/** Waits until something is so. @returns whether it was so in time */
const until = async (look: () => Promise<boolean>): Promise<boolean> => {
  for (const end = performance.now() + LATEST_MS; performance.now() < end; await sleep(100))
    if (await look()) return true
  return false
}

/** An amount in USD as one in an asset, with as many decimals as a shop would write. */
const priced = (usd: number, ticker: string): string => {
  const amount = usd / PRICES[ticker]!
  return PRICES[ticker] === 1 ? amount.toFixed(2) : amount.toFixed(4)
}

const mine = async (sandbox: Description, blockchains: Iterable<string>): Promise<void> => {
  for (const blockchain of new Set(blockchains)) await control(sandbox, '/mine', { blockchain, blocks: BLOCKS })
}

/** @param order its number */
const cryptoOrder = async (
  shop: Shop,
  random: Random,
  order: number,
  how: 'exact' | 'partial' | undefined,
): Promise<void> => {
  const { client, sandbox } = shop
  const [ticker, blockchain] = random.pick(MONEY)
  const { id } = await client.invoices.crypto.create({
    name: `Order ${order}`,
    description: random.pick(GOODS),
    meta: `order ${order}`,
    amount: { value: priced(12 + random.int(240), ticker), ticker, blockchain },
  })
  if (how === undefined) return
  await control(sandbox, '/invoice/pay', { id, how })
  await mine(sandbox, [blockchain])
  if (how === 'exact') await until(async () => (await client.invoices.crypto.get(id)).status === 'PAID')
}

const cardOrder = async (shop: Shop, random: Random, order: number, isPaid: boolean): Promise<string> => {
  const { client, sandbox } = shop
  const { id } = await client.invoices.fiat.create({
    name: `Order ${order}`,
    description: random.pick(GOODS),
    meta: `order ${order}`,
    amount: { value: String(300 + random.int(60) * 50), ticker: 'UAH' },
  })
  if (!isPaid) return id
  await control(sandbox, '/invoice/pay', { id, how: 'exact' })
  await until(async () => (await client.invoices.fiat.get(id)).status === 'DONE')
  return id
}

const deposit = async ({ client, sandbox }: Shop, random: Random): Promise<void> => {
  const blockchain = 'BINANCE_SMART_CHAIN'
  const { address } = await client.addresses.create({ blockchain, meta: `customer ${random.pick(TOWNS)}` })
  const amount = String(40 + random.int(400))
  await control(sandbox, '/pay', { blockchain, ticker: 'USDT', to: address, amount })
  await mine(sandbox, [blockchain])
}

const exchange = async ({ client }: Shop, random: Random): Promise<void> => {
  const asked = {
    spendTicker: 'USDT',
    targetTicker: 'UAH',
    amount: String(20 + random.int(60)),
    side: 'spend',
  } as const
  const { price } = await client.exchange.estimate(asked)
  await client.exchange.create({ ...asked, price: price.value, meta: 'rent' })
}

const withdrawal = async ({ client, sandbox }: Shop, random: Random): Promise<void> => {
  const blockchain = 'BINANCE_SMART_CHAIN'
  const { address } = await control<{ address: string }>(sandbox, '/address', { blockchain })
  const amount = String(30 + random.int(90))
  const { id } = await client.withdrawals.crypto.create({
    ticker: 'USDT',
    blockchain,
    to: address,
    amount,
    meta: 'roaster',
  })
  await until(async () => {
    await mine(sandbox, [blockchain])
    return (await client.withdrawals.crypto.get(id)).status === 'Done'
  })
}

const cardPayout = async ({ client }: Shop, random: Random): Promise<void> => {
  const amount = String(1_000 + random.int(4) * 100)
  await client.withdrawals.fiat.create({ ticker: 'UAH', to: '4242424242424242', amount, meta: 'wages' })
}

const refund = async ({ bursar }: Shop, invoiceId: string): Promise<void> => {
  const { payments } = await bursar<{ payments: { id: string }[] }>('payment', 'show', invoiceId)
  if (payments[0]) await bursar('payment', 'refund', payments[0].id, 'the parcel came back', '--amount', '100', '--yes')
}

/** A refusal for lack of money or of a fresh price leaves the day without it: shops are refused, too. */
const unlessRefused = async (act: () => Promise<void>): Promise<void> => {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof BursarError || error instanceof SandboxError)) throw error
  }
}

/** @param day from 0, the oldest */
export const liveDay = async (shop: Shop, random: Random, day: number): Promise<void> => {
  // Trade grows through the months, and rests on every seventh day.
  const orders = day % 7 === 6 ? 1 : 1 + random.int(2) + Math.floor(day / 40)
  const number = 1_000 + day * 10
  const acts: Promise<void>[] = []
  for (let n = 0; n < orders; n += 1) acts.push(cryptoOrder(shop, random.of('crypto', n), number + n, 'exact'))
  const isCardDay = day % 2 === 0
  const card = isCardDay ? cardOrder(shop, random.of('card'), number + 7, day % 11 !== 4) : undefined
  if (day % 4 === 1) acts.push(cryptoOrder(shop, random.of('unpaid'), number + 8, undefined))
  if (day % 13 === 9) acts.push(cryptoOrder(shop, random.of('partial'), number + 9, 'partial'))
  if (day % 6 === 3) acts.push(deposit(shop, random.of('deposit')))
  if (day % 7 === 2) acts.push(unlessRefused(() => exchange(shop, random.of('exchange'))))
  if (day % 7 === 4) acts.push(unlessRefused(() => withdrawal(shop, random.of('withdrawal'))))
  if (day % 10 === 5) acts.push(unlessRefused(() => cardPayout(shop, random.of('payout'))))
  await Promise.all([...acts, card])
  if (day % 30 === 12 && card !== undefined) {
    const invoiceId = await card
    await unlessRefused(() => refund(shop, invoiceId))
  }
}

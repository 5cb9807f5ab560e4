/** The payers of a chaos run: they pay deposit addresses and invoices. */
import { BursarError } from '@bursar/sdk'
import type { Random } from '../random.ts'
import { control } from '../try/running.ts'
import { patiently, persistently, place } from './asking.ts'
import type { Chaos, ChaosMerchant, Order } from './orders.ts'

/** The means of one operation of the load. */
export interface Ask {
  readonly chaos: Chaos
  readonly merchant: ChaosMerchant
  readonly random: Random
  /** A name that no other order of the run has. */
  readonly name: string
}

const DEPOSITS = [
  { blockchain: 'ETHEREUM', ticker: 'USDT', amount: '25' },
  { blockchain: 'ETHEREUM', ticker: 'ETH', amount: '0.05' },
  { blockchain: 'BINANCE_SMART_CHAIN', ticker: 'USDT', amount: '12.5' },
  { blockchain: 'BINANCE_SMART_CHAIN', ticker: 'USDC', amount: '7' },
  { blockchain: 'TRON', ticker: 'USDT', amount: '9' },
  { blockchain: 'TRON', ticker: 'TRX', amount: '40' },
  { blockchain: 'BITCOIN', ticker: 'BTC', amount: '0.002' },
] as const

/** @returns whether this sandbox runs the network: it may have no bitcoind */
const isServed = ({ sandbox }: Chaos, blockchain: string): boolean =>
  sandbox.chains.some((chain) => chain.blockchain === blockchain)

export async function askDeposit({ chaos, merchant, random, name }: Ask): Promise<void> {
  const kind = random.pick(DEPOSITS.filter(({ blockchain }) => isServed(chaos, blockchain)))
  const { address } = await patiently(chaos, () =>
    merchant.client.addresses.create({ blockchain: kind.blockchain, meta: name }, { idempotencyKey: name }),
  )
  const order: Order = { ...kind, kind: 'deposit', merchant, name, to: address, state: 'asked' }
  chaos.orders.push(order)
  const { hash } = await control<{ hash: string }>(chaos.sandbox, '/pay', { ...kind, to: address })
  order.hash = hash
  order.state = 'accepted'
}

const INVOICES = [
  { ticker: 'USDT', blockchain: 'ETHEREUM', value: '25' },
  { ticker: 'USDT', blockchain: 'TRON', value: '15' },
  { ticker: 'USDC', blockchain: 'BINANCE_SMART_CHAIN', value: '31' },
] as const

export async function askCryptoInvoice({ chaos, merchant, random, name }: Ask): Promise<void> {
  const amount = random.pick(INVOICES)
  const { ticker, blockchain, value } = amount
  const order: Order = { kind: 'crypto invoice', merchant, name, ticker, blockchain, amount: value, state: 'asked' }
  chaos.orders.push(order)
  const body = { name: `Order ${name}`, meta: name, amount }
  await place(chaos, order, random, () => merchant.client.invoices.crypto.create(body, { idempotencyKey: name }))
  await pay(chaos, order, async (id) => (await merchant.client.invoices.crypto.get(id)).status)
}

export async function askCardInvoice({ chaos, merchant, random, name }: Ask): Promise<void> {
  const value = String(100 + random.int(400))
  const order: Order = { kind: 'card invoice', merchant, name, ticker: 'UAH', amount: value, state: 'asked' }
  chaos.orders.push(order)
  const body = { name: `Order ${name}`, meta: name, email: 'payer@example.com', amount: { value, ticker: 'UAH' } }
  await place(chaos, order, random, () => merchant.client.invoices.fiat.create(body, { idempotencyKey: name }))
  await pay(chaos, order, async (id) => (await merchant.client.invoices.fiat.get(id)).status)
}

const UNPAID = new Set(['CREATED', 'REGISTERED'])

/** Pays an invoice that the merchant got, once: before each repetition the payer looks at its status. */
async function pay(chaos: Chaos, order: Order, statusOf: (id: string) => Promise<string>): Promise<void> {
  const { id } = order
  if (id === undefined) return
  let isRepeated = false
  await persistently(chaos, async () => {
    const isPaid = isRepeated && !UNPAID.has(await patiently(chaos, () => statusOf(id)))
    isRepeated = true
    // A card payment that was begun is pending before the payer has paid it.
    if (!isPaid || order.kind === 'card invoice') await control(chaos.sandbox, '/invoice/pay', { id, how: 'exact' })
  }).catch((error: unknown) => {
    if (error instanceof BursarError) throw error
    order.reason = `its payer could not pay: ${(error as Error).message}`
  })
}

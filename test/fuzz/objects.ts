/** Objects that exist before the first case: objects of two merchants made by the API, and deposits in a block. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createCatalogue, type AssetSettings } from '../../server/src/market/assets/index.ts'
import { createDeposits, DEFAULT_DEPOSIT_POLICY } from '../../server/src/pay-in/deposits/index.ts'
import { createTestRuntime } from '../world/runtime.ts'
import { act } from '../world/ledger.ts'
import { assetsFile } from '../simulation/installation/files.ts'
import type { Connections } from './connection.ts'
import { CHAINS, type Account, type Installation } from './installation.ts'
import { bytesOf, signedDraft } from './request.ts'

/** The kinds of objects that a lookup finds by id. */
export const KINDS = ['deposit', 'cryptoWithdrawal', 'batch', 'cryptoInvoice', 'fiatInvoice', 'paymentLink'] as const
export type ObjectKind = (typeof KINDS)[number]

export interface Owned {
  account: Account
  ids: Readonly<Record<ObjectKind, readonly string[]>>
  /** of withdrawals, batches and exchanges */
  localIds: readonly string[]
  /** Idempotency-Keys that have an answer */
  idempotencyKeys: readonly string[]
  /** deposit addresses, of BITCOIN */
  addresses: readonly string[]
}

/** An order that is filled as long as prices stand still, without its localId and meta. */
export interface Order {
  operation: string
  path: string
  body: Readonly<Record<string, string>>
}

export interface FuzzWorld {
  installation: Installation
  owned: readonly [Owned, Owned]
  /** orders of every operation that moves money */
  orders: readonly Order[]
}

export const OUTSIDE: Readonly<Record<string, string>> = {
  BITCOIN: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  ETHEREUM: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  BINANCE_SMART_CHAIN: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  TRON: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
}
export const CARD = '4111111111111111'

/** Ticker, network and an amount that every limit allows. */
export const PAYABLE = [
  ['BTC', 'BITCOIN', '0.01'],
  ['ETH', 'ETHEREUM', '0.5'],
  ['USDT', 'ETHEREUM', '25'],
  ['USDC', 'ETHEREUM', '31.5'],
  ['BNB', 'BINANCE_SMART_CHAIN', '1'],
  ['USDT', 'BINANCE_SMART_CHAIN', '12.000'],
  ['TRX', 'TRON', '250'],
  ['USDT', 'TRON', '17.25'],
] as const

type Call = (account: Account, method: string, target: string, body?: object, key?: string) => Promise<unknown>

const caller = (connections: Connections): Call => {
  return async (account, method, target, body, key) => {
    const signed = { method, target, body: body && JSON.stringify(body) }
    const draft = signedDraft(signed, account, key === undefined ? [] : [['Idempotency-Key', key]])
    const [answer] = await connections.send({ parts: [bytesOf(draft)] })
    if (answer?.status !== 200) throw new Error(`${method} ${target}: ${answer?.status} ${answer?.body.toString()}`)
    return JSON.parse(answer.body.toString()) as unknown
  }
}

interface Estimate {
  price: { value: string }
  exchange: { fee: string }
  withdraw: { fee: string }
}

/** Orders with the prices and fees of estimates. */
const findOrders = async (call: Call, account: Account): Promise<Order[]> => {
  const estimate = async (path: string, query: Record<string, string>): Promise<Estimate> =>
    (await call(account, 'GET', `${path}/estimate?${new URLSearchParams(query).toString()}`)) as Estimate
  const orders: Order[] = PAYABLE.map(([ticker, blockchain, amount]) => ({
    operation: 'createCryptoWithdrawal',
    path: '/merchants/withdrawals/crypto',
    body: { ticker, blockchain, to: OUTSIDE[blockchain]!, amount },
  }))
  for (const [operation, path, amount] of [
    ['createFiatWithdrawal', '/merchants/withdrawals/fiat', '1000'],
    ['createFiatBatchWithdrawal', '/merchants/withdrawals/fiat/batch', '20000'],
  ] as const)
    orders.push({ operation, path, body: { ticker: 'UAH', to: CARD, amount } })
  for (const [spendTicker, targetTicker, side, amount] of [
    ['USDT', 'BTC', 'spend', '100'],
    ['BTC', 'USDT', 'target', '50'],
    ['ETH', 'TRX', 'spend', '0.25'],
    ['UAH', 'USDT', 'spend', '4000'],
  ] as const) {
    const path = '/merchants/exchange'
    const wanted = { spendTicker, targetTicker, side, amount }
    const { price } = await estimate(path, wanted)
    // A limit that no estimate's quote is needed for.
    orders.push({ operation: 'createExchange', path, body: { ...wanted, price: price.value } })
  }
  for (const [ticker, blockchain, spendTicker, amount] of [
    ['USDT', 'TRON', 'ETH', '0.1'],
    ['ETH', 'ETHEREUM', 'USDT', '400'],
  ] as const) {
    const path = '/merchants/exchange/withdrawals/crypto'
    const wanted = { ticker, blockchain, spendTicker, side: 'spend', amount }
    const { price, exchange, withdraw } = await estimate(path, wanted)
    const body = {
      ...wanted,
      to: OUTSIDE[blockchain]!,
      price: price.value,
      exchangeFee: exchange.fee,
      fee: withdraw.fee,
    }
    orders.push({ operation: 'createCryptoExchangeWithdrawal', path, body })
  }
  const path = '/merchants/exchange/withdrawals/fiat'
  const wanted = { ticker: 'UAH', spendTicker: 'USDT', side: 'spend', amount: '100' }
  const { price, exchange, withdraw } = await estimate(path, wanted)
  const body = { ...wanted, to: CARD, price: price.value, exchangeFee: exchange.fee, fee: withdraw.fee }
  orders.push({ operation: 'createFiatExchangeWithdrawal', path, body })
  return orders
}

const EACH = 2

/** Objects of each kind for one merchant. */
const makeObjects = async (call: Call, account: Account, orders: readonly Order[], name: string): Promise<Owned> => {
  const meta = `secret of ${name}`
  const idOf = async (path: string, body: object, key?: string): Promise<string> =>
    ((await call(account, 'POST', path, { ...body, meta }, key)) as { id: string }).id
  const several = <T>(make: (n: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: EACH }, (_, n) => make(n)))
  const placed = await several((n) =>
    Promise.all(
      orders.map(async ({ operation, path, body }, at) => {
        const localId = `${name}-${n}-${at}`
        const key = `key-${localId}`
        return { operation, localId, key, id: await idOf(path, { ...body, localId }, key) }
      }),
    ),
  )
  const of = (operation: string): string[] =>
    placed.flat().flatMap((one) => (one.operation === operation ? [one.id] : []))
  const crypto = { name: `Order of ${name}`, amount: { value: '24.5', ticker: 'USDT', blockchain: 'ETHEREUM' } }
  const fiat = { name: `Order of ${name}`, amount: { value: '1000', ticker: 'UAH' } }
  const link = { name: `Link of ${name}`, method: 'CRYPTO', ticker: 'USDT' }
  const addresses = await several(
    () =>
      call(account, 'POST', '/merchants/addresses', { blockchain: 'BITCOIN', meta }) as Promise<{ address: string }>,
  )
  return {
    account,
    ids: {
      deposit: [],
      cryptoWithdrawal: of('createCryptoWithdrawal'),
      batch: of('createFiatBatchWithdrawal'),
      cryptoInvoice: [
        ...(await several(() => idOf('/merchants/invoices/crypto', crypto))),
        ...(await several(() => idOf('/merchants/invoices/crypto', { ...crypto, toPendingImmediate: true }))),
      ],
      fiatInvoice: await several(() => idOf('/merchants/invoices/fiat', fiat)),
      paymentLink: await several(
        async () => ((await call(account, 'POST', '/merchants/payment-links', link)) as { id: string }).id,
      ),
    },
    localIds: placed.flat().map(({ localId }) => localId),
    idempotencyKeys: placed.flat().map(({ key }) => key),
    addresses: addresses.map(({ address }) => address),
  }
}

/** Pays each address in one block. */
const mineDeposits = async ({ db }: Installation, owned: readonly Owned[]): Promise<void> => {
  const deposits = createDeposits({
    catalogue: createCatalogue(assetsFile(CHAINS) as AssetSettings),
    policy: DEFAULT_DEPOSIT_POLICY,
    prices: async () => new Map(),
    onCredited: [],
    depositSubscribers: [],
  })
  const transactions = owned
    .flatMap(({ addresses }) => addresses)
    .map((to, n) => ({
      hash: `${String(n).padStart(2, '0')}${'ab'.repeat(31)}`,
      keys: [`in-${n}`],
      succeeded: true,
      fee: 1_000n,
      transfers: [{ index: 'o:0', contract: null, from: [OUTSIDE['BITCOIN']!], to, units: 1_000_000n }],
    }))
  const hash = 'cd'.repeat(32)
  const block = { height: 100, hash, parent: 'ef'.repeat(32), time: Date.now(), transactions }
  await act(createTestRuntime(db), (tx, moment) => deposits.block(tx, 'BITCOIN', block, moment))
}

const withDeposits = async ({ db }: Installation, owned: Owned): Promise<Owned> => {
  const { rows } = await sql<{
    id: string
  }>`select id from deposits where merchant_id = ${owned.account.id} order by id`.execute(db)
  if (rows.length === 0) throw new Error('a merchant has no deposit')
  return { ...owned, ids: { ...owned.ids, deposit: rows.map(({ id }) => id) } }
}

export const makeWorld = async (installation: Installation, connections: Connections): Promise<FuzzWorld> => {
  const call = caller(connections)
  const [first, second] = installation.merchants
  const orders = await findOrders(call, first)
  const owned = [await makeObjects(call, first, orders, 'first'), await makeObjects(call, second, orders, 'second')]
  // The first request of a key is noted once.
  await call(installation.poor, 'GET', '/merchants/assets/fiat')
  await mineDeposits(installation, owned)
  return {
    installation,
    owned: [await withDeposits(installation, owned[0]!), await withDeposits(installation, owned[1]!)],
    orders,
  }
}

/** An id of nothing. */
export const unknownId = (): string => randomUUID()

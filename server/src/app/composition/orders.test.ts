import { Ajv } from 'ajv'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { storeSignerLimits } from '../../pay-out/withdrawals/limits.ts'
import { findWithdrawals } from '@bursar/contract'
import { useEdge } from '../../../../test/world/edge.ts'
import { giveBalance, PRICES } from '../../../../test/world/exchange.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { rotateKey } from '../../merchants/accounts/index.ts'
import { keyDeps, momentAt, newId } from '../../../../test/world/merchant.ts'
import { orderLookupRoutes } from '../../ledger/orders/index.ts'
import { E18 } from '../../market/rates/index.ts'
import { findSigned } from './signed-by.ts'
import {
  moneyOperations,
  openOrders,
  ORDERS,
  signedRoutes,
  type Circumstances,
  type OrderWorld,
} from './test-orders.ts'

const edge = useEdge({ routes: signedRoutes(() => world) })
let world: OrderWorld
beforeAll(async () => {
  world = await openOrders(edge, { url: edge.pool.options.connectionString! })
})
afterAll(() => world.close())
afterEach(() => world.change())

const isListed = new Ajv().compile(findWithdrawals.response)
const KINDS: Record<string, string> = {
  createCryptoWithdrawal: 'Withdraw',
  createFiatWithdrawal: 'Withdraw',
  createFiatBatchWithdrawal: 'WithdrawBatch',
  createExchange: 'Exchange',
  createCryptoExchangeWithdrawal: 'CryptoExchangeWithdraw',
  createFiatExchangeWithdrawal: 'FiatExchangeWithdraw',
}

describe('audit S-1: L4 an order is found again by its localId', () => {
  test.each(moneyOperations.map(({ id }) => id))('%s', async (operation) => {
    const localId = `found-${operation}`
    expect(await world.find(localId)).toEqual([])
    const { status, body, text } = await world.place(operation, { ...ORDERS[operation], localId })
    expect(status, text).toBe(200)
    const found = await world.find(localId)
    expect(isListed(found), JSON.stringify(isListed.errors)).toBe(true)
    expect(found).toMatchObject([{ id: (body as { id: string }).id, kind: KINDS[operation], localId }])
    expect(JSON.stringify(found)).not.toContain('4111111111111111')
  })

  test('nothing starts while the orders of an operation could not be found', () => {
    expect(() => orderLookupRoutes(edge.db, {})).toThrow(
      /no lookup finds orders of these operations: .*createFiatWithdrawal/,
    )
  })
})

test('audit S-11: more than the limit of a day is refused with code 7; a merchant without that much gets code 1', async () => {
  const all = { perPayment: 40n * E18, perHour: 40n * E18, perDay: 40n * E18 }
  await storeSignerLimits(edge.db, [{ network: 'ETHEREUM', asset: 'USDT', ...all }], new Date())
  await world.change()
  try {
    const place = async (amount: string) =>
      (await world.place('createCryptoWithdrawal', { ...ORDERS['createCryptoWithdrawal'], amount })).body
    expect(await place('21')).toMatchObject({
      code: 7,
      description: expect.stringContaining('at most 20 USDT leave on ETHEREUM in a day') as string,
    })
    expect(await place('1000000')).toMatchObject({ code: 1 })
    expect(await place('20')).toHaveProperty('id')
  } finally {
    await sql`delete from signer_limits`.execute(edge.db)
  }
})

describe('audit C-12: the lookup of a part of something larger has its localId', () => {
  test.each([
    ['createCryptoExchangeWithdrawal', 'crypto'],
    ['createFiatExchangeWithdrawal', 'fiat/batch'],
  ])('%s', async (operation, path) => {
    const localId = `whole-${operation}`
    const { body } = await world.place(operation, { ...ORDERS[operation], localId, meta: 'm' })
    const { text } = await edge.call('GET', `/merchants/withdrawals/${path}/${(body as { id: string }).id}`)
    expect(JSON.parse(text)).toMatchObject({ localId, meta: 'm' })
  })
})

describe('audit C-18: a destination is notified as its merchant wrote it', () => {
  const written = '0xabcdefabcdefabcdefabcdefabcdefabcdefabcd'
  const canonical = '0xABcdEFABcdEFabcdEfAbCdefabcdeFABcDEFabCD'
  const notifiedTo = (body: unknown) => (body as { to: unknown }).to

  test('every operation that sends to an address is tried here', () => {
    const addressed = moneyOperations.filter(
      ({ body }) => body && 'to' in (body.properties as object) && 'blockchain' in (body.properties as object),
    )
    expect(addressed.map(({ id }) => id).toSorted()).toEqual([
      'createCryptoExchangeWithdrawal',
      'createCryptoWithdrawal',
    ])
  })

  test.each(['createCryptoWithdrawal', 'createCryptoExchangeWithdrawal'])(
    '%s, in lookups and notifications; it is stored in the canonical form',
    async (operation) => {
      const localId = `as sent ${operation}`
      const { status, body, text } = await world.place(operation, { ...ORDERS[operation], to: written, localId })
      expect(status, text).toBe(200)
      const { id } = body as { id: string }
      const [found] = await world.find(encodeURIComponent(localId))
      expect(notifiedTo(found)).toBe(written)
      expect(notifiedTo(JSON.parse((await edge.call('GET', `/merchants/withdrawals/crypto/${id}`)).text))).toBe(written)
      const { rows: notified } = await sql<{ body: string }>`select body from events where object_id = ${id}`.execute(
        edge.db,
      )
      expect(notified.map(({ body }) => notifiedTo(JSON.parse(body)))).toEqual(notified.map(() => written))
      const { rows } = await sql<{ to: string }>`select to_address as to from withdrawals where id = ${id}`.execute(
        edge.db,
      )
      expect(rows).toEqual([{ to: canonical }])
    },
  )
})

describe('audit S-12: the record of an operation that moves money says which API key signed for it', () => {
  let rotated: { keyId: string; secret: string }
  let first: string
  beforeAll(async () => {
    const { rows } = await sql<{
      id: string
    }>`select id from merchant_keys where merchant_id = ${edge.merchant.id} and purpose = 'api'`.execute(edge.db)
    first = rows[0]!.id
    rotated = (await inTransaction(edge.db, (tx) =>
      rotateKey(tx, edge.merchant.id, { purpose: 'api', overlapMs: 24 * 3_600_000 }, keyDeps, momentAt(edge.clock.ms)),
    ))!
    edge.directory.forget(edge.merchant.id)
  })
  const idOf = ({ body }: Awaited<ReturnType<OrderWorld['place']>>): string => (body as { id: string }).id

  test.each(moneyOperations.map(({ id }) => id))('%s', async (operation) => {
    const localId = `signed ${operation}`
    const id = idOf(await world.place(operation, { ...ORDERS[operation], localId }))
    expect(await findSigned(edge.db, edge.merchant.id, localId)).toMatchObject({
      id,
      keyId: first,
      keyEndsAt: expect.any(Date) as Date,
    })
    expect(await findSigned(edge.db, newId(), id)).toBeUndefined()
    const before = edge.merchant.privateKey
    edge.merchant.privateKey = rotated.secret
    try {
      const next = idOf(await world.place(operation, { ...ORDERS[operation], localId: `${localId} anew` }))
      expect(await findSigned(edge.db, edge.merchant.id, next)).toMatchObject({
        id: next,
        keyId: rotated.keyId,
        keyEndsAt: null,
      })
    } finally {
      edge.merchant.privateKey = before
    }
  })
})

/** Changes between an order and its repetition, and the answer to another order of each operation after them. */
const CHANGES: readonly [what: string, to: Partial<Circumstances>, codes: Readonly<Record<string, number>>][] = [
  [
    'the market has moved',
    { prices: { BTC: PRICES.BTC, ETH: (PRICES.ETH * 90n) / 100n, UAH: (PRICES.UAH * 110n) / 100n } },
    {
      createExchange: 3,
      createCryptoExchangeWithdrawal: 3,
    },
  ],
  [
    'the market has moved the other way',
    { prices: { BTC: PRICES.BTC, ETH: PRICES.ETH, UAH: (PRICES.UAH * 90n) / 100n } },
    { createFiatExchangeWithdrawal: 3 },
  ],
  [
    'the market is closed',
    { closed: true },
    { createExchange: 6, createCryptoExchangeWithdrawal: 6, createFiatExchangeWithdrawal: 6 },
  ],
  [
    'fees have risen',
    { gas: 200n, payoutFeeBps: 500, exchangeFeeBps: 500 },
    {
      createCryptoWithdrawal: 2,
      createFiatWithdrawal: 2,
      createFiatBatchWithdrawal: 2,
      createExchange: 2,
      createCryptoExchangeWithdrawal: 2,
      createFiatExchangeWithdrawal: 2,
    },
  ],
  [
    'limits have changed',
    { least: '30000' },
    {
      createCryptoWithdrawal: 5,
      createFiatWithdrawal: 5,
      createFiatBatchWithdrawal: 5,
      createExchange: 5,
      createCryptoExchangeWithdrawal: 5,
      createFiatExchangeWithdrawal: 5,
    },
  ],
  [
    'withdrawals are stopped',
    { stopped: true },
    {
      createCryptoWithdrawal: 107,
      createFiatWithdrawal: 107,
      createFiatBatchWithdrawal: 107,
      createExchange: 107,
      createCryptoExchangeWithdrawal: 107,
      createFiatExchangeWithdrawal: 107,
    },
  ],
  [
    'the destination has become an address of the platform',
    { holder: 'platform' },
    { createCryptoWithdrawal: 8, createCryptoExchangeWithdrawal: 8 },
  ],
]

describe.each(CHANGES)('audit F-3 C-2: when %s', (what, to, codes) => {
  test.each(Object.entries(codes))(
    '%s repeated gets its first answer, another order code %i',
    async (operation, code) => {
      const order = { ...ORDERS[operation], localId: `${operation} when ${what}`.slice(0, 128) }
      edge.clock.ms += 1_000
      await world.change()
      const first = await world.place(operation, order)
      expect(first.status, first.text).toBe(200)
      const { id } = first.body as { id: string }
      const before = await world.balances()
      edge.clock.ms += 1_000
      await world.change(to)
      expect(
        (await world.place(operation, { ...order, localId: `${order.localId.slice(0, 120)} anew` })).body.code,
      ).toBe(code)
      const repeated = await world.place(operation, order, 1)
      expect([repeated.status, repeated.text]).toEqual([200, first.text])
      const signedAnew = await world.place(operation, order)
      expect(signedAnew).toMatchObject({
        status: 400,
        body: { code: 0, field: 'localId', description: expect.stringContaining(id) as string },
      })
      expect(await world.balances()).toEqual(before)
    },
  )
})

test('audit F-3 C-2: every operation that moves money is among those that are repeated', () => {
  expect([...new Set(CHANGES.flatMap(([, , codes]) => Object.keys(codes)))].toSorted()).toEqual(
    moneyOperations.map(({ id }) => id).toSorted(),
  )
})

describe('L4 an order that was refused for lack of balance gets the same refusal once there is a balance', () => {
  const move = async (balances: Record<string, string>, sign: bigint): Promise<void> => {
    for (const [asset, units] of Object.entries(balances))
      await giveBalance(edge.db, edge.merchant.id, asset, sign * BigInt(units))
  }

  test.each(moneyOperations.map(({ id }) => id))('%s', async (operation) => {
    const order = { ...ORDERS[operation], localId: `poor ${operation}` }
    edge.clock.ms += 1_000
    await world.change()
    const before = await world.balances()
    await move(before, -1n)
    const first = await world.place(operation, order)
    await move(before, 1n)
    expect(first.body.code, first.text).toBe(1)
    const repeated = await world.place(operation, order)
    expect([repeated.status, repeated.text]).toEqual([first.status, first.text])
    expect(await world.balances()).toEqual(before)
    edge.clock.ms += 1_000
    await world.change()
    expect((await world.place(operation, order)).status).toBe(200)
  })
})

test('audit F-3: an Idempotency-Key that was used for another order is refused, also while the market is closed', async () => {
  const headers = ['Idempotency-Key', 'once']
  const send = (body: object) => edge.call('POST', '/merchants/exchange', JSON.stringify(body), { headers })
  expect((await send(ORDERS.createExchange!)).status).toBe(200)
  await world.change({ closed: true })
  expect((await send({ ...ORDERS.createExchange, amount: '101' })).body.code).toBe(103)
  expect((await send(ORDERS.createExchange!)).status).toBe(200)
})

describe('audit C-10: a fee lookup refuses with 0 for an asset that there is not, else with 100', () => {
  const usual = { ticker: 'USDT', blockchain: 'ETHEREUM', amount: '12' }
  const ask = (path: string, changed: Record<string, string>) => {
    const query = new URLSearchParams({ ...usual, ...changed })
    return edge.call(
      'GET',
      `/merchants/withdrawals/${path}/fee?${[...query]
        .filter(([, value]) => value !== '')
        .map(([name, value]) => `${name}=${value}`)
        .join('&')}`,
    )
  }
  test.each<[Record<string, string>, number, string?]>([
    [{ ticker: 'NOPE' }, 0],
    [{ blockchain: 'BITCOIN' }, 0],
    [{ amount: '' }, 100, 'amount'],
    [{ amount: '0.0000000000000000001' }, 100, 'amount'],
    [{ amount: '-1' }, 100, 'amount'],
    [{ address: 'nonsense' }, 100, 'address'],
  ])('of crypto, %j', async (changed, code, field) => {
    expect(await ask('crypto', changed)).toMatchObject({
      status: 400,
      body: { code, ...(field === undefined ? {} : { field }) },
    })
  })

  test.each<[Record<string, string>, number]>([
    [{ ticker: 'NOPE' }, 0],
    [{ ticker: 'UAH', amount: '' }, 100],
    [{ ticker: 'UAH', amount: '0.001' }, 100],
  ])('of fiat, %j', async (changed, code) => {
    expect(await ask('fiat', { ...changed, blockchain: '' })).toMatchObject({ status: 400, body: { code } })
  })
})

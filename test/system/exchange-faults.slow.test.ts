/**
 * Exchanges where something is wrong, in the whole sandbox: sources that lie over their own protocols, a closed market,
 * withdrawals that fail, fifty connections for the last of an asset, and everything a merchant can ask for wrongly.
 */
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { operations } from '@bursar/contract'
import type { BursarError } from '@bursar/sdk'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
let db: pg.Client
beforeAll(async () => {
  sandbox = await startSandbox({
    BURSAR_HEDGING: 'on',
    BURSAR_BLOCK_SECONDS_BITCOIN: '0.5',
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
    BURSAR_BLOCK_SECONDS_BSC: '0',
  })
  db = new pg.Client({ connectionString: sandbox.database })
  await db.connect()
  for (const merchant of sandbox.merchants) await sandbox.credit(merchant, 'USDT', '40000')
  await until('a price', () => estimate().catch(() => undefined))
})
afterAll(async () => {
  await db?.end()
  await sandbox?.stop()
})

const shop = () => sandbox.merchants[0]
const bursar = async (...args: string[]): Promise<string> => (await sandbox.bursar(...args)).text
const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => sandbox.until(what, look)
const order = { spendTicker: 'USDT', targetTicker: 'BTC', amount: '0.01', side: 'target' } as const
const estimate = () => shop().client.exchange.estimate(order)
const balance = async (ticker: string): Promise<string> => (await shop().client.balances.list([ticker]))[0]!.value
/** Every price that is given while this runs. */
const pricesDuring = async (ms: number): Promise<(number | 'closed')[]> => {
  const seen: (number | 'closed')[] = []
  const end = performance.now() + ms
  while (performance.now() < end) {
    seen.push(
      await estimate().then(
        ({ price }) => Number(price.value),
        (error: BursarError) => (error.code === 2 ? 'closed' : Promise.reject(error)),
      ),
    )
    await sleep(100)
  }
  return seen
}
const notified = async (match: Record<string, unknown>): Promise<Record<string, unknown>[]> =>
  (await sandbox.messages(shop()))
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    .filter((body) => Object.entries(match).every(([key, value]) => body[key] === value))

/**
 * Books are read every three seconds. Those of Binance and Kraken don't say of when they are: what is old there shows
 * by being apart from the others.
 */
const TWO_READINGS_MS = 7_000
const LIES = [
  ['binance', 'one'],
  ['bybit', 'stale'],
  ['kraken', 'zero'],
  ['whitebit', 'times'],
] as const

describe('a source that lies', () => {
  test.each(LIES)('%s, %s: moves no price, and is named', async (source, kind) => {
    const honest = Number((await estimate()).price.value)
    await sandbox.sourceFault({ source, kind, factor: 10 })
    const seen = await pricesDuring(TWO_READINGS_MS)
    expect(seen.filter((price) => price === 'closed')).toEqual([])
    for (const price of seen) expect(Math.abs(Number(price) / honest - 1)).toBeLessThan(0.001)
    expect(await bursar('rates')).toContain(`BTC: ${source} does not count`)
    await sandbox.sourceFault({ source })
  })

  test('all at once, each in its way: no price at all, until they tell the truth; a target waits, or is notified after an hour', async () => {
    const honest = Number((await estimate()).price.value)
    for (const [source, kind] of LIES) await sandbox.sourceFault({ source, kind, factor: 10 })
    const seen = await pricesDuring(TWO_READINGS_MS + 3_000)
    for (const price of seen) if (price !== 'closed') expect(Math.abs(price / honest - 1)).toBeLessThan(0.001)
    expect(seen.at(-1)).toBe('closed')
    await expect(shop().client.exchange.create({ ...order, price: '1000000' })).rejects.toMatchObject({
      code: 6,
      description: expect.stringMatching(/^Not enough liquidity: BTC: \d of 2 sources/) as string,
    })

    const arrived = async (): Promise<string> => {
      const { address } = await shop().client.addresses.create({ blockchain: 'ETHEREUM', target: { ticker: 'BTC' } })
      const hash = await sandbox.pay('ETHEREUM', 'USDT', address, '700')
      return (await sandbox.notified(shop(), { hash, status: 'Done' }))['id'] as string
    }
    const before = await balance('USDT')
    const lost = await arrived()
    await sandbox.advance(3_600_001)
    expect(await sandbox.notified(shop(), { kind: 'Exchange', localId: lost, status: 'Failed' })).toMatchObject({
      failedReason: 'NOT_ENOUGH_LIQUIDITY',
      spendTicker: 'USDT',
      spendAmount: '700',
      targetTicker: 'BTC',
    })
    expect(Number(await balance('USDT')) - Number(before)).toBeCloseTo(700, 6)
    const kept = await arrived()
    await sleep(1_000)
    expect(await notified({ localId: kept })).toEqual([])
    for (const [source] of LIES) await sandbox.sourceFault({ source })
    await until('a price', () => estimate().catch(() => undefined))
    await sandbox.advance(15_000)
    expect(await sandbox.notified(shop(), { kind: 'Exchange', localId: kept, status: 'Done' })).toMatchObject({
      spendAmount: '700',
    })
    expect(await notified({ localId: lost })).toHaveLength(1)
    expect(Number((await estimate()).price.value) / honest).toBeCloseTo(1, 3)
  })
})

describe('an exchange with withdrawal whose withdrawal fails', () => {
  const asked = { ticker: 'USDC', spendTicker: 'USDT', amount: '30', side: 'withdraw', blockchain: 'ETHEREUM' } as const
  const givenUp = async (id: string): Promise<void> => {
    await sandbox.paused('worker', 'payout-chosen')
    await sandbox.kill('worker')
    expect(await bursar('withdrawal', 'give-up', '--yes', shop().id, id)).not.toMatch(/rror/)
    await sandbox.start('worker')
  }

  test('is Failed after Exchanged; what was bought is on the balance', async () => {
    await sandbox.kill('worker')
    await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: 'payout-chosen' })
    const to = await sandbox.outside('ETHEREUM')
    const { withdraw, exchange, price } = await until('a price', () =>
      shop()
        .client.exchange.withdrawals.crypto.estimate({ ...asked, to })
        .catch(() => undefined),
    )
    const { id } = await shop().client.exchange.withdrawals.crypto.create({
      ...asked,
      to,
      fee: withdraw.fee,
      exchangeFee: exchange.fee,
      price: price.value,
      localId: 'fails-1',
    })
    await givenUp(id)
    expect(await sandbox.notified(shop(), { id, status: 'Failed' })).toMatchObject({
      kind: 'CryptoExchangeWithdraw',
      exchanged: true,
      localId: 'fails-1',
      failedReason: 'ERRROR_CODE_GENERIC',
    })
    expect((await notified({ id })).map(({ status }) => status)).toEqual(['Exchanged', 'Failed'])
    expect(await balance('USDC')).toBe('30')
    expect(await sandbox.balanceOf('ETHEREUM', 'USDC', to)).toBe('0')
  })

  test('of a target likewise', async () => {
    const to = await sandbox.outside('ETHEREUM')
    const { address } = await shop().client.addresses.create({
      blockchain: 'ETHEREUM',
      target: { ticker: 'USDC', address: to, blockchain: 'ETHEREUM' },
    })
    await sandbox.kill('worker')
    await sandbox.start('worker', { BURSAR_SANDBOX_PAUSE: 'payout-chosen' })
    const hash = await sandbox.pay('ETHEREUM', 'USDT', address, '50')
    const { id: localId } = await sandbox.notified(shop(), { hash, status: 'Done' })
    const { id, amount } = await sandbox.notified(shop(), {
      kind: 'CryptoExchangeWithdraw',
      localId,
      status: 'Exchanged',
    })
    await givenUp(id as string)
    expect(await sandbox.notified(shop(), { id, status: 'Failed' })).toMatchObject({
      exchanged: true,
      causedBy: 'crypto-replenishment',
      localId,
    })
    expect((await notified({ id })).map(({ status }) => status)).toEqual(['Exchanged', 'Failed'])
    expect(Number(await balance('USDC'))).toBeCloseTo(30 + Number(amount), 6)
  })

  test('to a card in part: what the bank refused is on the balance again', async () => {
    const fiat = { ticker: 'UAH', spendTicker: 'USDT', amount: '60000', side: 'withdraw' } as const
    const before = Number(await balance('UAH'))
    const { withdraw, exchange, price } = await until('a price', () =>
      shop()
        .client.exchange.withdrawals.fiat.estimate(fiat)
        .catch(() => undefined),
    )
    // Every third payout to it is refused.
    const { id } = await shop().client.exchange.withdrawals.fiat.create({
      ...fiat,
      to: '4000000000005555',
      fee: withdraw.fee,
      exchangeFee: exchange.fee,
      price: price.value,
    })
    const done = await sandbox.notified(shop(), { id, status: 'Done' })
    expect(done).toMatchObject({ kind: 'FiatExchangeWithdraw', exchanged: true })
    expect(Number(done['failedAmount'])).toBeGreaterThan(0)
    expect(Number(await balance('UAH')) - before).toBeCloseTo(
      Number(done['failedAmount']) + Number(done['failedFee']),
      2,
    )
  })
})

describe('fifty connections for the last of an asset', () => {
  test('sell exactly what there is', async () => {
    const held = async (): Promise<number> =>
      Number(
        (
          await db.query<{ units: string }>(
            `select sum(units)::text as units from exchange_inventory where asset = 'BTC'`,
          )
        ).rows[0]!.units,
      )
    await bursar('position', 'fund', 'BTC', `-${(((await held()) - 50_500_000) / 1e8).toFixed(8)}`)
    await estimate()
    // What is sold would be bought again: nobody hedges for as long as this takes.
    await sandbox.kill('worker')
    const [before, each] = [await held(), 2_000_000]
    const enough = Math.floor(before / each)
    expect(enough).toBeLessThan(40)
    const orders = Array.from({ length: 50 }, (_, i) =>
      sandbox.merchants[i % 2]!.client.exchange.create({
        ...order,
        amount: '0.02',
        price: '100000',
        localId: `race-${i}`,
      }),
    )
    const outcomes = await Promise.allSettled(orders)
    await sandbox.start('worker')
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(enough)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({
          status: 400,
          code: 6,
          description: expect.stringMatching(/^Not enough liquidity: there is not that much BTC to sell/) as string,
        })
    }
    const { rows } = await db.query(`select asset from ledger_accounts group by asset having sum(posted) <> 0
      union all select asset from exchange_inventory i group by asset having sum(units + reserved) <> (select sum(posted) from ledger_accounts a where a.asset = i.asset and kind = 'position')`)
    expect(rows).toEqual([])
    expect((await db.query(`select 1 from exchanges where local_id like 'race-%'`)).rows).toHaveLength(enough)
  })
})

describe('a wrong request', () => {
  // A worker that was started again has to read the books first.
  beforeAll(async () => {
    await until('a price', () => estimate().catch(() => undefined))
    // Who can't pay is notified that first.
    await sandbox.credit(sandbox.merchants[0]!, 'USDT', '90000')
  })
  const refusal = (asking: Promise<unknown>): Promise<unknown> =>
    asking.then(
      () => 'was accepted',
      ({ status, code, description, field }: BursarError) => ({
        status,
        code,
        description,
        ...(field === undefined ? {} : { field }),
      }),
    )
  const matching = (code: number, description: RegExp, field?: string): unknown => ({
    status: 400,
    code,
    description: expect.stringMatching(description) as unknown,
    ...(field === undefined ? {} : { field }),
  })
  const placed = { spendTicker: 'USDT', targetTicker: 'ETH', amount: '10', side: 'spend', price: '100000' } as const

  test.each([
    [
      'a pair that is not offered',
      { ...placed, targetTicker: 'USDT' },
      [1, 4],
      /^Ticker pair not allowed: USDT to USDT; available-directions/,
      undefined,
    ],
    [
      'below the least',
      { ...placed, amount: '0.5' },
      [0, 5],
      /^Amount too low: 0\.5 USDT would be spent, the least is 1 USDT$/,
      'amount',
    ],
    [
      'above the most',
      { ...placed, amount: '100000.5' },
      [0, 7],
      /^Amount too high: 100000\.5 USDT would be spent, the most is 100000 USDT$/,
      'amount',
    ],
    [
      'finer than the step',
      { ...placed, amount: '10.000000001' },
      [0, 3],
      /^amount is finer than the step of USDT: 0\.00000001/,
      'amount',
    ],
    [
      'a price worse than the guard',
      { ...placed, price: '1' },
      [0, 3],
      /the price is \d{4}(\.\d+)? .*now, worse than the price given$/,
      'price',
    ],
    [
      'more than there is to sell',
      { ...placed, targetTicker: 'BTC', side: 'target', amount: '1.3' },
      [2, 6],
      /^Not enough liquidity: there is not that much BTC to sell$/,
      undefined,
    ],
  ] as const)('for an exchange: %s', async (_name, body, [estimated, ordered], description, field) => {
    const { price, ...query } = body
    expect(
      await refusal(shop().client.exchange.estimate(_name.startsWith('a price') ? { ...query, price } : query)),
    ).toMatchObject(matching(estimated, description, field) as object)
    expect(await refusal(shop().client.exchange.create(body))).toMatchObject(
      matching(ordered, description, field) as object,
    )
  })

  test('for an exchange: more than the balance, a fee below the current one, a localId that is taken', async () => {
    const [has, asked] = [
      await balance('UAH'),
      { spendTicker: 'UAH', targetTicker: 'ETH', side: 'spend', price: '10000000' } as const,
    ]
    expect(
      await refusal(shop().client.exchange.create({ ...asked, amount: String(Math.ceil(Number(has)) + 100) })),
    ).toMatchObject(matching(1, new RegExp(`^Not enough balance: ${has} UAH is available$`)) as object)
    expect(await refusal(shop().client.exchange.create({ ...placed, fee: '0.00000001' }))).toMatchObject(
      matching(2, /^Fee less than required: the current fee is 0\.\d+ USDT$/, 'fee') as object,
    )
    const { id } = await shop().client.exchange.create({ ...placed, localId: 'taken' })
    expect(await refusal(shop().client.exchange.create({ ...placed, amount: '11', localId: 'taken' }))).toMatchObject(
      matching(0, new RegExp(`^Local id already placed: ${id} has it$`), 'localId') as object,
    )
    const whole = {
      ticker: 'USDC',
      spendTicker: 'USDT',
      amount: '30',
      side: 'withdraw',
      blockchain: 'ETHEREUM',
      fee: '30',
      exchangeFee: '1',
      price: '0.5',
      to: await sandbox.outside('ETHEREUM'),
    } as const
    expect(
      await refusal(shop().client.exchange.withdrawals.crypto.create({ ...whole, amount: '60', localId: 'taken' })),
    ).toMatchObject(matching(0, /^Local id already placed/, 'localId') as object)
  })

  describe.each([
    ['an address', { ticker: 'USDC', blockchain: 'ETHEREUM' }],
    ['a card', { ticker: 'UAH' }],
  ] as const)('for an exchange and withdrawal to %s', (name, where) => {
    const spending = { ...where, spendTicker: 'USDT', amount: '50', side: 'spend' } as const
    const to = name === 'a card' ? '4242424242424242' : undefined
    const ask = async (query: Record<string, string>): Promise<unknown> => {
      const { crypto, fiat } = shop().client.exchange.withdrawals
      return refusal(name === 'a card' ? fiat.estimate(query as never) : crypto.estimate(query as never))
    }
    const place = async (body: Record<string, string>): Promise<unknown> => {
      const { crypto, fiat } = shop().client.exchange.withdrawals
      const whole = {
        fee: '49',
        exchangeFee: '1',
        price: '0.1',
        to: to ?? (await sandbox.outside('ETHEREUM')),
        ...body,
      }
      return refusal(name === 'a card' ? fiat.create(whole as never) : crypto.create(whole as never))
    }

    test.each([
      [
        'a pair that is not offered',
        { ...spending, spendTicker: 'DOGE' },
        [1, 4],
        /^Ticker pair not allowed: DOGE to /,
        undefined,
      ],
      [
        'below the least',
        { ...spending, amount: '0.5', exchangeFee: '0.01' },
        [0, 5],
        /^Amount too low: 0\.5 USDT would be spent, the least is 1 USDT$/,
        'amount',
      ],
      [
        'above the most',
        { ...spending, amount: '100000.5', exchangeFee: '600' },
        [0, 7],
        /^Amount too high: 100000\.5 USDT would be spent, the most is 100000 USDT$/,
        'amount',
      ],
      [
        'finer than the step',
        { ...spending, amount: '10.000000001' },
        [0, 3],
        /^amount is finer than the step of USDT: 0\.00000001/,
        'amount',
      ],
      [
        'finer than what is received can be',
        { ...spending, amount: '10.0000001', side: 'withdraw' },
        [0, 3],
        /^amount is finer than the step of (USDC: 0\.000001|UAH: 0\.01)/,
        'amount',
      ],
      [
        'a price worse than the guard',
        { ...spending, price: '1000' },
        [0, 3],
        /the price is \d+(\.\d+)? .*now, worse than the price given$/,
        'price',
      ],
    ] as const)('%s', async (_name, asked, [estimated, ordered], description, field) => {
      expect(await ask(asked)).toMatchObject(matching(estimated, description, field) as object)
      expect(await place(asked)).toMatchObject(matching(ordered, description, field) as object)
    })

    test('more than there is to sell', async () => {
      const held = async (): Promise<number> => {
        const { rows } = await db.query<{ units: string }>(
          `select (sum(units) / case when asset = 'UAH' then 1e2 else 1e18 end)::text as units from exchange_inventory where asset = $1 group by asset`,
          [where.ticker],
        )
        return Number(rows[0]!.units)
      }
      const taken = (await held()) - (where.ticker === 'UAH' ? 1_500 : 100)
      await bursar('position', 'fund', where.ticker, `-${taken.toFixed(2)}`)
      // What there is to sell is read twice a second.
      await sleep(600)
      const asked = {
        ...where,
        spendTicker: 'USDT',
        amount: where.ticker === 'UAH' ? '2000' : '200',
        side: 'withdraw',
        exchangeFee: '2',
      }
      const none = new RegExp(`^Not enough liquidity: there is not that much ${where.ticker} to sell$`)
      expect(await ask(asked)).toMatchObject(matching(2, none) as object)
      expect(await place(asked)).toMatchObject(matching(6, none) as object)
      await bursar('position', 'fund', where.ticker, taken.toFixed(2))
    })

    test('fees below the current ones, and more than the balance', async () => {
      expect(await place({ ...spending, exchangeFee: '0.00000001' })).toMatchObject(
        matching(2, /^Fee less than required: the current fee is 0\.\d+ USDT$/, 'fee') as object,
      )
      // The sandbox's bank takes nothing for payouts.
      if (name === 'an address')
        expect(await place({ ...spending, fee: '0' })).toMatchObject(
          matching(2, /^Fee less than required: the current fee is [\d.]+ (USDC|UAH)$/, 'fee') as object,
        )
      const has = await balance('BNB')
      const asked = { ...spending, spendTicker: 'BNB', amount: (Number(has) + 0.1).toFixed(2), exchangeFee: '0.01' }
      expect(await place(asked)).toMatchObject(
        matching(1, new RegExp(`^Not enough balance: ${has} BNB is available$`)) as object,
      )
    })

    test('less than can be paid: the estimate says so too', async () => {
      const asked = { ...spending, amount: name === 'a card' ? '900' : '1.5', side: 'withdraw' }
      const too =
        name === 'a card'
          ? /^Withdraw amount too low: a batch of card payouts is UAH 1000 to /
          : /^Withdraw amount too low: at least 1 USDC$/
      expect(await ask(asked)).toMatchObject(matching(0, too, 'amount') as object)
      expect(await place({ ...asked, fee: name === 'a card' ? '0' : '1.3' })).toMatchObject(
        matching(5, too, 'amount') as object,
      )
    })

    test('a destination that is none', async () => {
      expect(await place({ ...spending, to: name === 'a card' ? '4242424242424241' : 'nowhere' })).toMatchObject({
        status: 400,
        code: 8,
      })
    })
  })

  test('a price is honoured once, and for ten seconds, and for nobody else', async () => {
    const asked = { spendTicker: 'USDT', targetTicker: 'ETH', amount: '0.01', side: 'target' } as const
    const promised = async () => (await shop().client.exchange.estimate(asked)).price.value
    const price = await promised()
    const late = await promised()
    // Within the spread, so that promises hold, and dearer, so that nothing else fills at them.
    await sandbox.rates({ ETH: String(Number(price) * 1.0005) })
    await until('a dearer price', async () => (Number(await promised()) > Number(price) ? true : undefined))
    const others = sandbox.merchants[1].client.exchange.create({ ...asked, price })
    expect(await refusal(others)).toMatchObject(matching(3, /worse than the price given$/, 'price') as object)
    expect(price).toBe(late)
    const one = await promised()
    const { id } = await shop().client.exchange.create({ ...asked, price: one })
    expect(await sandbox.notified(shop(), { id })).toMatchObject({ price: one, status: 'Done' })
    await sleep(11_000)
    expect(await refusal(shop().client.exchange.create({ ...asked, price }))).toMatchObject(
      matching(3, /the price is .* now, worse than the price given$/, 'price') as object,
    )
  })

  test("what is another merchant's is not found", async () => {
    const asked = {
      ticker: 'USDC',
      spendTicker: 'USDT',
      amount: '20',
      side: 'withdraw',
      blockchain: 'ETHEREUM',
      to: await sandbox.outside('ETHEREUM'),
    } as const
    const { withdraw, exchange, price } = await shop().client.exchange.withdrawals.crypto.estimate(asked)
    await shop().client.exchange.withdrawals.crypto.create({
      ...asked,
      fee: withdraw.fee,
      exchangeFee: exchange.fee,
      price: price.value,
    })
    const { rows } = await db.query<{ id: string; kind: string }>(
      `select id, kind from exchange_withdrawals where merchant_id = $1`,
      [shop().id],
    )
    const stranger = sandbox.merchants[1].client.withdrawals
    for (const { id, kind } of rows) {
      expect(await refusal(kind === 'crypto' ? stranger.crypto.get(id) : stranger.fiat.batch.get(id))).toMatchObject({
        status: 404,
        code: 101,
      })
    }
    expect(rows.length).toBeGreaterThan(0)
  })
})

describe('every operation of the contract', () => {
  const ask = (operation: (typeof operations)[number], example: unknown): Promise<Response> => {
    const { method, contentType } = operation
    const path = operation.path.replace(':id', '01890000-0000-7000-8000-000000000000')
    const query = method === 'GET' ? new URLSearchParams(example as Record<string, string>).toString() : ''
    const target = query === '' ? path : `${path}?${query}`
    const body =
      method === 'GET'
        ? ''
        : contentType === 'application/json'
          ? JSON.stringify(example)
          : new URLSearchParams(example as Record<string, string>).toString()
    const timestamp = Math.floor(Date.now() / 1_000)
    const { id, privateKey } = shop()
    const signature = createHmac('sha256', privateKey).update(`${method}${target}${body}${timestamp}`).digest('hex')
    const headers = {
      'merchant-id': id,
      signature,
      timestamp: String(timestamp),
      ...(contentType && { 'content-type': contentType }),
    }
    return fetch(sandbox.api + target, { method, headers, redirect: 'manual', ...(method === 'GET' ? {} : { body }) })
  }

  test.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s is built',
    async (_id, operation) => {
      const examples = ((operation.body ?? operation.query) as { examples?: unknown[] } | null)?.examples ?? []
      for (const example of [{}, ...examples]) {
        const answer = await ask(operation, example)
        const text = await answer.text()
        expect(answer.status, text).toBeLessThan(500)
        expect(answer.status, text).not.toBe(401)
        expect(text).not.toMatch(/"code":\s*106\b/)
      }
    },
  )
})

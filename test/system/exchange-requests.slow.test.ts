/** Everything a merchant can ask of exchanges wrongly, in the whole sandbox. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BursarError } from '@bursar/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { useSharedSandbox } from './shared-sandbox.ts'

const sandbox = useSharedSandbox()
const TARGETS = ['BTC', 'ETH', 'USDC', 'UAH']
beforeAll(async () => {
  // Who can't pay is notified that first.
  for (const merchant of sandbox.merchants) await sandbox.credit(merchant, 'USDT', '130000')
  for (const targetTicker of TARGETS)
    await sandbox.until(`a price of ${targetTicker}`, () =>
      shop()
        .client.exchange.estimate({ spendTicker: 'USDT', targetTicker, amount: '10', side: 'spend' })
        .catch(() => undefined),
    )
})

const shop = () => sandbox.merchants[0]
const bursar = async (...args: string[]): Promise<string> => (await sandbox.bursar(...args)).text
const balance = async (ticker: string): Promise<string> => (await shop().client.balances.list([ticker]))[0]!.value

describe('a wrong request', () => {
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
        const rows = await sandbox.query<{ units: string }>(
          `select (sum(units) / case when asset = 'UAH' then 1e2 else 1e18 end)::text as units from exchange_inventory where asset = $1 group by asset`,
          [where.ticker],
        )
        return Number(rows[0]!.units)
      }
      const taken = (await held()) - (where.ticker === 'UAH' ? 1_500 : 100)
      await bursar('position', 'fund', where.ticker, `-${taken.toFixed(2)}`)
      // The inventory is read twice a second.
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

    test('an invalid destination', async () => {
      expect(await place({ ...spending, to: name === 'a card' ? '4242424242424241' : 'nowhere' })).toMatchObject({
        status: 400,
        code: 8,
      })
    })
  })

  test('a price is valid once, for ten seconds, for one merchant only', async () => {
    const asked = { spendTicker: 'USDT', targetTicker: 'ETH', amount: '0.01', side: 'target' } as const
    const promised = async () => (await shop().client.exchange.estimate(asked)).price.value
    const price = await promised()
    const late = await promised()
    // Within the spread, so that promises hold, and dearer, so that nothing else fills at them.
    await sandbox.rates({ ETH: String(Number(price) * 1.0005) })
    await sandbox.until('a dearer price', async () => (Number(await promised()) > Number(price) ? true : undefined))
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

  test('A13 an object of another merchant is not found', async () => {
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
    const rows = await sandbox.query<{ id: string; kind: string }>(
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

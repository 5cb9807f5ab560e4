import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUnits, parseUnits } from '../../platform/money/index.ts'
import type { Payment, Quote } from './invoice.ts'
import { askedUnits, totalsOf } from './matching.ts'
import { GRACE_MS, priceAt, priceIn, roundingOf, roundUp, unitsFor, worthOf, writtenStep } from './quoting.ts'

const E18 = 10n ** 18n
const quoteAt = (priceE18: bigint): Quote => ({ priceE18, at: new Date(0), until: new Date(1), previousE18: null })
const payment = (more: Partial<Payment>): Payment => ({
  merchantId: 'm',
  depositId: 'd',
  invoiceId: 'i',
  units: 1n,
  fee: 0n,
  state: 'credited',
  late: false,
  notified: false,
  priceE18: null,
  unvalued: false,
  arrivedAt: new Date(0),
  minedAt: null,
  minedBy: null,
  ...more,
})

describe('prices', () => {
  const prices = new Map([
    ['BTC', 50_000n * E18],
    ['USDT', E18],
    ['EUR', (108n * E18) / 100n],
    ['UAH', E18 / 40n],
  ])

  test('are in the base currency, and unknown where either price is unknown', () => {
    expect(priceIn('BTC', 'USD', prices)).toBe(50_000n * E18)
    expect(priceIn('USDT', 'UAH', prices)).toBe(40n * E18)
    expect(priceIn('USDT', 'EUR', prices)).toBe(925_925_925_900_000_000n)
    expect(priceIn('ETH', 'USD', prices)).toBeUndefined()
    expect(priceIn('BTC', 'KZT', prices)).toBeUndefined()
    expect(
      priceIn(
        'BTC',
        'UAH',
        new Map([
          ['BTC', 1n],
          ['UAH', E18],
        ]),
      ),
    ).toBeUndefined()
  })

  test('the best of those a payment may have been sent at', () => {
    const minutes = (n: number) => new Date(n * 60_000)
    const quote: Quote = { priceE18: 100n, at: minutes(30), until: minutes(45), previousE18: 120n }
    const grace = GRACE_MS / 60_000
    expect(priceAt(quote, minutes(29))).toBe(120n)
    expect(priceAt(quote, minutes(30 + grace))).toBe(120n)
    expect(priceAt(quote, minutes(30 + grace + 1))).toBe(100n)
    expect(priceAt(quote, minutes(45 + grace))).toBe(100n)
    expect(priceAt(quote, minutes(45 + grace + 1))).toBeNull()
    expect(priceAt({ ...quote, previousE18: 80n }, minutes(29))).toBe(100n)
  })
})

const scales = fc
  .record({
    pegged: fc.boolean(),
    scale: fc.constantFrom(8, 18),
    decimals: fc.constantFrom(6, 8, 18),
  })
  .filter(({ scale, decimals }) => decimals <= scale)
const price = fc.bigInt({ min: 10n ** 12n, max: 10n ** 24n }).map((p) => (p / 10n ** 8n) * 10n ** 8n)
const cents = fc.bigInt({ min: 1n, max: 10n ** 9n }).map((c) => c * 10n ** 16n)

test('the amount to pay is worth at least the price, and one written step less is not', () => {
  fc.assert(
    fc.property(scales, price, cents, ({ pegged, scale, decimals }, priceE18, base) => {
      const rounding = roundingOf({ pegged, scale }, { decimals })
      const exact = unitsFor(base, priceE18, scale, rounding.step)
      const step = writtenStep(exact, rounding)
      const units = roundUp(exact, rounding)
      expect(units % step).toBe(0n)
      expect(units * priceE18 >= base * 10n ** BigInt(scale)).toBe(true)
      expect((units - step) * priceE18 < base * 10n ** BigInt(scale)).toBe(true)
    }),
  )
})

test.each([
  [true, 18, 6, '24.080901', '24.09'],
  [true, 18, 18, '24.09', '24.09'],
  [true, 6, 6, '0.000001', '0.01'],
  [false, 8, 8, '0.00028913', '0.00028913'],
  [false, 8, 8, '1.23456701', '1.23457'],
  [false, 8, 8, '12.34567', '12.3457'],
  [false, 18, 18, '0.0081234561', '0.00812346'],
  [false, 18, 18, '0.00000012', '0.00000012'],
  [false, 6, 6, '999999.5', '1000000'],
  [false, 6, 6, '1234567.1', '1234570'],
])('pegged %s, %i decimals, %i on the chain: %s is written %s', (pegged, scale, decimals, exact, written) => {
  const unitsOf = (text: string): bigint => {
    const parsed = parseUnits(text, scale)
    if (!parsed.ok) throw new Error(text)
    return parsed.units
  }
  expect(formatUnits(roundUp(unitsOf(exact), roundingOf({ pegged, scale }, { decimals })), scale)).toBe(written)
})

test('a payer who sends the written amount has neither too little nor too much; a little less is enough', () => {
  const rounding = roundingOf({ pegged: true, scale: 6 }, { decimals: 6 })
  const priceE18 = 41_526_642_550_000_000_000n
  const base = { ticker: 'UAH', e18: 1_000n * E18 }
  const asked = (...units: bigint[]): bigint =>
    askedUnits(
      { base, quote: quoteAt(priceE18) },
      totalsOf(
        units.map((one) => payment({ units: one, priceE18 })),
        6,
      ),
      6,
      rounding,
    )
  expect(asked()).toBe(24_090_000n)
  expect(asked(24_090_000n)).toBe(24_090_000n)
  expect(asked(24_085_000n)).toBe(24_085_000n)
  expect(asked(24_080_000n)).toBe(24_090_000n)
  expect(asked(10_000_001n)).toBe(24_090_000n)
  expect(asked(30_000_000n)).toBe(24_090_000n)
})

test('partial payments at one price need no more than one payment would, and their rounding is never owed', () => {
  fc.assert(
    fc.property(
      scales,
      price,
      cents,
      fc.array(fc.integer({ min: 1, max: 99 }), { maxLength: 6 }),
      ({ pegged, scale, decimals }, priceE18, e18, shares) => {
        const rounding = roundingOf({ pegged, scale }, { decimals })
        const { step } = rounding
        const base = { ticker: 'USD', e18 }
        const whole = roundUp(unitsFor(e18, priceE18, scale, step), rounding)
        const payments: Payment[] = []
        const add = (units: bigint): void => {
          if (units > 0n) payments.push(payment({ units, priceE18, depositId: String(payments.length) }))
        }
        const asked = (): bigint =>
          askedUnits({ base, quote: quoteAt(priceE18) }, totalsOf(payments, scale), scale, rounding)
        const seen = (): bigint => payments.reduce((sum, one) => sum + one.units, 0n)
        for (const share of shares) add((((asked() - seen()) * BigInt(share)) / 100n / step) * step)
        const all = asked()
        // Less than the whole only where the last step would bring no more than what rounding took of the parts.
        if (all !== whole) {
          expect(all < whole).toBe(true)
          expect(e18 - worthOf(all, priceE18, scale) <= BigInt(payments.length)).toBe(true)
        }
        add(all - seen())
        expect(asked()).toBe(all)
        expect(seen()).toBe(all)
      },
    ),
    {
      examples: [
        [{ pegged: false, scale: 18, decimals: 18 }, 999_999_999_999_999_900_000_000n, 10_000_000_000_000_000n, [50]],
      ],
    },
  )
})

test('only the missing part is requested at the new price, and no more than that', () => {
  fc.assert(
    fc.property(
      scales,
      price,
      price,
      cents,
      fc.integer({ min: 1, max: 300 }),
      ({ pegged, scale, decimals }, first, second, e18, percent) => {
        const rounding = roundingOf({ pegged, scale }, { decimals })
        const { step } = rounding
        // A network moves whole steps.
        const units = ((unitsFor(e18, first, scale, step) * BigInt(percent)) / 100n / step) * step
        if (units === 0n) return
        const totals = totalsOf([payment({ units, priceE18: first })], scale)
        const asked = askedUnits({ base: { ticker: 'USD', e18 }, quote: quoteAt(second) }, totals, scale, rounding)
        const worth = worthOf(units, first, scale)
        if (asked > units) {
          expect(worth < e18).toBe(true)
          expect((asked - units) * second + (worth + 2n) * 10n ** BigInt(scale) >= e18 * 10n ** BigInt(scale)).toBe(
            true,
          )
          expect((asked - units - writtenStep(asked, rounding)) * second < (e18 - worth) * 10n ** BigInt(scale)).toBe(
            true,
          )
        } else {
          expect(worth + 1n >= e18).toBe(true)
          expect(asked > 0n).toBe(true)
        }
      },
    ),
  )
})

test('a missing part is forgiven up to one unit of worth for each payment, and requested beyond that', () => {
  const asked = (...units: bigint[]): bigint =>
    askedUnits(
      { base: { ticker: 'USD', e18: 100n }, quote: quoteAt(E18) },
      totalsOf(
        units.map((one) => payment({ units: one, priceE18: E18 })),
        18,
      ),
      18,
      { step: 1n, cent: undefined },
    )
  expect([asked(99n), asked(98n)]).toEqual([99n, 99n])
  expect([asked(49n, 49n), asked(49n, 48n)]).toEqual([98n, 98n])
})

test('sums leave out lost payments, and count waiting ones separately', () => {
  const totals = totalsOf(
    [
      payment({ units: 5n, fee: 1n, priceE18: E18 }),
      payment({ units: 7n, state: 'waiting' }),
      payment({ units: 9n, state: 'waiting', late: true, unvalued: true }),
      payment({ units: 100n, state: 'lost', unvalued: true, priceE18: E18 }),
    ],
    0,
  )
  expect(totals).toEqual({
    paid: 5n,
    fee: 1n,
    paidBaseE18: 5n * E18,
    waiting: 16n,
    waitingInTime: 1,
    waitingMined: 0,
    seenBaseE18: 5n * E18,
    seenCount: 3,
    unvalued: true,
  })
})

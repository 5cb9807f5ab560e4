/** A payout to one card from its request to its end, against acquirers that do as a test says. */
import { FiatWithdraw } from '@bursar/contract'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { CARD, MASKED, useCardPayouts } from '../../../../test/world/card-payouts.ts'

const { here, bank, other } = useCardPayouts({
  bank: { UAH: { least: 1_00n, most: 14_500_00n }, KZT: { least: 1_000_00n, most: 14_500_00n } },
  other: { UAH: { least: 500_00n, most: 29_000_00n } },
})
const HOUR = 3_600_000
const references = (): string[] => [...bank.orders.keys()]

describe('a single payout', () => {
  test('is held at once, paid once, and notified as documented', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.fee = 5_50n
    const { status, body } = await here.payOut(shop, { amount: '1500.50', localId: 'payout-7', meta: 'your-info' })
    expect(status).toBe(200)
    expect(await here.available(shop)).toBe(2_000_00n - 1_500_50n - 15_01n)
    await here.work()
    expect([...bank.orders.values()]).toMatchObject([
      { card: CARD, units: 1_500_50n, ticker: 'UAH', callbackUrl: 'https://pay.example/callbacks/bank' },
    ])
    expect(await here.balance(shop, 'merchant')).toBe(2_000_00n - 1_500_50n - 15_01n)
    expect(await here.available(shop)).toBe(2_000_00n - 1_500_50n - 15_01n)
    expect(await here.balance(shop, 'acquirer:bank')).toBe(1_500_50n + 5_50n)
    expect(await here.balance(shop, 'acquirer-costs')).toBe(-5_50n)
    expect(await here.balance(shop, 'fees')).toBe(15_01n)
    const [notice, ...more] = await here.notices(shop)
    expect(more).toEqual([])
    expect(notice).toMatchObject({
      kind: 'Withdraw',
      id: body.id,
      status: 'Done',
      ticker: 'UAH',
      cardNumber: MASKED,
      to: MASKED,
      amount: '1500.5',
      fee: '15.01',
      merchantId: shop,
      internal: false,
      meta: 'your-info',
      localId: 'payout-7',
    })
    expect([...Value.Errors(FiatWithdraw, notice)]).toEqual([])
  })

  test('that is refused gives everything back', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.next = ['refuses']
    await here.payOut(shop, { amount: '1000' })
    await here.work()
    expect(await here.available(shop)).toBe(2_000_00n)
    const notices = await here.notices(shop)
    expect(notices).toMatchObject([{ status: 'Failed', failReason: 'ERRROR_CODE_GENERIC', amount: '1000', fee: '10' }])
    expect([...Value.Errors(FiatWithdraw, notices[0])]).toEqual([])
    expect(other.orders.size).toBe(0)
  })

  test('goes to another account when the first could not take it, and only then', async () => {
    const shop = await here.merchant('UAH', 10_000n)
    bank.next = ['refuses-elsewhere', 'unreachable']
    await here.payOut(shop, { amount: '1000' })
    await here.payOut(shop, { amount: '2000' })
    await here.work()
    await here.later(2_000)
    expect(other.paid()).toBe(3_000_00n)
    expect(bank.paid()).toBe(0n)
    expect(await here.balance(shop, 'acquirer:other')).toBe(3_000_00n)
    expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done', 'Done'])
  })

  test('that every account refuses as its own doing ends', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.next = ['refuses-elsewhere']
    other.next = ['refuses-elsewhere']
    await here.payOut(shop, { amount: '1000' })
    await here.later(60_000, 4)
    expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Failed'])
    expect(await here.available(shop)).toBe(2_000_00n)
  })

  test.each(['drops', 'vanishes', 'breaks', 'waits'] as const)(
    'that %s is queried, never sent again and never given back on a guess',
    async (behaviour) => {
      const shop = await here.merchant('UAH', 2_000n)
      bank.next = [behaviour]
      await here.payOut(shop, { amount: '1000' })
      await here.work()
      await here.later(48 * HOUR, 96)
      expect(bank.orders.size + other.orders.size).toBe(behaviour === 'drops' || behaviour === 'waits' ? 1 : 0)
      expect(await here.available(shop)).toBe(2_000_00n - 1_010_00n)
      expect(await here.notices(shop)).toEqual([])
      expect((await here.alerts()).map(({ kind }) => kind)).toEqual(['card-payout-unknown'])
      expect(bank.asked.length).toBeGreaterThan(90)
      if (behaviour === 'vanishes' || behaviour === 'breaks') return
      bank.end(references()[0]!, 'pays')
      await here.later(HOUR)
      expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done'])
      expect(await here.alerts()).toEqual([])
      expect(await here.balance(shop, 'merchant')).toBe(2_000_00n - 1_010_00n)
    },
  )

  test('that was refused after a while gives everything back, and an acquirer that can not be asked changes nothing', async () => {
    const shop = await here.merchant('UAH', 2_000n)
    bank.next = ['waits']
    await here.payOut(shop, { amount: '1000' })
    await here.work()
    bank.isMute = true
    bank.end(references()[0]!, 'refuses')
    await here.later(HOUR, 5)
    expect(await here.notices(shop)).toEqual([])
    bank.isMute = false
    await here.later(HOUR)
    expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Failed'])
    expect(await here.available(shop)).toBe(2_000_00n)
  })

  test.each([{ units: 999_99n }, { ticker: 'KZT' }] as const)(
    'that its acquirer reports as paid with another amount or currency (%o) is not posted',
    async (said) => {
      const shop = await here.merchant('UAH', 2_000n)
      bank.next = ['waits']
      await here.payOut(shop, { amount: '1000' })
      await here.work()
      bank.end(references()[0]!, 'pays', said)
      await here.later(HOUR, 3)
      expect(await here.notices(shop)).toEqual([])
      expect(await here.available(shop)).toBe(990_00n)
      expect((await here.alerts()).map(({ kind }) => kind).toSorted()).toEqual([
        'card-payout-mismatch',
        'card-payout-unknown',
      ])
      bank.end(references()[0]!, 'pays')
      await here.later(HOUR)
      expect((await here.notices(shop)).map(({ status }) => status)).toEqual(['Done'])
      expect(await here.alerts()).toEqual([])
    },
  )
})

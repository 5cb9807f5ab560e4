/** A payout in parts: limits, the end of each part, and one notification with all sums. */
import { FiatBatch, WithdrawBatchDone } from '@bursar/contract'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { MASKED, useCardPayouts } from '../../../../test/world/card-payouts.ts'

const { here, bank, other } = useCardPayouts({
  bank: { UAH: { least: 1_00n, most: 14_500_00n }, KZT: { least: 1_000_00n, most: 14_500_00n } },
  other: { UAH: { least: 500_00n, most: 29_000_00n } },
})
const HOUR = 3_600_000
const references = (): string[] => [...bank.orders.keys()]

describe('a batch', () => {
  test('of 100,000 KZT: failed parts are back at once, and Done is sent once, with all figures', async () => {
    const shop = await here.merchant('KZT', 101_000n)
    bank.next = ['pays', 'refuses', 'waits', 'drops', 'pays', 'refuses', 'waits', 'pays']
    const {
      body: { id },
    } = await here.batch(shop, { amount: '100000', localId: 'batch-2', meta: 'x' })
    const fee = 510_00n
    expect(await here.available(shop, 'KZT')).toBe(101_000_00n - 100_000_00n - fee)
    const before = await here.lookUp(shop, id)
    expect([...Value.Errors(FiatBatch, before)]).toEqual([])
    expect(before).toMatchObject({
      status: 'PENDING',
      amount: '100000',
      fee: '510',
      paidAmount: '0',
      failedAmount: '0',
      to: MASKED,
      localId: 'batch-2',
      meta: 'x',
    })
    const parts = before.transactions as { id: string; amount: string; fee: string; status: string }[]
    expect(parts).toHaveLength(8)
    expect(
      parts.every(({ amount, status }) => Number(amount) >= 1_000 && Number(amount) <= 14_500 && status === 'PENDING'),
    ).toBe(true)
    expect(parts.reduce((all, { fee: share }) => all + Math.round(Number(share) * 100), 0)).toBe(Number(fee))

    await here.work()
    const during = await here.lookUp(shop, id)
    const now = during.transactions as typeof parts
    expect(now.map(({ status }) => status).toSorted()).toEqual([
      'DONE',
      'DONE',
      'DONE',
      'FAILED',
      'FAILED',
      'PENDING',
      'PENDING',
      'PENDING',
    ])
    expect(now.map((part) => [part.id, part.amount])).toEqual(parts.map((part) => [part.id, part.amount]))
    const back = now
      .filter(({ status }) => status === 'FAILED')
      .reduce((all, part) => all + Math.round((Number(part.amount) + Number(part.fee)) * 100), 0)
    expect(await here.available(shop, 'KZT')).toBe(101_000_00n - 100_000_00n - fee + BigInt(back))
    expect(await here.notices(shop)).toEqual([])

    const [first, ...rest] = references().filter((reference) => bank.orders.get(reference)!.state.kind === 'waiting')
    bank.end(first!, 'refuses')
    for (const reference of rest) bank.end(reference, 'pays')
    await here.later(HOUR)
    const after = await here.lookUp(shop, id)
    expect([...Value.Errors(FiatBatch, after)]).toEqual([])
    expect(after).toMatchObject({ status: 'DONE', fee: '510' })
    expect(Number(after.paidAmount) + Number(after.failedAmount)).toBe(100_000)
    expect(BigInt(Math.round(Number(after.paidAmount) * 100))).toBe(bank.paid())
    const [notice, ...others] = await here.notices(shop)
    expect(others).toEqual([])
    expect([...Value.Errors(WithdrawBatchDone, notice)]).toEqual([])
    expect(notice).toMatchObject({
      kind: 'WithdrawBatch',
      status: 'Done',
      id,
      amount: '100000',
      fee: '510',
      paidAmount: after.paidAmount,
      failedAmount: after.failedAmount,
      to: MASKED,
      meta: 'x',
      localId: 'batch-2',
      merchantId: shop,
      internal: false,
    })
    expect(Number(notice!.paidFee) + Number(notice!.failedFee)).toBeCloseTo(510, 6)
    const spent = BigInt(Math.round((Number(notice!.paidAmount) + Number(notice!.paidFee)) * 100))
    expect(await here.balance(shop, 'merchant', 'KZT')).toBe(101_000_00n - spent)
    expect(await here.available(shop, 'KZT')).toBe(101_000_00n - spent)
    expect(await here.balance(shop, 'acquirer:bank', 'KZT')).toBe(bank.paid())
    const held = await here.balance(shop, 'fees', 'KZT')
    expect(held).toBe(BigInt(Math.round(Number(notice!.paidFee) * 100)))
  })

  test('of which every part fails is Done with nothing paid, and gives all back', async () => {
    const shop = await here.merchant('KZT', 101_000n)
    bank.otherwise = 'refuses'
    const {
      body: { id },
    } = await here.batch(shop, { amount: '50000' })
    await here.work()
    expect(await here.notices(shop)).toMatchObject([
      { status: 'Done', paidAmount: '0', paidFee: '0', failedAmount: '50000', failedFee: '260' },
    ])
    expect(await here.lookUp(shop, id)).toMatchObject({ status: 'DONE', paidAmount: '0', failedAmount: '50000' })
    expect(await here.available(shop, 'KZT')).toBe(101_000_00n)
  })

  test('large enough is sent in many calls at once, each part once', async () => {
    const shop = await here.merchant('UAH', 1_100_000n)
    const {
      body: { id },
    } = await here.batch(shop, { ticker: 'UAH', amount: '1000000' })
    await here.work()
    expect(await here.lookUp(shop, id)).toMatchObject({ status: 'DONE', paidAmount: '1000000' })
    expect(bank.paid() + other.paid()).toBe(1_000_000_00n)
    expect(await here.available(shop)).toBe(1_100_000_00n - 1_010_000_00n)
  })

  test('of another merchant, or a single payout, is not found', async () => {
    const [shop, another] = [await here.merchant('KZT', 60_000n), await here.merchant('UAH', 5_000n)]
    const {
      body: { id },
    } = await here.batch(shop, { amount: '50000' })
    const single = await here.payOut(another, { amount: '1000' })
    for (const [merchant, asked] of [
      [another, id],
      [another, single.body.id],
      [shop, 'b'.repeat(8)],
    ] as const) {
      expect(await here.ask('getFiatBatchWithdrawal', merchant, { params: { id: String(asked) } })).toMatchObject({
        status: 404,
        body: { code: 101 },
      })
    }
  })
})

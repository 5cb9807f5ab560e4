import { expect, test } from 'vitest'
import { judgePriced, type PricedInvoice } from './priced.ts'

const E18 = 10n ** 18n
/** 10.8 units at 0.9259259259 are worth a little less than 10 by their last digits; 10.81 are worth more. */
const INVOICE: PricedInvoice = {
  asked: 1_081n * 10n ** 16n,
  worth: 10n * E18,
  price: 925_925_925_900_000_000n,
  scale: 18,
  paid: 1_081n * 10n ** 16n,
  isCredited: true,
  isPaid: true,
}
const judge = (more: Partial<PricedInvoice>) => judgePriced('it', { ...INVOICE, ...more })

test('what is worth the price is enough', () => {
  expect(judge({})).toEqual([])
  expect(judge({ isPaid: false, isCredited: false })).toEqual([])
  expect(judge({ isPaid: false })).toEqual([expect.stringContaining('is not PAID')])
})

test.each([
  [1n, []],
  [2n, [expect.stringContaining('is PAID with')]],
])('a worth of %s less than the price', (left, problems) => {
  const paid = ((INVOICE.worth - left) * E18 + INVOICE.price - 1n) / INVOICE.price
  expect(judge({ paid })).toEqual(problems)
  expect(judge({ paid, isPaid: false })).toEqual([])
})

test('an invoice asks for the price, as a person writes it', () => {
  expect(judge({ asked: 108n * 10n ** 17n })).toContainEqual(expect.stringContaining('asks for'))
  expect(judge({ asked: 1_090n * 10n ** 16n, paid: 1_090n * 10n ** 16n })).toEqual([
    expect.stringContaining('asks for'),
  ])
})

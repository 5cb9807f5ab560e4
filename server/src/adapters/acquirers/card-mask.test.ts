import { describe, expect, test } from 'vitest'
import { maskCard, withoutCards } from './card-mask.ts'

describe('masks of cards', () => {
  test.each([
    ['414962*99', '414962********99'],
    ['41****1111', '41**********1111'],
    ['5483-18XX-XXXX-0293', '548318******0293'],
    ['444403******1902', '444403******1902'],
    ['440564...5096', '440564******5096'],
    ['4242 4242 4242 4242', '424242******4242'],
    ['6304000000000000009', '630400******0009'],
    ['12345678****123456', '123456******3456'],
    ['****4242', '************4242'],
  ])('%s is %s', (given, mask) => {
    expect(maskCard(given)).toBe(mask)
  })

  test.each([
    undefined,
    '',
    '****',
    'IBAN',
    '12345',
    'UA213223130000026007233566001',
    '42*42*42',
    '12.50',
    '٤٢٤٢٤٢******٤٢٤٢',
  ])('%j is no card', (given) => {
    expect(maskCard(given)).toBeUndefined()
  })
})

describe('texts of others', () => {
  test.each([
    ['card 4242424242424242 declined', 'card 424242******4242 declined'],
    ['4242 4242 4242 4242, 4000-0000-0000-0002.', '424242******4242, 400000******0002.'],
    ['order 12345678901 at 17:00', 'order 12345678901 at 17:00'],
    ['a\r\nb\u0000c', 'a b c'],
  ])('%j is shown as %j', (given, shown) => {
    expect(withoutCards(given)).toBe(shown)
  })

  test('are not endless', () => {
    expect(withoutCards('x'.repeat(1_000))).toHaveLength(300)
  })
})

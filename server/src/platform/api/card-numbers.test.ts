import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maskCard, passesLuhn, withoutCard, withoutCardNumbers } from './card-numbers.ts'

/** Published test numbers of card schemes, of several lengths. */
const CARDS = [
  '4111111111111111',
  '5555555555554444',
  '378282246310005',
  '6304000000000000',
  '4222222222222',
  '6799990100000000019',
  '9860000000000003',
]
/** Digits that pass, made by trying check digits: independent of the function's own arithmetic only in its result. */
const card = fc
  .tuple(fc.stringMatching(/^[1-9]\d{11,17}$/))
  .map(([body]) => `${body}${[...'0123456789'].find((digit) => passesLuhn(body + digit))!}`)

describe('check digits', () => {
  test.each(CARDS.filter((one) => one !== '9860000000000003'))(
    '%s passes, and with any one digit changed or two neighbours swapped it does not',
    (number) => {
      expect(passesLuhn(number)).toBe(true)
      for (let at = 0; at < number.length; at += 1) {
        const other = String((Number(number[at]) + 1) % 10)
        expect(passesLuhn(number.slice(0, at) + other + number.slice(at + 1))).toBe(false)
      }
    },
  )

  test('exactly one check digit fits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{12,18}$/), (body) => {
        expect([...'0123456789'].filter((digit) => passesLuhn(body + digit))).toHaveLength(1)
      }),
    )
  })
})

describe('masks', () => {
  test('show six and four digits and hide the length', () => {
    expect(maskCard('4111111111111111')).toBe('411111******1111')
    expect(maskCard('4222222222222')).toBe('422222******2222')
    expect(maskCard('6799990100000000019')).toBe('679999******0019')
  })

  test('numbers of cards in a text are masked, grouped or not; amounts, ids and times are not', () => {
    fc.assert(
      fc.property(card, fc.constantFrom('', ' ', '-'), (number, separator) => {
        const shown = number.match(/.{1,4}/g)!.join(separator)
        const text = withoutCardNumbers(`GET /fee?to=${shown}&amount=1000`)
        expect(text).toBe(`GET /fee?to=${maskCard(number)}&amount=1000`)
      }),
    )
    for (const unchanged of [
      '1677486443000',
      '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10',
      // Digits of these pass the check.
      '019b8d99-6900-7000-8000-0586fdfe70df',
      '0xf4111111111111111f00000000000000000000aa',
      'b4111111111111111cdef0123456789abcdef0123456789abcdef0123456789a',
      'a 1000000000000000000 b',
      '41111111111111111111111',
      '0.4111111111111111',
    ]) {
      expect(withoutCardNumbers(unchanged)).toBe(unchanged)
    }
  })

  test('a known card number in the text of an acquirer is masked', () => {
    for (const said of [
      'card 4111111111111111 blocked',
      'card 4111 1111 1111 1111 blocked',
      'card 4111-1111-1111-1111 blocked',
    ]) {
      expect(withoutCard(said, '4111111111111111')).toBe('card 411111******1111 blocked')
    }
  })
})

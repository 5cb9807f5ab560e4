import Type from 'typebox'
import { expect, test } from 'vitest'
import { amount, byName, byTicker, choice, count, flag, httpUrl, text, whole } from './fields.ts'
import { readShape, ShapeError, withRule } from './shape.ts'

const SHAPE = Type.Object({
  url: httpUrl('where it is'),
  confirmations: Type.Optional(count('how many', { most: 9, standard: 3 })),
  traces: Type.Optional(choice('whether', ['auto', 'off'])),
  fee: Type.Optional(
    withRule(Type.Object({ low: whole('at least'), high: whole('at most') }), ({ low, high }, note) => {
      if (BigInt(low) > BigInt(high)) note('it is above high', 'low')
    }),
  ),
  limits: Type.Optional(byTicker(amount('at most'))),
  venues: Type.Optional(byName(['binance', 'kraken'], Type.Object({ closed: Type.Optional(flag('no orders')) }))),
  accounts: Type.Optional(
    Type.Array(
      Type.Union([
        Type.Object({ kind: Type.Literal('bank'), name: text('ours'), account: text('theirs') }),
        Type.Object({ kind: Type.Literal('shop'), name: text('ours') }),
      ]),
      { minItems: 1 },
    ),
  ),
})
const RIGHT = {
  url: 'https://node.example',
  confirmations: 9,
  traces: 'off',
  fee: { low: '1', high: 2 },
  limits: { USDT: '0.5' },
  venues: { kraken: { closed: true } },
  accounts: [{ kind: 'shop', name: 'first' }],
}

const problemsOf = (json: unknown): readonly string[] => {
  try {
    readShape(SHAPE, json)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ShapeError)
    return (error as ShapeError).problems
  }
}

test('a value of the shape is given back, without the name of its schema', () => {
  expect(readShape(SHAPE, { ...RIGHT, $schema: './some.schema.json' })).toEqual(RIGHT)
  expect(problemsOf({ ...RIGHT, $schema: 1, fee: { low: 7, high: '70000000000000000000' } })).toEqual([])
})

test.each([
  [null, 'the file: write a JSON object'],
  [[], 'the file: write a JSON object'],
  [{}, 'url is missing: write an http(s) address'],
  [{ ...RIGHT, url: 'ftp://a' }, 'url: write an http(s) address'],
  [{ ...RIGHT, confirmations: 0 }, 'confirmations: write a whole number from 1 to 9'],
  [{ ...RIGHT, confirmations: '3' }, 'confirmations: write a whole number from 1 to 9'],
  [{ ...RIGHT, traces: true }, 'traces: write "auto" or "off"'],
  [{ ...RIGHT, confirmation: 3 }, /^confirmation is unknown: did you mean confirmations\? There are url, conf/],
  [{ ...RIGHT, __proto__x: 3 }, /^__proto__x is unknown: there are url/],
  [{ ...RIGHT, constructor: 3 }, /^constructor is unknown: there are url/],
  [{ ...RIGHT, fee: { low: '1' } }, 'fee.high is missing: write a whole number'],
  [{ ...RIGHT, fee: { low: '-1', high: 1.5 } }, /^fee\.low: .*\nfee\.high: write a whole number/],
  [{ ...RIGHT, fee: { low: 3, high: '2' } }, 'fee.low: it is above high'],
  [{ ...RIGHT, limits: { 'US DT': '1' } }, 'limits.US DT is unknown: write a ticker, such as USDT'],
  [{ ...RIGHT, limits: { USDT: 1 } }, 'limits.USDT: write an amount as a string, such as "0.5"'],
  [{ ...RIGHT, venues: { krakn: {} } }, 'venues.krakn is unknown: did you mean kraken? There are binance, kraken'],
  [{ ...RIGHT, venues: { kraken: { closed: 'yes' } } }, 'venues.kraken.closed: write true or false'],
  [{ ...RIGHT, accounts: [] }, 'accounts: write a list of at least 1'],
  [{ ...RIGHT, accounts: {} }, 'accounts: write a list of at least 1'],
  [{ ...RIGHT, accounts: [1] }, /^accounts\[0\]: write a JSON object/],
  [{ ...RIGHT, accounts: [{ kind: 'till' }] }, 'accounts[0].kind: write one of bank, shop'],
  [{ ...RIGHT, accounts: [{ kind: 'bank', name: 'second' }] }, /^accounts\[0\] \(second\)\.account is missing/],
  [{ ...RIGHT, accounts: [{ kind: 'shop', name: 'x', account: 'y' }] }, /\(x\)\.account is unknown: there are kind, /],
])('%j is refused with its place and the correct form', (json, problem) => {
  const problems = problemsOf(json).join('\n')
  if (typeof problem === 'string') expect(problems).toBe(problem)
  else expect(problems).toMatch(problem)
})

test('every problem is listed, also those of a rule beside those of a shape', () => {
  expect(problemsOf({ url: 1, confirmations: 'x', fee: { low: 2, high: 1 }, more: 1 })).toHaveLength(4)
})

test('no problem has a value of the file in it', () => {
  const secret = 'topsecret'
  const json = { url: secret, confirmations: secret, fee: secret, accounts: [{ kind: secret }], limits: [secret] }
  expect(problemsOf(json).join()).not.toContain(secret)
})

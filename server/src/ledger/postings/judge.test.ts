import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keyText } from './accounts.ts'
import { judge, type Reading } from './judge.ts'
import { checkTransfer, type Item } from './posting.ts'

const MERCHANT = '00000000-0000-7000-8000-000000000001'
const main = { merchantId: MERCHANT, asset: 'BTC', kind: 'merchant' } as const
const custody = { merchantId: MERCHANT, asset: 'BTC', kind: 'custody:BITCOIN' } as const
const at = new Date(0)

const reading = (posted: bigint, held = 0n): Reading => ({
  accounts: new Map([
    [keyText(main), { id: 1, posted, held, version: 3 }],
    [keyText(custody), { id: 2, posted: -posted, held: 0n, version: 3 }],
  ]),
  localIds: new Map(),
  answers: new Map(),
  openHolds: new Map(),
})

const item = (
  id: string,
  entries: Item['transfer']['entries'],
  more: Partial<Item> & { closes?: string } = {},
): Item => {
  const { closes, ...rest } = more
  return {
    transfer: {
      id,
      merchantId: MERCHANT,
      kind: 'post',
      cause: { kind: 'withdrawal', id },
      entries,
      at,
      ...(closes ? { closes } : {}),
    },
    ...rest,
  }
}
const hold = (id: string, units: bigint, more: Partial<Item> = {}): Item =>
  item(id, [{ account: main, posted: 0n, held: units }], more)
const capture = (id: string, closes: string, units: bigint): Item =>
  item(
    id,
    [
      { account: main, posted: -units, held: -units },
      { account: custody, posted: units, held: 0n },
    ],
    { closes },
  )
const release = (id: string, closes: string, units: bigint): Item =>
  item(id, [{ account: main, posted: 0n, held: -units }], { closes })

describe('judging a batch', () => {
  test('items see the effects of earlier items of the batch', () => {
    const { outcomes, entries } = judge([hold('a', 60n), hold('b', 60n), hold('c', 40n)], reading(100n))
    expect(outcomes.map((o) => o.kind)).toEqual(['applied', 'refused', 'applied'])
    expect(outcomes[1]).toMatchObject({ guard: 'insufficient', available: 40n })
    expect(entries.map((e) => [e.version, e.heldAfter])).toEqual([
      [4, 60n],
      [5, 100n],
    ])
  })

  test('L6 a hold ends once: the second release or capture is refused', () => {
    const batch = [hold('h', 70n), release('r', 'h', 70n), capture('c', 'h', 70n), hold('again', 100n)]
    expect(judge(batch, reading(100n)).outcomes).toEqual([
      { kind: 'applied' },
      { kind: 'applied' },
      { kind: 'refused', guard: 'hold-closed' },
      { kind: 'applied' },
    ])
  })

  test('a hold ends as a whole or not at all', () => {
    expect(() => judge([hold('h', 70n), release('r', 'h', 60n)], reading(100n))).toThrow('does not end all of hold')
  })

  test('a localId is taken once, and the refusal names the object that has it', () => {
    const named = { localId: { value: 'order-1', operation: 'withdrawal' } }
    const { outcomes } = judge([hold('a', 1n, named), hold('b', 1n, named)], reading(100n))
    expect(outcomes[1]).toEqual({ kind: 'refused', guard: 'local-id-taken', objectId: 'a' })
  })

  test('a repeated request gets the first answer, refusals included, and a reused key is refused', () => {
    const answers = (fingerprint: string) => ({
      answers: { keys: [{ key: 'key:1', fingerprint }], of: (o: { kind: string }) => ({ status: 200, body: o.kind }) },
    })
    const batch = [hold('a', 200n, answers('x')), hold('b', 1n, answers('x')), hold('c', 1n, answers('y'))]
    expect(judge(batch, reading(100n)).outcomes.slice(1)).toEqual([
      { kind: 'answered', answer: { status: 200, body: 'refused' } },
      { kind: 'key-reused' },
    ])
  })

  test('L5 never lets a bounded account below zero, and entries add up, in any batch', () => {
    const amount = fc.bigInt({ min: 1n, max: 60n })
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), amount), { maxLength: 30 }), (steps) => {
        const items = steps.map(([spend, units], i) =>
          spend
            ? item(`s${i}`, [
                { account: main, posted: -units, held: 0n },
                { account: custody, posted: units, held: 0n },
              ])
            : hold(`h${i}`, units),
        )
        const { entries, heads } = judge(items, reading(100n))
        const head = heads.find((h) => h.id === 1) ?? { posted: 100n, held: 0n }
        expect(head.posted - head.held >= 0n).toBe(true)
        expect(entries.reduce((sum, e) => sum + e.posted, 0n)).toBe(0n)
      }),
    )
  })
})

test('malformed transfers are refused before they reach the database', () => {
  const other = { ...main, merchantId: '00000000-0000-7000-8000-000000000002' }
  const entries =
    (...list: Item['transfer']['entries']) =>
    () =>
      checkTransfer(item('x', list).transfer)
  expect(entries()).toThrow('needs entries')
  expect(entries({ account: main, posted: 1n, held: 0n })).toThrow('add up to 1')
  expect(entries({ account: main, posted: -1n, held: 0n })).toThrow('add up to -1')
  expect(entries({ account: main, posted: 0n, held: 0n })).toThrow('empty entry')
  expect(entries({ account: main, posted: 0n, held: 1n }, { account: main, posted: 0n, held: 1n })).toThrow(
    'two entries',
  )
  expect(entries({ account: other, posted: 0n, held: 1n })).toThrow('in a transfer of')
})

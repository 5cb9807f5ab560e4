import { describe, expect, test } from 'vitest'
import {
  judgePolicies,
  possiblePolicies,
  WITHOUT_POLICY,
  type AssetLimits,
  type Placement,
  type PolicyChange,
  type Span,
} from './policies.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** 10:00 UTC */
const START = Date.UTC(2026, 11, 1, 10)

let turn = 0
const at = (ms: number): Span => ({ began: (turn += 1), ended: (turn += 1), from: START + ms, to: START + ms })

const change = (
  ms: number,
  limits: Partial<AssetLimits>,
  more: Partial<PolicyChange['policy']> = {},
): PolicyChange => ({
  ...at(ms),
  stored: 'yes',
  policy: {
    ...WITHOUT_POLICY,
    assets: new Map([['ETH', { alone: 0n, approvals: 1, hour: null, day: null, ...limits }]]),
    ...more,
  },
})

const placed = (ms: number, units: bigint, approvals: number, more: Partial<Placement> = {}): Placement => ({
  ...at(ms),
  what: `${units} ETH`,
  asked: new Map([['ETH', units]]),
  made: new Map([['ETH', units]]),
  countsFrom: START + ms,
  receivers: [{ network: 'ETHEREUM', address: '0x1' }],
  approvals,
  ...more,
})

const judge = (changes: PolicyChange[], ...placements: Placement[]): string[] =>
  judgePolicies({ changes, added: [] }, placements)

describe('approvals', () => {
  test('without a policy one other member approves', () => {
    expect(judge([], placed(0, 5n, 1))).toEqual([])
    expect(judge([], placed(0, 5n, 0))).toEqual(['5 ETH: has 0 approvals, and needs 1'])
  })

  test('what a member pays alone is added up for a day', () => {
    const changes = [change(0, { alone: 10n, approvals: 2 })]
    expect(judge(changes, placed(DAY, 6n, 0), placed(2 * DAY, 6n, 0))).toEqual([])
    expect(judge(changes, placed(DAY, 6n, 0), placed(DAY + HOUR, 6n, 0))).toEqual([
      '6 ETH: has 0 approvals, and needs 2',
    ])
  })

  test('a payout with fewer approvals than its rule asks for counts, and one with all of them does not', () => {
    const changes = [change(0, { alone: 10n, approvals: 2 })]
    expect(judge(changes, placed(DAY, 6n, 1), placed(DAY + HOUR, 6n, 1))).toHaveLength(1)
    expect(judge(changes, placed(DAY, 6n, 2), placed(DAY + HOUR, 6n, 0))).toEqual([])
  })

  test('two that are answered at once count together', () => {
    const changes = [change(0, { alone: 10n })]
    const [one, other] = [placed(DAY, 6n, 0), placed(DAY, 6n, 0)]
    expect(judge(changes, { ...one, ended: other.ended }, { ...other, began: one.began })).toHaveLength(1)
  })
})

describe('a change', () => {
  test('that allows more waits a day, and one that forbids more does not', () => {
    const changes = [change(0, { alone: 10n })]
    expect(judge(changes, placed(DAY - 1, 6n, 0))).toHaveLength(1)
    expect(judge(changes, placed(DAY, 6n, 0))).toEqual([])
    expect(judge([...changes, change(DAY + 1, { alone: 5n })], placed(DAY + 2, 6n, 0))).toHaveLength(1)
  })

  test('is replaced by a newer one while it waits', () => {
    const changes = [change(0, { alone: 10n }), change(HOUR, { alone: 8n })]
    expect(judge(changes, placed(DAY, 6n, 0))).toHaveLength(1)
    expect(judge(changes, placed(DAY + HOUR, 6n, 0))).toEqual([])
  })

  test('whose answer was lost may be in force or not', () => {
    const sure = change(0, { alone: 10n })
    const maybe: PolicyChange = { ...change(DAY, { alone: 5n }), stored: 'maybe' }
    expect(possiblePolicies([sure, maybe], at(DAY + HOUR))).toHaveLength(2)
    expect(judge([sure, maybe], placed(DAY + HOUR, 6n, 0))).toEqual([])
    expect(judge([sure, maybe], placed(DAY + HOUR, 11n, 0))).toHaveLength(1)
  })
})

test('the sums of an hour and of a day have what was made, with any approvals', () => {
  const changes = [change(0, { hour: 10n, day: 15n })]
  expect(judge(changes, placed(1, 6n, 1), placed(HOUR, 6n, 1))).toEqual([
    '6 ETH: 12 ETH in an hour, and 10 may be paid',
  ])
  expect(judge(changes, placed(1, 6n, 1), placed(HOUR + 1, 6n, 1))).toEqual([])
  expect(judge(changes, placed(1, 6n, 1), placed(HOUR + 1, 6n, 1), placed(3 * HOUR, 6n, 1))).toEqual([
    '6 ETH: 18 ETH in a day, and 15 may be paid',
  ])
  const notMade = placed(1, 6n, 1, { made: new Map() })
  expect(judge(changes, notMade, placed(HOUR, 6n, 1))).toEqual([])
})

test('no payout is placed in an hour that the rules leave out', () => {
  const hours = WITHOUT_POLICY.hours.map((_, hour) => hour !== 12)
  const changes = [change(0, {}, { hours })]
  expect(judge(changes, placed(2 * HOUR, 1n, 1))).toEqual(['1 ETH: is placed in an hour without payouts'])
  expect(judge(changes, placed(3 * HOUR, 1n, 1))).toEqual([])
})

test('where only the book is paid, an address is paid that has waited', () => {
  const changes = [change(0, {}, { onlyBook: true })]
  const added = [{ ...at(HOUR), network: 'ETHEREUM', address: '0x1' }]
  const outside = '1 ETH: pays an address that is not in the book'
  expect(judgePolicies({ changes, added: [] }, [placed(2 * DAY, 1n, 1)])).toEqual([outside])
  expect(judgePolicies({ changes, added }, [placed(DAY, 1n, 1)])).toEqual([outside])
  expect(judgePolicies({ changes, added }, [placed(DAY + HOUR, 1n, 1)])).toEqual([])
  const earlier = placed(2 * DAY, 1n, 1)
  const removed = [{ ...added[0]!, removed: at(2 * DAY) }]
  expect(judgePolicies({ changes, added: removed }, [earlier])).toEqual([])
  expect(judgePolicies({ changes, added: removed }, [placed(3 * DAY, 1n, 1)])).toEqual([outside])
})

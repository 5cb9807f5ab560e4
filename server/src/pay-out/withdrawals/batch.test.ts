import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { chooseBatch, type BatchRules } from './bitcoin-batch.ts'

const rules: BatchRules = { mostPayments: 3, batchWaitMs: 30, saveUpAfterMs: 1_000, saveUpMs: 500 }
interface Waiting {
  id: number
  createdAt: Date
  units: number
}
const waiting = (...all: [createdAt: number, units: number][]): Waiting[] =>
  all.map(([at, units], id) => ({ id, createdAt: new Date(at), units }))
const upTo = (most: number) => (chosen: readonly Waiting[]) => chosen.reduce((sum, { units }) => sum + units, 0) <= most
const choose = (all: Waiting[], coins: number, now: number) => {
  const { chosen, short, leaves } = chooseBatch(all, upTo(coins), rules, now)
  return { ids: chosen.map(({ id }) => id), short: short?.id, leaves }
}

describe('a batch', () => {
  test('waits for company until its oldest has waited long enough', () => {
    const two = waiting([0, 1], [29, 1])
    expect(choose(two, 10, 29)).toEqual({ ids: [0, 1], short: undefined, leaves: false })
    expect(choose(two, 10, 30).leaves).toBe(true)
    expect(choose([], 10, 30)).toEqual({ ids: [], short: undefined, leaves: false })
  })

  test('leaves at once when it is full, with the oldest', () => {
    expect(choose(waiting([0, 1], [0, 1], [0, 1], [0, 1]), 10, 0)).toEqual({
      ids: [0, 1, 2],
      short: undefined,
      leaves: true,
    })
  })

  test('leaves out withdrawals that the coins do not cover, and names the oldest of these', () => {
    expect(choose(waiting([0, 2], [1, 50], [2, 3], [3, 60]), 10, 100)).toEqual({ ids: [0, 2], short: 1, leaves: true })
  })

  test('keeps all coins for an old one for a while, then lets the younger ones go again, and so on', () => {
    const all = waiting([-5, 1], [0, 50], [1, 2])
    const goes = (age: number): number[] => choose(all, 10, age).ids
    expect([999, 1_000, 1_499, 1_500, 1_999, 2_000].map(goes)).toEqual([[0, 2], [0], [0], [0, 2], [0, 2], [0]])
    expect(choose(all, 60, 1_000).ids).toEqual([0, 1, 2])
  })

  test('is in order, within the coins, and leaves out no affordable withdrawal, except to save for an older one', () => {
    const list = fc.array(fc.tuple(fc.nat({ max: 3_000 }), fc.integer({ min: 1, max: 30 })), { maxLength: 12 })
    fc.assert(
      fc.property(list, fc.nat({ max: 60 }), fc.nat({ max: 4_000 }), (entries, coins, late) => {
        const all = waiting(...entries.toSorted(([a], [b]) => a - b))
        const now = 3_000 + late
        const { chosen, short, leaves } = chooseBatch(all, upTo(coins), rules, now)
        expect(chosen.map(({ id }) => id)).toEqual(chosen.map(({ id }) => id).toSorted((a, b) => a - b))
        expect(chosen.length).toBeLessThanOrEqual(rules.mostPayments)
        expect(chosen.length === 0 || upTo(coins)(chosen)).toBe(true)
        if (chosen.length === rules.mostPayments) expect(leaves).toBe(true)
        if (chosen[0] && now - chosen[0].createdAt.getTime() >= rules.batchWaitMs) expect(leaves).toBe(true)
        const age = short ? now - short.createdAt.getTime() - rules.saveUpAfterMs : -1
        const saving = age >= 0 && Math.floor(age / rules.saveUpMs) % 2 === 0
        if (chosen.length < rules.mostPayments && !saving) {
          for (const one of all) if (!chosen.includes(one)) expect(upTo(coins)([...chosen, one])).toBe(false)
        }
        if (saving) expect(chosen.every(({ id }) => id < short!.id)).toBe(true)
      }),
    )
  })

  test('small withdrawals and a large one are all paid, for any amounts, while money keeps coming in', () => {
    const amounts = fc.record({
      large: fc.integer({ min: 20, max: 60 }),
      income: fc.integer({ min: 2, max: 6 }),
      small: fc.integer({ min: 1, max: 2 }),
    })
    fc.assert(
      fc.property(amounts, ({ large, income, small }) => {
        let coins = 0
        let queue = waiting([0, large])
        let longest = 0
        let paidLarge = false
        // Every 100 ms money comes in and as much of it is asked for again.
        for (let now = 0, id = 1; now < 20_000; now += 100) {
          coins += income
          for (let asked = 0; asked + small <= income; asked += small)
            queue.push({ id: (id += 1), createdAt: new Date(now), units: small })
          for (;;) {
            const { chosen, leaves } = chooseBatch(
              queue,
              upTo(coins),
              { ...rules, batchWaitMs: 0, mostPayments: 50 },
              now,
            )
            if (!leaves) break
            coins -= chosen.reduce((sum, { units }) => sum + units, 0)
            queue = queue.filter((one) => !chosen.includes(one))
            paidLarge ||= chosen.some(({ id: one }) => one === 0)
            longest = Math.max(
              longest,
              ...chosen.filter((one) => one.id > 0).map((one) => now - one.createdAt.getTime()),
            )
          }
        }
        // It needs more than comes in while it is saved up for, or it was paid.
        expect(paidLarge || large > (income * rules.saveUpMs) / 100).toBe(true)
        expect(longest).toBeLessThanOrEqual(2 * rules.saveUpMs)
      }),
      { numRuns: cases(50) },
    )
  })
})

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { sumOf } from './coin.ts'
import { gatherCoins } from './gathering.ts'
import type { GatheringRequest } from './gathering.ts'
import { canPay } from './selection.ts'
import type { SpendableCoin } from './coin.ts'
import { feeAt, inputWeightOf, vsizeOf } from './size.ts'
import { CHANGE, amount, coinSets, feeRates, outpoints, paymentLists, testCoin } from './test-wallet.ts'

const base = {
  smallUnits: 50_000n,
  leastCoins: 3,
  mostCoins: 10,
  mostPerMille: 1_000n,
  waiting: [],
  changeScript: CHANGE.script,
  feeRateMilliSatPerVb: 1_000n,
}
const coinsOf = (...units: bigint[]): SpendableCoin[] => units.map((one, number) => testCoin(number, one))
const gather = (coins: SpendableCoin[], more: Partial<GatheringRequest<SpendableCoin>> = {}): bigint[] =>
  gatherCoins({ ...base, coins, ...more }).map(({ units }) => units)

describe('gatherCoins', () => {
  const coins = coinsOf(50_000n, 900_000n, 20_000n, 50_001n, 68n, 70n, 30_000n)

  test('takes the small ones that are worth their fee, the smallest first', () => {
    expect(gather(coins)).toEqual([70n, 20_000n, 30_000n, 50_000n])
    expect(gather(coins, { mostCoins: 3 })).toEqual([70n, 20_000n, 30_000n])
    expect(gather(coins, { feeRateMilliSatPerVb: 400_000n })).toEqual([])
  })

  test('takes no coins when there are too few', () => {
    expect(gather(coins, { leastCoins: 4 })).toHaveLength(4)
    expect(gather(coins, { leastCoins: 5 })).toEqual([])
  })

  test('has no more than its share on the way', () => {
    expect(gather(coins, { mostPerMille: 60n })).toEqual([70n, 20_000n, 30_000n])
    expect(gather(coins, { mostPerMille: 40n })).toEqual([])
  })

  test('leaves the coins that payments need now', () => {
    const small = coinsOf(...Array.from({ length: 10 }, () => 40_000n))
    const waiting = [{ script: CHANGE.script, units: 190_000n }]
    expect(gather(small)).toHaveLength(10)
    expect(gather(small, { waiting })).toHaveLength(5)
    expect(gather(small, { waiting: [{ script: CHANGE.script, units: 350_000n }] })).toEqual([])
  })

  test('never spends a coin for more than its value, and never takes a waiting coin, in any order', () => {
    fc.assert(
      fc.property(
        coinSets(30),
        fc.oneof(fc.constant([]), paymentLists(3)),
        feeRates,
        amount(0n, 10_000_000n),
        amount(0n, 1_000n),
        (all, waiting, rate, smallUnits, mostPerMille) => {
          const request = { ...base, coins: all, waiting, feeRateMilliSatPerVb: rate, smallUnits, mostPerMille }
          const gathered = gatherCoins(request)
          expect(outpoints(gatherCoins({ ...request, coins: all.toReversed() }))).toEqual(outpoints(gathered))
          if (gathered.length === 0) return
          expect(gathered.length).toBeGreaterThanOrEqual(base.leastCoins)
          expect(gathered.length).toBeLessThanOrEqual(base.mostCoins)
          for (const { units, script } of gathered) {
            expect(units).toBeLessThanOrEqual(smallUnits)
            expect(units).toBeGreaterThan(feeAt(rate, vsizeOf(inputWeightOf(script))))
          }
          expect(sumOf(gathered) * 1000n).toBeLessThanOrEqual(sumOf(all) * mostPerMille)
          const rest = all.filter((coin) => !gathered.includes(coin))
          const asked = { coins: rest, outputs: waiting, changeScript: CHANGE.script, feeRateMilliSatPerVb: rate }
          expect(waiting.length === 0 || canPay(asked)).toBe(true)
        },
      ),
      { numRuns: cases(300) },
    )
  })
})

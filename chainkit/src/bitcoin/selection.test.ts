import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import { sumOf } from './coin.ts'
import { buildPayout } from './payout.ts'
import { leastChange } from './change.ts'
import { canPay, selectCoins } from './selection.ts'
import type { Selection, SelectionRequest } from './selection.ts'
import type { SpendableCoin } from './coin.ts'
import { dustThreshold, estimateVsize, feeAt, inputWeightOf, outputWeightOf, vsizeOf } from './size.ts'
import { CHANGE, NO_CAPS, coinSets, feeRates, outpoints, paymentLists, testCoin } from './test-wallet.ts'

const changeScript = CHANGE.script

function select(request: SelectionRequest<SpendableCoin>): Selection<SpendableCoin> {
  const selection = selectCoins(request)
  if (isRefused(selection)) throw new Error(selection.message)
  return selection
}

const request = (coins: bigint[], pay: bigint, rate = 1000n): SelectionRequest<SpendableCoin> => ({
  coins: coins.map((units, number) => testCoin(number, units)),
  outputs: [{ script: changeScript, units: pay }],
  changeScript,
  feeRateMilliSatPerVb: rate,
})

describe('selectCoins', () => {
  test('prefers coins that need no change', () => {
    // The coin of 100,070 alone would need no change either, but does not pay the fee.
    const { coins, change, fee } = select(request([500_000n, 100_070n, 60_000n, 40_300n, 7_000n], 100_000n))
    expect(coins.map(({ units }) => units)).toEqual([60_000n, 40_300n])
    expect([change, fee]).toEqual([0n, 300n])
  })

  test('else takes the smallest single coin that is enough', () => {
    const { coins, change, fee } = select(request([500_000n, 150_000n, 90_000n, 80_000n], 100_000n))
    expect(coins.map(({ units }) => units)).toEqual([150_000n])
    expect([change, fee]).toEqual([150_000n - 100_000n - 141n, 141n])
  })

  test('else takes the largest first', () => {
    const { coins } = select(request([40_000n, 30_000n, 20_000n, 90_000n, 80_000n], 150_000n))
    expect(coins.map(({ units }) => units)).toEqual([90_000n, 80_000n])
  })

  test('distinguishes equal coins by their outpoints, not by the order they came in', () => {
    const equal = request(
      Array.from({ length: 9 }, () => 40_000n),
      100_000n,
    )
    const reversed = select({ ...equal, coins: equal.coins.toReversed() })
    expect(outpoints(reversed.coins)).toEqual(outpoints(select(equal).coins))
  })

  test('leaves coins that cost more than they hold', () => {
    const { coins } = select(request([100_000n, 600n], 90_000n, 10_000n))
    expect(coins).toHaveLength(1)
  })

  test('makes dust a part of the fee', () => {
    const pay = 100_000n - 141n - dustThreshold(changeScript) + 1n
    expect(select(request([100_000n], pay)).change).toBe(0n)
    expect(select(request([100_000n], pay - 1n)).change).toBe(dustThreshold(changeScript))
  })

  test('says when there is not enough, to the satoshi', () => {
    expect(select(request([100_000n], 100_000n - 110n)).fee).toBe(110n)
    expect(selectCoins(request([100_000n], 100_000n - 109n))).toMatchObject({ refused: 'not-enough' })
    expect(selectCoins(request([], 1n))).toMatchObject({ refused: 'not-enough' })
  })

  test('says when the transaction would be too large to be relayed', () => {
    const coins = Array.from({ length: 1600 }, () => 1_000n)
    expect(selectCoins(request(coins, 1_450_000n))).toMatchObject({ refused: 'too-large' })
  })

  test('chooses from ten thousand coins in seconds of processor time', () => {
    const coins = Array.from({ length: 10_000 }, (_, at) => 1_000n + BigInt((at * 7919) % 100_003))
    const before = process.cpuUsage()
    select(request(coins, 20_000_000n, 3_000n))
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000)
  })

  test('never loses a satoshi, never pays too little, and does not depend on the order of the coins', () => {
    fc.assert(
      fc.property(coinSets(25), paymentLists(4), feeRates, fc.boolean(), (coins, outputs, rate, withChange) => {
        const asked = { coins, outputs, feeRateMilliSatPerVb: rate, ...(withChange && { changeScript }) }
        const selection = selectCoins(asked)
        const reversed = selectCoins({ ...asked, coins: coins.toReversed() })
        if (isRefused(selection)) {
          expect(reversed).toEqual(selection)
          expect(selection.refused).toBe('not-enough')
          return
        }
        const { coins: chosen, fee, change, vsize } = selection
        expect(outpoints(isRefused(reversed) ? [] : reversed.coins)).toEqual(outpoints(chosen))
        expect(new Set(outpoints(chosen)).size).toBe(chosen.length)
        expect(sumOf(chosen)).toBe(sumOf(outputs) + change + fee)
        expect(change === 0n || change >= dustThreshold(changeScript)).toBe(true)
        const made = change > 0n ? [...outputs, { script: changeScript }] : outputs
        expect(vsize).toBe(
          estimateVsize(
            chosen.map(({ script }) => script),
            made.map(({ script }) => script),
          ),
        )
        expect(fee).toBeGreaterThanOrEqual(feeAt(rate, vsize))
        if (change > 0n) expect(fee).toBe(feeAt(rate, vsize))
      }),
      { numRuns: cases(500) },
    )
  })

  test('buildPayout builds exactly the transaction that the selection promised', () => {
    fc.assert(
      fc.property(coinSets(12), paymentLists(3), feeRates, (coins, payments, feeRateMilliSatPerVb) => {
        const selection = selectCoins({ coins, outputs: payments, changeScript, feeRateMilliSatPerVb })
        if (isRefused(selection)) return
        const change = { script: changeScript }
        const caps = NO_CAPS
        const built = buildPayout({
          inputs: selection.coins,
          payments,
          change,
          feeRateMilliSatPerVb,
          caps,
          order: 'as-given',
        })
        const { fee, vsize, change: left } = selection
        expect(built).toMatchObject({ fee, vsize, change: left })
      }),
      { numRuns: cases(200) },
    )
  })

  test('gives up change that costs more to spend later than it holds', () => {
    // 400 satoshi are above dust, but spending them at 10 satoshi a virtual byte costs 690.
    const asked = request([100_000n + 1_410n + 400n], 100_000n, 10_000n)
    expect(select(asked)).toMatchObject({ change: 400n })
    expect(select({ ...asked, laterRateMilliSatPerVb: 10_000n })).toMatchObject({ change: 0n, fee: 1_810n })
    expect(select({ ...asked, laterRateMilliSatPerVb: 1_000n })).toMatchObject({ change: 400n })
  })

  test('no input costs more than its value, no change costs more than its value, and every input is needed', () => {
    fc.assert(
      fc.property(coinSets(25), paymentLists(4), feeRates, feeRates, (coins, outputs, rate, later) => {
        const asked = { coins, outputs, changeScript, feeRateMilliSatPerVb: rate, laterRateMilliSatPerVb: later }
        const selection = selectCoins(asked)
        expect(isRefused(selection)).toBe(!canPay(asked))
        if (isRefused(selection)) return
        for (const { units, script } of selection.coins) {
          expect(units * 4000n).toBeGreaterThan(rate * BigInt(inputWeightOf(script)))
        }
        const { change, fee, vsize } = selection
        const least = leastChange(changeScript, later)
        expect(change === 0n || change >= least).toBe(true)
        expect(least).toBeGreaterThan(feeAt(later, vsizeOf(inputWeightOf(changeScript))))
        // What is given up instead of change is less than change would have cost: its output, and what it must hold.
        const withOutput = vsize + vsizeOf(outputWeightOf(changeScript)) + 3
        if (change === 0n) expect(fee).toBeLessThan(feeAt(rate, withOutput) + least)
      }),
      { numRuns: cases(500) },
    )
  })

  test('takes no coin that could be left out, unless that saves the change', () => {
    fc.assert(
      fc.property(coinSets(12), paymentLists(2), feeRates, (coins, outputs, rate) => {
        const asked = { coins, outputs, changeScript, feeRateMilliSatPerVb: rate }
        const selection = selectCoins(asked)
        if (isRefused(selection) || selection.change === 0n) return
        const smallest = selection.coins.toSorted((a, b) => (a.units < b.units ? -1 : 1)).slice(1)
        expect(canPay({ ...asked, coins: smallest })).toBe(false)
      }),
      { numRuns: cases(300) },
    )
  })
})

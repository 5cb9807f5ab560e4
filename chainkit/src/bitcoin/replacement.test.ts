import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import { sumOf } from './coin.ts'
import { buildPayout } from './payout.ts'
import type { Payout } from './payout.ts'
import { parsePsbt } from './psbt.ts'
import type { Psbt } from './psbt.ts'
import { buildReplacement } from './replacement.ts'
import type { ReplacementRequest } from './replacement.ts'
import { feeAt } from './size.ts'
import { CHANGE, NO_CAPS, coinSets, feeRates, outpoints, paymentLists, testCoin } from './test-wallet.ts'

const change = { script: CHANGE.script, origin: CHANGE.origin }
const payments = [{ script: testCoin(5, 1n).script, units: 50_000n }]

function original(units: bigint, rate = 1_000n): Payout {
  const inputs = [testCoin(0, units)]
  const built = buildPayout({ inputs, payments, change, feeRateMilliSatPerVb: rate, caps: NO_CAPS, order: 'as-given' })
  if (isRefused(built)) throw new Error(built.message)
  return built
}

function replace(of: Payout, more: Partial<ReplacementRequest> = {}): ReturnType<typeof buildReplacement> {
  const { psbt, changeIndex } = of
  return buildReplacement({ original: psbt, changeIndex, feeRateMilliSatPerVb: 1_000n, caps: NO_CAPS, ...more })
}

function parse(psbt: Uint8Array): Psbt {
  const parsed = parsePsbt(psbt)
  if (isRefused(parsed)) throw new Error(parsed.message)
  return parsed
}

describe('buildReplacement', () => {
  test('pays the fee of the replaced transaction and its own relay fee, even when the requested rate is lower', () => {
    const first = original(100_000n)
    expect(first).toMatchObject({ fee: 141n, vsize: 141 })
    expect(replace(first)).toMatchObject({ fee: 282n, change: 100_000n - 50_000n - 282n, changeIndex: 1 })
  })

  test('pays the rate asked when that is more', () => {
    expect(replace(original(100_000n), { feeRateMilliSatPerVb: 10_000n })).toMatchObject({ fee: 1_410n })
  })

  test('pays for everything it evicts', () => {
    expect(replace(original(100_000n), { replacedFees: 5_000n })).toMatchObject({ fee: 5_141n })
  })

  test('beats the fee rate of the original when the relay increment is next to nothing', () => {
    const replaced = replace(original(100_000n, 3_001n), { incrementalRateMilliSatPerVb: 1n })
    expect(replaced).toMatchObject({ fee: 425n })
    const larger = replace(original(50_000n + 120n), {
      extraInputs: [testCoin(1, 10_000n)],
      change,
      incrementalRateMilliSatPerVb: 1n,
      feeRateMilliSatPerVb: 1n,
    })
    // 120 satoshi for 110 virtual bytes are 228 for 209; a replacement pays at a higher rate, not the same.
    expect(larger).toMatchObject({ vsize: 209, fee: 229n })
  })

  test('drops the change output when the rest of it would be dust', () => {
    expect(replace(original(50_000n + 141n + 400n))).toMatchObject({ change: 0n, changeIndex: undefined, fee: 541n })
  })

  test('adds inputs only when the change does not suffice, and no more than it takes', () => {
    const extraInputs = [testCoin(1, 10_000n), testCoin(2, 20_000n)]
    const rich = replace(original(100_000n), { extraInputs })
    const poor = replace(original(50_000n + 120n), { extraInputs, change, feeRateMilliSatPerVb: 5_000n })
    if (isRefused(rich) || isRefused(poor)) throw new Error('not built')
    expect(parse(rich.psbt).inputs).toHaveLength(1)
    expect(outpoints(parse(poor.psbt).inputs)).toEqual(outpoints([testCoin(0, 1n), extraInputs[0]!]))
    expect(poor.change).toBe(50_120n + 10_000n - 50_000n - poor.fee)
  })

  test('names why it cannot', () => {
    expect(replace(original(50_000n + 120n))).toMatchObject({ refused: 'not-enough' })
    expect(replace(original(100_000n), { caps: { maxFee: 200n, maxFeePerMille: 1000n } })).toMatchObject({
      refused: 'fee-too-high',
    })
    expect(replace({ ...original(100_000n), psbt: Uint8Array.of(0) })).toMatchObject({ refused: 'not-parsable' })
    expect(() => replace(original(100_000n), { extraInputs: [testCoin(0, 5n)] })).toThrow(/twice/)
    expect(() => replace({ ...original(100_000n), changeIndex: 7 })).toThrow(RangeError)
  })

  test('always conflicts, pays the same, obeys BIP 125 rules 3 and 4, and loses no satoshi', () => {
    const order = fc.constantFrom<'as-given' | 'bip69'>('as-given', 'bip69')
    fc.assert(
      fc.property(
        coinSets(5),
        coinSets(12),
        paymentLists(3),
        feeRates,
        feeRates,
        order,
        (inputs, more, pay, low, high, sort) => {
          if (inputs.length === 0) return
          const first = buildPayout({
            inputs,
            payments: pay,
            change,
            feeRateMilliSatPerVb: low,
            caps: NO_CAPS,
            order: sort,
          })
          if (isRefused(first)) return
          const extraInputs = more.slice(inputs.length)
          const second = replace(first, { feeRateMilliSatPerVb: high, extraInputs, change })
          if (isRefused(second)) {
            expect(second.refused).toBe('not-enough')
            return
          }
          const [before, after] = [parse(first.psbt), parse(second.psbt)]
          expect(outpoints(after.inputs).slice(0, inputs.length)).toEqual(outpoints(before.inputs))
          const paid = (psbt: Psbt, changeAt: number | undefined): unknown[] =>
            psbt.outputs.filter((_, at) => at !== changeAt).map(({ script, units }) => ({ script, units }))
          expect(paid(after, second.changeIndex)).toEqual(paid(before, first.changeIndex))
          expect(second.fee).toBeGreaterThanOrEqual(first.fee + feeAt(1_000n, second.vsize))
          expect(second.fee).toBeGreaterThanOrEqual(feeAt(high, second.vsize))
          expect(second.fee * BigInt(first.vsize)).toBeGreaterThan(first.fee * BigInt(second.vsize))
          expect(sumOf(after.inputs)).toBe(sumOf(pay) + second.change + second.fee)
        },
      ),
      { numRuns: cases(200) },
    )
  })
})

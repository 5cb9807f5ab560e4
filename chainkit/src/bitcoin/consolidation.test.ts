import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import { sumOf } from './coin.ts'
import { buildConsolidation, replaceConsolidation } from './consolidation.ts'
import type { Consolidation, ConsolidationRequest } from './consolidation.ts'
import { parsePsbt, psbtFee } from './psbt.ts'
import type { Psbt } from './psbt.ts'
import { dustThreshold, estimateVsize, feeAt } from './size.ts'
import { CHANGE, NO_CAPS, amount, coinSets, feeRates, outpoints, testCoin } from './test-wallet.ts'

const base: ConsolidationRequest = {
  inputs: [testCoin(0, 40_000n), testCoin(1, 30_000n)],
  destination: { script: CHANGE.script, origin: CHANGE.origin },
  feeRateMilliSatPerVb: 2_000n,
  caps: NO_CAPS,
}

function build(more: Partial<ConsolidationRequest> = {}): Consolidation {
  const built = buildConsolidation({ ...base, ...more })
  if (isRefused(built)) throw new Error(built.message)
  return built
}

function parse(psbt: Uint8Array): Psbt {
  const parsed = parsePsbt(psbt)
  if (isRefused(parsed)) throw new Error(parsed.message)
  return parsed
}

describe('buildConsolidation', () => {
  test('joins coins into one output of ours', () => {
    const { psbt, fee, vsize, units } = build()
    expect([vsize, fee, units]).toEqual([178, 356n, 69_644n])
    expect(parse(psbt).outputs).toEqual([{ script: CHANGE.script, units, origins: [CHANGE.origin] }])
    expect(outpoints(parse(psbt).inputs)).toEqual(outpoints(base.inputs))
  })

  test('pays the missing fee of its ancestors, and nothing for ancestors that pay enough', () => {
    expect(build({ ancestors: { vsize: 1_000, fee: 500n } }).fee).toBe(2n * 1_178n - 500n)
    expect(build({ ancestors: { vsize: 1_000, fee: 90_000n } }).fee).toBe(356n)
  })

  test('names why it cannot', () => {
    expect(buildConsolidation({ ...base, inputs: [testCoin(0, 500n)] })).toMatchObject({ refused: 'not-enough' })
    expect(buildConsolidation({ ...base, caps: { maxFee: 355n, maxFeePerMille: 1000n } })).toMatchObject({
      refused: 'fee-too-high',
    })
    expect(buildConsolidation({ ...base, caps: { maxFee: 356n, maxFeePerMille: 5n } })).toMatchObject({
      refused: 'fee-too-high',
    })
    expect(() => build({ inputs: [] })).toThrow(RangeError)
    expect(() => build({ inputs: [testCoin(0, 9_000n), testCoin(0, 9_000n)] })).toThrow(/twice/)
    expect(replaceConsolidation({ ...base, original: Uint8Array.of(1) })).toMatchObject({ refused: 'not-parsable' })
  })

  test('loses no satoshi, and its replacement spends the same coins to the same place at a fee that nodes take', () => {
    const ancestors = fc.option(fc.record({ vsize: fc.nat({ max: 50_000 }), fee: amount(0n, 100_000n) }))
    fc.assert(
      fc.property(coinSets(8), feeRates, feeRates, ancestors, (inputs, low, high, before) => {
        if (inputs.length === 0) return
        const more = before ? { ancestors: before } : {}
        const first = buildConsolidation({ ...base, ...more, inputs, feeRateMilliSatPerVb: low })
        if (isRefused(first)) {
          expect(first.refused).toBe('not-enough')
          return
        }
        expect(first.fee + first.units).toBe(sumOf(inputs))
        expect(psbtFee(parse(first.psbt))).toBe(first.fee)
        expect(first.units).toBeGreaterThanOrEqual(dustThreshold(CHANGE.script))
        const vsize = estimateVsize(
          inputs.map(({ script }) => script),
          [CHANGE.script],
        )
        expect(first.fee).toBeGreaterThanOrEqual(feeAt(low, vsize))
        if (before) expect(first.fee + before.fee).toBeGreaterThanOrEqual(feeAt(low, vsize + before.vsize))
        const second = replaceConsolidation({ ...base, ...more, original: first.psbt, feeRateMilliSatPerVb: high })
        if (isRefused(second)) return
        expect(second.fee).toBeGreaterThanOrEqual(first.fee + feeAt(1_000n, vsize))
        expect(second.fee).toBeGreaterThanOrEqual(feeAt(high, vsize))
        expect(outpoints(parse(second.psbt).inputs)).toEqual(outpoints(inputs))
        expect(parse(second.psbt).outputs).toEqual([{ ...parse(first.psbt).outputs[0]!, units: second.units }])
        expect(second.fee + second.units).toBe(sumOf(inputs))
      }),
      { numRuns: cases(200) },
    )
  })
})

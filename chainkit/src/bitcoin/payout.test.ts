import { Transaction } from '@scure/btc-signer'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import { sumOf } from './coin.ts'
import { buildPayout } from './payout.ts'
import type { Payout, PayoutRequest } from './payout.ts'
import { REPLACEABLE, parsePsbt, psbtFee } from './psbt.ts'
import type { Psbt } from './psbt.ts'
import { writeScript } from './script.ts'
import { signPayout } from './signing.ts'
import { CHANGE, NO_CAPS, coinSets, feeRates, outpoints, paymentLists, testCoin } from './test-wallet.ts'
import { finalize, parseTransaction } from './transaction.ts'

const stranger = writeScript('p2wpkh', new Uint8Array(20).fill(9))
const base: PayoutRequest = {
  inputs: [testCoin(0, 100_000n)],
  payments: [{ script: stranger, units: 50_000n }],
  change: { script: CHANGE.script, origin: CHANGE.origin },
  feeRateMilliSatPerVb: 2_000n,
  caps: NO_CAPS,
  order: 'as-given',
}

function build(request: PayoutRequest): Payout {
  const payout = buildPayout(request)
  if (isRefused(payout)) throw new Error(payout.message)
  return payout
}

function parse(psbt: Uint8Array): Psbt {
  const parsed = parsePsbt(psbt)
  if (isRefused(parsed)) throw new Error(parsed.message)
  return parsed
}

describe('buildPayout', () => {
  test('pays, returns the change and reports its cost', () => {
    const payout = build(base)
    expect(payout).toMatchObject({ fee: 282n, vsize: 141, change: 49_718n, changeIndex: 1, paymentIndexes: [0] })
    const psbt = parse(payout.psbt)
    expect(psbt.inputs[0]).toMatchObject({ sequence: REPLACEABLE, units: 100_000n, origins: [base.inputs[0]!.origin] })
    expect(psbt.outputs).toEqual([
      { script: stranger, units: 50_000n, origins: [] },
      { script: CHANGE.script, units: 49_718n, origins: [CHANGE.origin] },
    ])
    expect(psbt).toMatchObject({ transactionVersion: 2, lockTime: 0 })
  })

  test.each([
    ['the absolute cap', { maxFee: 281n, maxFeePerMille: 1000n }],
    ['the relative cap', { maxFee: 1_000n, maxFeePerMille: 5n }],
  ])('refuses a fee above %s', (_name, caps) => {
    expect(buildPayout({ ...base, caps })).toMatchObject({ refused: 'fee-too-high' })
  })

  test('allows a fee at both caps', () => {
    const payments = [{ script: stranger, units: 28_200n }]
    expect(build({ ...base, payments, caps: { maxFee: 282n, maxFeePerMille: 10n } }).fee).toBe(282n)
    expect(
      buildPayout({
        ...base,
        payments: [{ script: stranger, units: 28_199n }],
        caps: { maxFee: 282n, maxFeePerMille: 10n },
      }),
    ).toMatchObject({ refused: 'fee-too-high' })
  })

  test('refuses a payment below dust, and inputs that do not suffice', () => {
    expect(buildPayout({ ...base, payments: [{ script: stranger, units: 293n }] })).toMatchObject({ refused: 'dust' })
    expect(buildPayout({ ...base, payments: [{ script: stranger, units: 99_900n }] })).toMatchObject({
      refused: 'not-enough',
    })
  })

  test('does not take the same input twice, nor nothing', () => {
    expect(() => buildPayout({ ...base, inputs: [testCoin(0, 1n), testCoin(0, 1n)] })).toThrow(/twice/)
    expect(() => buildPayout({ ...base, inputs: [] })).toThrow(RangeError)
    expect(() => buildPayout({ ...base, payments: [] })).toThrow(RangeError)
  })

  test('without change the rest is fee', () => {
    const { change: _change, ...without } = base
    expect(build(without)).toMatchObject({ fee: 50_000n, change: 0n, changeIndex: undefined })
  })

  test('sorts by BIP 69 when asked, and says where each payment went', () => {
    const inputs = [testCoin(3, 400_000n), testCoin(1, 100_000n), testCoin(2, 200_000n)]
    const payments = [300_000n, 1_000n, 250_000n].map((units) => ({ script: stranger, units }))
    const payout = build({ ...base, inputs, payments, order: 'bip69' })
    const psbt = parse(payout.psbt)
    expect(outpoints(psbt.inputs)).toEqual(outpoints([inputs[1]!, inputs[2]!, inputs[0]!]))
    expect(psbt.outputs.map(({ units }) => units)).toEqual([1_000n, payout.change, 250_000n, 300_000n])
    expect(payout).toMatchObject({ changeIndex: 1, paymentIndexes: [3, 0, 2] })
  })

  test('signed, it pays the reported amounts to the satoshi, and its size is at most the reported size', () => {
    const version = fc.constantFrom<0 | 2>(0, 2)
    const order = fc.constantFrom<'as-given' | 'bip69'>('as-given', 'bip69')
    fc.assert(
      fc.property(
        coinSets(6),
        paymentLists(3),
        feeRates,
        version,
        order,
        (inputs, payments, rate, psbtVersion, sort) => {
          if (inputs.length === 0) return
          const payout = buildPayout({
            ...base,
            inputs,
            payments,
            feeRateMilliSatPerVb: rate,
            psbtVersion,
            order: sort,
          })
          if (isRefused(payout)) return
          const psbt = parse(payout.psbt)
          expect(psbt.version).toBe(psbtVersion)
          expect(psbtFee(psbt)).toBe(payout.fee)
          expect(sumOf(inputs)).toBe(sumOf(payments) + payout.change + payout.fee)
          payout.paymentIndexes.forEach((at, payment) => {
            const { script, units } = psbt.outputs[at]!
            expect({ script, units }).toEqual(payments[payment])
          })
          const keyOf = new Map(inputs.map(({ txid, vout, privateKey }) => [`${txid}:${vout}`, privateKey]))
          const keys = psbt.inputs.map(({ txid, vout }) => keyOf.get(`${txid}:${vout}`)!)
          const signed = signPayout(psbt, keys)
          expect(signed.txid).toBe(payout.txid)
          expect(signed.vsize).toBeLessThanOrEqual(payout.vsize)
          expect(signed.vsize).toBeGreaterThanOrEqual(payout.vsize - 1 - inputs.length)
          expect(parseTransaction(signed.raw)).toMatchObject({
            txid: payout.txid,
            vsize: signed.vsize,
            outputs: psbt.outputs.map(({ script, units }) => ({ script, units })),
          })
        },
      ),
      { numRuns: cases(60) },
    )
  })
})

test('finalize makes the transaction of a PSBT signed elsewhere', () => {
  const payout = build(base)
  expect(finalize(payout.psbt)).toMatchObject({ refused: 'not-signed' })
  expect(finalize(Uint8Array.of(1, 2, 3))).toMatchObject({ refused: 'not-parsable' })
  const elsewhere = Transaction.fromPSBT(payout.psbt)
  elsewhere.sign(testCoin(0, 1n).privateKey)
  expect(finalize(elsewhere.toPSBT())).toMatchObject({ txid: payout.txid })
})

import { hex } from '@scure/base'
import { RawTx, Transaction } from '@scure/btc-signer'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import type { Output } from './coin.ts'
import { withoutPrevious, withoutWitnesses, withPrevious } from './previous.ts'
import { parsePsbt, REPLACEABLE, unsignedTxid, writePsbt } from './psbt.ts'
import type { Psbt } from './psbt.ts'
import { paymentLists, testKey } from './test-wallet.ts'
import { parseTransaction } from './transaction.ts'

/** A transaction with these outputs, as it travels, with a witness; and its txid. */
const transactionWith = (outputs: readonly Output[], number: number): { raw: Uint8Array; txid: string } => {
  const raw = RawTx.encode({
    version: 2,
    segwitFlag: true,
    inputs: [
      { txid: new Uint8Array(32).fill(number + 1), index: 0, finalScriptSig: new Uint8Array(), sequence: REPLACEABLE },
    ],
    outputs: outputs.map(({ script, units }) => ({ script, amount: units })),
    witnesses: [[new Uint8Array(71).fill(7), new Uint8Array(33).fill(2)]],
    lockTime: 0,
  })
  const parsed = parseTransaction(raw)
  if (isRefused(parsed)) throw new Error(parsed.message)
  return { raw, txid: parsed.txid }
}

/** PSBTs that spend one output of each of some transactions, and those transactions. */
const spending = fc
  .record({
    version: fc.constantFrom<0 | 2>(0, 2),
    units: fc.array(fc.bigInt({ min: 1_000n, max: 10n ** 12n }), { minLength: 1, maxLength: 4 }),
    beside: paymentLists(3),
    payments: paymentLists(3),
    at: fc.nat(),
  })
  .map(({ version, units, beside, payments, at }) => {
    const previous = new Map<string, Uint8Array>()
    const inputs = units.map((one, number) => {
      const { script, origin } = testKey(number)
      const outputs = [...beside]
      const vout = at % (outputs.length + 1)
      outputs.splice(vout, 0, { script, units: one })
      const { raw, txid } = transactionWith(outputs, number)
      previous.set(txid, raw)
      return { txid, vout, units: one, script, sequence: REPLACEABLE, origins: [origin] }
    })
    const psbt: Psbt = {
      version,
      transactionVersion: 2,
      lockTime: 0,
      inputs,
      outputs: payments.map((payment) => ({ ...payment, origins: [] })),
    }
    return { psbt, previous }
  })

describe('previous transactions', () => {
  test('are added for every input and removed again: nothing else changes, and each has the id that its input spends', () => {
    fc.assert(
      fc.property(spending, ({ psbt, previous }) => {
        const bare = writePsbt(psbt)
        const full = withPrevious(bare, previous) as Uint8Array
        expect(parsePsbt(full)).toEqual(psbt)
        expect(unsignedTxid(parsePsbt(full) as Psbt)).toBe(unsignedTxid(psbt))
        expect(withoutPrevious(full)).toEqual(bare)
        const read = Transaction.fromPSBT(full)
        for (const [at, { txid }] of psbt.inputs.entries()) {
          const carried = RawTx.encode(read.getInput(at).nonWitnessUtxo!)
          expect(hex.encode(carried)).toBe(hex.encode(withoutWitnesses(previous.get(txid)!)))
          expect(Transaction.fromRaw(carried, { allowUnknownOutputs: true, allowUnknownInputs: true }).id).toBe(txid)
        }
      }),
      { numRuns: cases(30) },
    )
  })

  test('are refused when one is missing, is another, or has another amount than the PSBT states', () => {
    fc.assert(
      fc.property(spending, fc.nat(), ({ psbt, previous }, place) => {
        const at = place % psbt.inputs.length
        const input = psbt.inputs[at]!
        const bare = writePsbt(psbt)
        const without = new Map([...previous].filter(([txid]) => txid !== input.txid))
        expect(withPrevious(bare, without)).toMatchObject({ refused: 'missing' })
        expect(withPrevious(bare, new Map(without).set(input.txid, transactionWith([input], 99).raw))).toMatchObject({
          refused: 'other',
        })
        expect(withPrevious(bare, new Map(without).set(input.txid, new Uint8Array([1, 2])))).toMatchObject({
          refused: 'other',
        })
        const lying = writePsbt({
          ...psbt,
          inputs: psbt.inputs.map((one, index) => (index === at ? { ...one, units: one.units - 1n } : one)),
        })
        expect(withPrevious(lying, previous)).toMatchObject({ refused: 'other' })
      }),
      { numRuns: cases(15) },
    )
  })

  test('a PSBT that lacks one is not proven', () => {
    const [one] = fc.sample(spending, 1)
    expect(withoutPrevious(writePsbt(one!.psbt))).toMatchObject({ refused: 'missing' })
    expect(withoutPrevious(new Uint8Array([1]))).toMatchObject({ refused: 'not-parsable' })
  })

  test('a previous transaction with a changed or missing byte is never accepted', () => {
    fc.assert(
      fc.property(spending, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ psbt, previous }, place, change) => {
        const full = withPrevious(writePsbt(psbt), previous) as Uint8Array
        const changed = Uint8Array.from(full)
        changed[place % changed.length]! ^= change
        const read = withoutPrevious(changed)
        // Whatever passes is proven: the amounts are those of transactions with these very ids.
        if (!isRefused(read)) {
          for (const { txid, vout, units } of (parsePsbt(changed) as Psbt).inputs) {
            const source = parseTransaction(previous.get(txid) ?? new Uint8Array())
            if (!isRefused(source)) expect(source.outputs[vout]!.units).toBe(units)
          }
        }
      }),
      { numRuns: cases(100) },
    )
  })
})

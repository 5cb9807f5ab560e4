import { Transaction } from '@scure/btc-signer'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import { buildPayout } from './payout.ts'
import { parsePsbt, writePsbt } from './psbt.ts'
import type { Psbt } from './psbt.ts'
import { writeScript } from './script.ts'
import { readSigned } from './signed-psbt.ts'
import { signPayout } from './signing.ts'
import { CHANGE, NO_CAPS, testCoin, testKey } from './test-wallet.ts'

const coins = [testCoin(0, 100_000n), testCoin(1, 70_000n)]
const stranger = writeScript('p2wpkh', new Uint8Array(20).fill(9))

const build = (units: bigint): { bytes: Uint8Array; psbt: Psbt } => {
  const payout = buildPayout({
    inputs: coins,
    payments: [{ script: stranger, units }],
    change: { script: CHANGE.script, origin: CHANGE.origin },
    feeRateMilliSatPerVb: 2_000n,
    caps: NO_CAPS,
    order: 'as-given',
  })
  if (isRefused(payout)) throw new Error(payout.message)
  const psbt = parsePsbt(payout.psbt)
  if (isRefused(psbt)) throw new Error(psbt.message)
  return { bytes: payout.psbt, psbt }
}
const { bytes, psbt } = build(120_000n)
/** All outputs, and this input alone: others could be added. */
const ANYONE_CAN_PAY = 0x81
const keys = coins.map(({ privateKey }) => privateKey)
const signed = signPayout(psbt, keys)

/** As another wallet does it: adds its signatures to the PSBT it was given. */
const signedElsewhere = (given: Uint8Array, wanted: readonly Uint8Array[], hashType?: number): Transaction => {
  const transaction = Transaction.fromPSBT(given, { allowUnknownOutputs: true })
  wanted.forEach((key, at) => transaction.signIdx(key, at, hashType === undefined ? undefined : [hashType]))
  return transaction
}
const refusalOf = (given: Uint8Array): string | undefined => {
  const read = readSigned(psbt, given)
  return 'refused' in read ? read.refused : undefined
}

describe('readSigned', () => {
  test('takes the transaction, and the PSBT with signatures, finalised or not', () => {
    expect(readSigned(psbt, signed.raw)).toEqual({ raw: signed.raw, txid: signed.txid, vsize: signed.vsize })
    const open = signedElsewhere(bytes, keys)
    expect(readSigned(psbt, open.toPSBT())).toMatchObject({ txid: signed.txid })
    open.finalize()
    expect(readSigned(psbt, open.toPSBT())).toMatchObject({ txid: signed.txid, raw: open.extract() })
  })

  test.each([
    ['not signed at all', bytes, 'not-signed'],
    ['signed in part', signedElsewhere(bytes, keys.slice(0, 1)).toPSBT(), 'not-signed'],
    ['another amount, well signed', signPayout(build(119_000n).psbt, keys).raw, 'other'],
    ['another amount, as a PSBT', signedElsewhere(build(119_000n).bytes, keys).toPSBT(), 'other'],
    ['nothing', new Uint8Array(), 'not-parsable'],
    ['cut short', signed.raw.slice(0, -3), 'not-parsable'],
    ['a PSBT cut short', bytes.slice(0, -3), 'not-parsable'],
  ])('%s', (_name, given, code) => {
    expect(refusalOf(given)).toBe(code)
  })

  test('a signature that does not bind all of it, though it is valid', () => {
    const transaction = Transaction.fromPSBT(bytes, { allowUnknownOutputs: true })
    keys.forEach((key, at) => {
      transaction.updateInput(at, { sighashType: ANYONE_CAN_PAY })
      transaction.signIdx(key, at, [ANYONE_CAN_PAY])
    })
    transaction.finalize()
    const raw = transaction.extract()
    expect(transaction.id).toBe(signed.txid)
    expect(refusalOf(raw)).toBe('not-signed')
  })

  test('signatures of another key, or for other amounts of the inputs', () => {
    const other = { ...psbt, inputs: psbt.inputs.map((input, at) => ({ ...input, script: testKey(500 + at).script })) }
    const foreign = signPayout(
      other,
      psbt.inputs.map((_, at) => testKey(500 + at).privateKey),
    )
    expect(foreign.txid).toBe(signed.txid)
    expect(refusalOf(foreign.raw)).toBe('not-signed')
    const misstated = { ...psbt, inputs: psbt.inputs.map((input) => ({ ...input, units: input.units + 1n })) }
    expect(refusalOf(signPayout(misstated, keys).raw)).toBe('not-signed')
    expect(refusalOf(writePsbt(misstated))).toBe('not-signed')
  })

  test('a high s, which no node relays', () => {
    const order = secp256k1.Point.Fn.ORDER
    const raw = Buffer.from(signed.raw)
    const der = raw.subarray(raw.indexOf(0x30, raw.length - 230))
    const signature = secp256k1.Signature.fromBytes(der.subarray(0, 2 + der[1]!), 'der')
    const high = new secp256k1.Signature(signature.r, order - signature.s).toBytes('der')
    const changed = Buffer.concat([
      raw.subarray(0, der.byteOffset - raw.byteOffset - 1),
      Buffer.of(high.length + 1),
      high,
      der.subarray(2 + der[1]!),
    ])
    expect(refusalOf(changed)).toBe('not-signed')
  })

  test('no changed byte is ever taken, and nothing throws', () => {
    fc.assert(
      fc.property(fc.nat({ max: signed.raw.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Uint8Array.from(signed.raw)
        changed[at] = changed[at]! ^ by
        expect(refusalOf(changed)).toBeDefined()
      }),
      { numRuns: cases(400) },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (junk) => {
        expect(refusalOf(junk)).toBeDefined()
      }),
    )
  })
})

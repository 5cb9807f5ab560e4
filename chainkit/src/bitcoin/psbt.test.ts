import { base64, hex } from '@scure/base'
import { Transaction } from '@scure/btc-signer'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { isRefused } from '../refusal.ts'
import { parsePsbt, unsignedTxid, writePsbt } from './psbt.ts'
import type { Psbt } from './psbt.ts'
import { coinSets, paymentLists, testKey } from './test-wallet.ts'

const psbts: fc.Arbitrary<Psbt> = fc
  .record({
    version: fc.constantFrom<0 | 2>(0, 2),
    coins: coinSets(5).filter((coins) => coins.length > 0),
    payments: paymentLists(4),
    lockTime: fc.nat(),
    sequence: fc.nat({ max: 0xffffffff }),
    owned: fc.boolean(),
  })
  .map(({ version, coins, payments, lockTime, sequence, owned }) => ({
    version,
    transactionVersion: 2,
    lockTime,
    inputs: coins.map(({ txid, vout, units, script, origin }) => ({
      txid,
      vout,
      units,
      script,
      sequence,
      origins: owned ? [origin!] : [],
    })),
    outputs: payments.map((payment, at) => ({ ...payment, origins: owned ? [testKey(at).origin] : [] })),
  }))

describe('parsePsbt', () => {
  test('undoes writePsbt', () => {
    fc.assert(
      fc.property(psbts, (psbt) => {
        const bytes = writePsbt(psbt)
        expect(parsePsbt(bytes)).toEqual(psbt)
        expect(Transaction.fromPSBT(bytes).unsignedTx.length).toBeGreaterThan(0)
      }),
      { numRuns: cases(200) },
    )
  })

  test('parses or refuses any bytes, and never throws another error', () => {
    fc.assert(
      fc.property(psbts, fc.nat(), fc.nat({ max: 255 }), fc.boolean(), (psbt, place, byte, cut) => {
        const bytes = writePsbt(psbt)
        bytes[place % bytes.length] = byte
        const given = cut ? bytes.slice(0, place % bytes.length) : bytes
        const parsed = parsePsbt(given)
        if (isRefused(parsed)) expect(parsed.refused).toBe('not-parsable')
      }),
      { numRuns: cases(500) },
    )
    expect(parsePsbt(new Uint8Array())).toMatchObject({ refused: 'not-parsable' })
  })

  test("reads another wallet's: BIP 174's first valid vector, with the amount from the previous transaction", () => {
    const vector =
      'cHNidP8BAHUCAAAAASaBcTce3/KF6Tet7qSze3gADAVmy7OtZGQXE8pCFxv2AAAAAAD+////AtPf9QUAAAAAGXapFNDFmQPFusKGh2DpD9UhpGZap2UgiKwA4fUFAAAAABepFDVF5uM7gyxHBQ8k0+65PJwDlIvHh7MuEwAAAQD9pQEBAAAAAAECiaPHHqtNIOA3G7ukzGmPopXJRjr6Ljl/hTPMti+VZ+UBAAAAFxYAFL4Y0VKpsBIDna89p95PUzSe7LmF/////4b4qkOnHf8USIk6UwpyN+9rRgi7st0tAXHmOuxqSJC0AQAAABcWABT+Pp7xp0XpdNkCxDVZQ6vLNL1TU/////8CAMLrCwAAAAAZdqkUhc/xCX/Z4Ai7NK9wnGIZeziXikiIrHL++E4sAAAAF6kUM5cluiHv1irHU6m80GfWx6ajnQWHAkcwRAIgJxK+IuAnDzlPVoMR3HyppolwuAJf3TskAinwf4pfOiQCIAGLONfc0xTnNMkna9b7QPZzMlvEuqFEyADS8vAtsnZcASED0uFWdJQbrUqZY3LLh+GFbTZSYG2YVi/jnF6efkE/IQUCSDBFAiEA0SuFLYXc2WHS9fSrZgZU327tzHlMDDPOXMMJ/7X85Y0CIGczio4OFyXBl/saiK9Z9R5E5CVbIBZ8hoQDHAXR8lkqASECI7cr7vCWXRC+B3jv7NYfysb3mk6haTkzgHNEZPhPKrMAAAAAAAAA'
    const parsed = parsePsbt(base64.decode(vector))
    expect(parsed).toMatchObject({
      inputs: [{ vout: 0, units: 200_000_000n, sequence: 0xfffffffe }],
      outputs: [{ units: 99_999_699n }, { units: 100_000_000n }],
      lockTime: 1_257_139,
    })
  })
})

test('unsignedTxid is that of the transaction inside', () => {
  fc.assert(
    fc.property(psbts, (psbt) => {
      expect(unsignedTxid(psbt)).toBe(Transaction.fromRaw(hex.decode(rawOf(psbt)), { allowUnknownOutputs: true }).id)
    }),
    { numRuns: cases(50) },
  )
})

/** The unsigned transaction as version 0 carries it. */
function rawOf(psbt: Psbt): string {
  return hex.encode(Transaction.fromPSBT(writePsbt({ ...psbt, version: 0 })).unsignedTx)
}

test('a transaction needs inputs and outputs, and spends nothing twice', () => {
  const [psbt] = fc.sample(psbts, 1)
  expect(() => writePsbt({ ...psbt!, inputs: [] })).toThrow(/inputs/)
  expect(() => writePsbt({ ...psbt!, outputs: [] })).toThrow(/outputs/)
  expect(() => writePsbt({ ...psbt!, inputs: [...psbt!.inputs, psbt!.inputs[0]!] })).toThrow(/twice/)
})

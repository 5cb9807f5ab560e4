import { hex } from '@scure/base'
import { Transaction } from '@scure/btc-signer'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isRefused } from '../refusal.ts'
import { addressOf } from './address.ts'
import { parseTransaction } from './transaction.ts'

/** The first payment ever made in bitcoin, in block 170. */
const FIRST_PAYMENT =
  '0100000001c997a5e56e104102fa209c6a852dd90660a20b2d9c352423edce25857fcd3704000000004847304402204e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd410220181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d0901ffffffff0200ca9a3b00000000434104ae1a62fe09c5f51b13905f07f06b99a2f7159b2225f374cd378d71302fa28414e7aab37397f554a7df5f142c21c1b7303b8a0626f1baded5c72a704f7e6cd84cac00286bee0000000043410411db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3ac00000000'
/** The P2WPKH example of BIP 143, signed. */
const SEGWIT =
  '01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee635711000000'

describe('parseTransaction', () => {
  test('reads the first payment', () => {
    expect(parseTransaction(hex.decode(FIRST_PAYMENT))).toMatchObject({
      txid: 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16',
      inputs: [{ txid: '0437cd7f8525ceed2324359c2d0ba26006d92d856a9c20fa0241106ee5a597c9', vout: 0 }],
      outputs: [{ units: 1_000_000_000n }, { units: 4_000_000_000n }],
      vsize: 275,
    })
  })

  test('reads a segwit transaction', () => {
    expect(parseTransaction(hex.decode(SEGWIT))).toMatchObject({
      txid: Transaction.fromRaw(hex.decode(SEGWIT)).id,
      lockTime: 17,
      inputs: [{ sequence: 0xffffffee }, { vout: 1, sequence: 0xffffffff }],
      outputs: [{ units: 112_340_000n }, { units: 223_450_000n }],
      vsize: 261,
    })
  })

  test('accepts any output script', () => {
    const head = `0200000001${'ab'.repeat(32)}0000000000ffffffff`
    const scripts = fc.array(fc.uint8Array({ maxLength: 90 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(scripts, fc.bigInt({ min: 0n, max: 2n ** 63n }), (outputScripts, units) => {
        const amount = new Uint8Array(8)
        new DataView(amount.buffer).setBigUint64(0, units, true)
        const outputs = outputScripts.map((script) => hex.encode(Uint8Array.of(...amount, script.length, ...script)))
        const raw = `${head}${hex.encode(Uint8Array.of(outputs.length))}${outputs.join('')}00000000`
        const parsed = parseTransaction(hex.decode(raw))
        if (isRefused(parsed)) throw new Error(parsed.message)
        expect(parsed.outputs).toEqual(outputScripts.map((script) => ({ script, units })))
        for (const { script } of parsed.outputs) addressOf(script, 'mainnet')
      }),
    )
  })

  test('refuses other bytes and never throws another error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const parsed = parseTransaction(bytes)
        if (isRefused(parsed)) expect(parsed.refused).toBe('not-parsable')
      }),
    )
    expect(parseTransaction(hex.decode(SEGWIT).slice(0, -1))).toMatchObject({ refused: 'not-parsable' })
  })
})

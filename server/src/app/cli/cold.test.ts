import { splitBbqr } from '@bursar/chainkit'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { signedBytes } from './cold.ts'

const hex = '02f86b01aa'
const raw = Buffer.from(hex, 'hex')
const psbt = Buffer.from('70736274ff0100', 'hex')

test.each<[string, string | Uint8Array, Uint8Array]>([
  ['hex', hex, raw],
  ['hex with 0x and a line break', `0x${hex}\n`, raw],
  ['the file of sign-cold', JSON.stringify({ id: 'x', signed: `0x${hex}`, hash: '0x1' }), raw],
  ['JSON with a PSBT in it', JSON.stringify({ signed: psbt.toString('base64') }), psbt],
  ['a PSBT', psbt, psbt],
  ['a PSBT in base64', psbt.toString('base64'), psbt],
  ['a PSBT as BBqr', splitBbqr(psbt, 'P', 16).toReversed().join('\n'), psbt],
  ['a transaction as BBqr', splitBbqr(raw, 'T', 100)[0]!, raw],
  ['JSON as BBqr', splitBbqr(Buffer.from(JSON.stringify({ signed: hex })), 'J', 24).join(' '), raw],
])('%s is read', (_name, contents, bytes) => {
  expect(Buffer.from(signedBytes(Buffer.from(contents)))).toEqual(Buffer.from(bytes))
})

test.each([
  ['nothing', ''],
  ['words', 'hello'],
  ['JSON without signed bytes', '{"unsigned":"0x02"}'],
  ['half of a BBqr', splitBbqr(psbt, 'P', 16)[0]!],
  ['odd hex', '0x123'],
])('%s is refused', (_name, contents) => {
  expect(() => signedBytes(Buffer.from(contents))).toThrow()
})

test('a file with any content is read or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (contents) => {
      try {
        expect(signedBytes(contents)).toBeInstanceOf(Uint8Array)
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
    }),
  )
})

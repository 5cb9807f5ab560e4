import { HDKey } from '@scure/bip32'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../test/setup/cases.ts'
import { keyAt, offsetOf } from './key-offset.ts'

test('an offset leads from the key of an account to the key of each child', () => {
  const indexes = fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), indexes, (seed, path) => {
      const account = HDKey.fromMasterSeed(seed)
      const child = path.reduce((parent, index) => parent.deriveChild(index), account)
      const offset = offsetOf(account.privateKey!, child.privateKey!)
      expect(keyAt(account.privateKey!, offset)).toEqual(child.privateKey)
    }),
    { numRuns: cases(30) },
  )
})

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, describe, expect, it } from 'vitest'
import { sameText } from './same-text.ts'

const real = crypto.timingSafeEqual
afterEach(() => {
  crypto.timingSafeEqual = real
  syncBuiltinESMExports()
})

/** Replaces the named export of the module too; returns what was compared. */
const watchComparisons = (): string[] => {
  const compared: string[] = []
  crypto.timingSafeEqual = (a, b) => {
    compared.push(`${Buffer.from(a as Uint8Array).toString()} ${Buffer.from(b as Uint8Array).toString()}`)
    return real(a, b)
  }
  syncBuiltinESMExports()
  return compared
}

describe('a signature', () => {
  // Time can't be measured on a busy machine, so the comparison itself is watched.
  it('is compared in constant time, wherever it differs', () => {
    const compared = watchComparisons()
    expect(['abcd', 'xbcd', 'abcx'].map((given) => sameText(given, 'abcd'))).toEqual([true, false, false])
    expect(compared).toEqual(['abcd abcd', 'xbcd abcd', 'abcx abcd'])
  })

  it('of another length is another one', () => {
    expect([sameText('abc', 'abcd'), sameText('', 'abcd'), sameText('é', 'e')]).toEqual([false, false, false])
  })
})

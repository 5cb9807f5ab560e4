import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSecretBox, createSecretRing, readDataKey, readDataKeys } from './secrets.ts'

const key = randomBytes(32)
const box = createSecretBox(key)

describe('a sealed value', () => {
  test('opens to the plain text, and no two sealed values are alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, owner) => {
        const sealed = box.seal(plain, owner)
        expect(box.open(sealed, owner)).toBe(plain)
        expect(box.seal(plain, owner)).not.toBe(sealed)
        if (plain.length > 8) expect(sealed).not.toContain(plain)
      }),
    )
  })

  test('does not open for another row, with another key, or when any of it was changed', () => {
    const sealed = box.seal('bd4c0f27382cbdf0c52318a99308fc6d', 'merchant-key|a|b')
    expect(() => box.open(sealed, 'merchant-key|a|c')).toThrow()
    expect(() => createSecretBox(randomBytes(32)).open(sealed, 'merchant-key|a|b')).toThrow(
      /sealed with data key [0-9a-f]{8}/,
    )
    const [version, keyId, text] = sealed.split('.') as [string, string, string]
    const bytes = Buffer.from(text, 'base64url')
    for (let i = 0; i < bytes.length; i += 1) {
      const changed = Buffer.from(bytes)
      changed[i]! ^= 1
      expect(() => box.open(`${version}.${keyId}.${changed.toString('base64url')}`, 'merchant-key|a|b')).toThrow()
    }
    for (const cut of ['', 'v1', `v1.${keyId}.`, `v1.${keyId}.AAAA`, `v2.${keyId}.${text}`])
      expect(() => box.open(cut, 'merchant-key|a|b')).toThrow()
  })

  test('names its key without telling it', () => {
    const [, keyId] = box.seal('x', 'y').split('.')
    expect(keyId).toMatch(/^[0-9a-f]{8}$/)
    expect(key.toString('hex')).not.toContain(keyId)
  })
})

describe('a data key', () => {
  test('is read from hex or base64', () => {
    expect(readDataKey(`${key.toString('hex').toUpperCase()}\n`)).toEqual(key)
    expect(readDataKey(key.toString('base64'))).toEqual(key)
  })

  test.each([
    '',
    'secret',
    'ab'.repeat(31),
    'ab'.repeat(33),
    randomBytes(31).toString('base64'),
    randomBytes(33).toString('base64'),
    `${'ab'.repeat(31)}zz`,
  ])('is not %j', (text) => expect(() => readDataKey(text)).toThrow('64 hex digits, or base64'))

  test('has 32 bytes', () => expect(() => createSecretBox(new Uint8Array(16))).toThrow('32'))
})

describe('a ring of keys', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)]

  test('seals with its first key and opens a value that any of its keys has sealed', () => {
    const before = createSecretRing([older])
    const both = createSecretRing([newer, older])
    const after = createSecretRing([newer])
    const old = before.seal('4111111111111111', 'row')
    expect(both.open(old, 'row')).toBe('4111111111111111')
    expect(() => both.open(old, 'another row')).toThrow()
    expect(old.startsWith(before.newest)).toBe(true)
    expect(old.startsWith(both.newest)).toBe(false)
    const again = both.seal('4111111111111111', 'row')
    expect(again.startsWith(after.newest)).toBe(true)
    expect(after.open(again, 'row')).toBe('4111111111111111')
    expect(() => after.open(old, 'row')).toThrow(/sealed with data key/)
  })

  test('is read from lines, the newest first', () => {
    const text = `${newer.toString('hex')}\n\n${older.toString('base64')}\n`
    expect(readDataKeys(text)).toEqual([newer, older])
    for (const wrong of ['', '\n', 'secret', `${older.toString('hex')}\n${older.toString('base64')}`])
      expect(() => readDataKeys(wrong)).toThrow(RangeError)
  })
})

import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { createChallenges } from './challenges.ts'
import { createPasswords, isUsablePassword, PasswordsBusy } from './passwords.ts'
import { base32, newRecoveryCodes, recoveryHashOf } from './tokens.ts'
import { codeOf, matchingStep, setUpUri, stepOf } from './totp.ts'

const AT = new Date('2026-11-27T08:00:00Z')

describe('a one-time code', () => {
  const SEED = Buffer.from('12345678901234567890')

  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at second %i is %s, as RFC 6238, appendix B, says', (second, code) => {
    expect(codeOf(SEED, stepOf(new Date(second * 1_000)), 8)).toBe(code)
  })

  test('is accepted one step early or late, with spaces, and not two steps away', () => {
    const now = stepOf(AT)
    const steps = [-2, -1, 0, 1, 2].map((away) => matchingStep(SEED, codeOf(SEED, now + away), AT))
    expect(steps).toEqual([undefined, now - 1, now, now + 1, undefined])
    const code = codeOf(SEED, now)
    expect(matchingStep(SEED, `${code.slice(0, 3)} ${code.slice(3)}`, AT)).toBe(now)
  })

  test.each(['', '12345', '1234567', 'abcdef', '١٢٣٤٥٦'])('%j is none', (typed) => {
    expect(matchingStep(SEED, typed, AT)).toBeUndefined()
  })

  test('is set up by a link that an app reads, with the secret in base32', () => {
    expect(setUpUri('Bursar', 'a b@x.example', SEED)).toBe(
      'otpauth://totp/Bursar:a%20b%40x.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Bursar',
    )
  })
})

test('base32 is that of RFC 4648, section 10, without padding', () => {
  const texts = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)))
  expect(texts).toEqual(['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI'])
})

test('recovery codes are ten different ones, and are read in any case, with any separators', () => {
  const codes = newRecoveryCodes(randomBytes)
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) {
    expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
    expect(recoveryHashOf(code.toLowerCase().replaceAll('-', ' '))).toEqual(recoveryHashOf(code))
  }
})

describe('a password', () => {
  const passwords = createPasswords(randomBytes)

  test('matches its hash only, which is argon2id with the cost of OWASP and its own salt', async () => {
    const [one, other] = [await passwords.hash('correct horse battery'), await passwords.hash('correct horse battery')]
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(one).not.toBe(other)
    expect(await passwords.matches('correct horse battery', one)).toBe(true)
    expect(await passwords.matches('correct horse battery ', one)).toBe(false)
    expect(await passwords.matches('correct horse battery', undefined)).toBe(false)
  })

  test('is the same in composed and decomposed characters, as keyboards differ', async () => {
    const hash = await passwords.hash('café'.normalize('NFC').repeat(4))
    expect(await passwords.matches('café'.normalize('NFD').repeat(4), hash)).toBe(true)
  })

  test('is refused while more wait than can be answered in time', async () => {
    const passwords = createPasswords(randomBytes, { atOnce: 1, waiting: 2 })
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => passwords.matches('x', undefined)))
    const refused = all.filter((one) => one.status === 'rejected' && one.reason instanceof PasswordsBusy)
    expect([refused.length, all.filter(({ status }) => status === 'fulfilled').length]).toEqual([2, 3])
    expect(await passwords.matches('x', undefined)).toBe(false)
  })

  test.each([
    ['eleven char', false],
    ['twelve chars', true],
    ['x'.repeat(200), true],
    ['x'.repeat(201), false],
    ['SOMEONE@shop.example', false],
  ])('%s may be chosen: %s', (password, may) => {
    expect(isUsablePassword(password, 'someone@shop.example')).toBe(may)
  })
})

describe('a challenge', () => {
  const [older, newer] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const challenges = createChallenges([older], randomBytes)
  const later = (minutes: number): Date => new Date(AT.getTime() + minutes * 60_000)

  test('is of one purpose, and for fifteen minutes', () => {
    const challenge = challenges.make('add|a', AT)
    expect(challenges.isOf(challenge, 'add|a', later(15))).toBe(true)
    expect(challenges.isOf(challenge, 'add|a', later(15.1))).toBe(false)
    expect(challenges.isOf(challenge, 'add|b', AT)).toBe(false)
    expect(challenges.isOf(challenge, 'sign-in', AT)).toBe(false)
  })

  test('is valid while the ring has the data key that made it', () => {
    const challenge = challenges.make('sign-in', AT)
    expect(createChallenges([newer, older], randomBytes).isOf(challenge, 'sign-in', AT)).toBe(true)
    expect(createChallenges([newer], randomBytes).isOf(challenge, 'sign-in', AT)).toBe(false)
  })

  test('that is changed in any bit is none', () => {
    const challenge = challenges.make('sign-in', AT)
    const bits = fc.integer({ min: 0, max: Buffer.from(challenge, 'base64url').length * 8 - 1 })
    fc.assert(
      fc.property(bits, (bit) => {
        const bytes = Buffer.from(challenge, 'base64url')
        bytes[bit >> 3]! ^= 1 << (bit & 7)
        return !challenges.isOf(bytes.toString('base64url'), 'sign-in', AT)
      }),
      { numRuns: cases(200) },
    )
  })
})

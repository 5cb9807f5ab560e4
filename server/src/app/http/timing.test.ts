import { expect, test } from 'vitest'
import type { Merchant, MerchantKey } from '../../merchants/accounts/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { authenticate, type SignedBytes } from './authentication.ts'
import { sign } from '../../../../test/world/signed-request.ts'

const NOW = 1_800_000_000_000
const TIMESTAMP = String(NOW / 1_000)
const SAMPLES = 4_000

const key = (secret: string): MerchantKey => ({
  id: newId(),
  purpose: 'api',
  secret,
  createdAt: 0,
  firstUsedAt: 1,
  expiresAt: null,
})
const merchant = (secrets: string[], disabled = false): Merchant => ({
  id: newId(),
  name: '',
  companyName: '',
  companyUrl: '',
  settings: {} as Merchant['settings'],
  disabled,
  service: 'active',
  keys: secrets.map(key),
  logo: null,
  additionalKeys: [],
})
const secret = 'a'.repeat(32)
const kinds = {
  one: merchant([secret]),
  two: merchant(['b'.repeat(32), secret]),
  none: merchant([]),
  disabled: merchant([secret], true),
}
const known = new Map(Object.values(kinds).map((one) => [one.id, one]))
const directory = { find: (id: string) => known.get(id) ?? null }
const bytes: SignedBytes = {
  method: 'POST',
  target: '/merchants/withdrawals/crypto',
  alsoSignedAs: undefined,
  body: Buffer.alloc(300, 0x61),
}
const right = sign(secret, 'POST', bytes.target, Buffer.from(bytes.body!), TIMESTAMP)
const flipped = (at: number): string => right.slice(0, at) + (right[at] === '0' ? '1' : '0') + right.slice(at + 1)

/** Refusals that must take the same time for every caller. */
const refused: Record<string, { merchantId: string; signature: string }> = {
  'an unknown merchant': { merchantId: newId(), signature: right },
  'a wrong first digit': { merchantId: kinds.one.id, signature: flipped(0) },
  'a wrong last digit': { merchantId: kinds.one.id, signature: flipped(63) },
  'a wrong signature of one who rotates': { merchantId: kinds.two.id, signature: flipped(20) },
  'a merchant without a key': { merchantId: kinds.none.id, signature: right },
  'a disabled merchant': { merchantId: kinds.disabled.id, signature: right },
}

/**
 * Times of each kind in turn, so that all see the same machine; the lower quartile, which other programs disturb least.
 */
const measure = async (): Promise<Record<string, number>> => {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(refused).map((name) => [name, []]))
  for (let i = 0; i < SAMPLES; i += 1) {
    for (const [name, headers] of Object.entries(refused)) {
      const startedAt = process.hrtime.bigint()
      await authenticate(directory, { ...headers, timestamp: TIMESTAMP, idempotencyKey: undefined }, bytes, NOW).then(
        () => expect.unreachable(),
        () => {},
      )
      times[name]!.push(Number(process.hrtime.bigint() - startedAt))
    }
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, all]) => [name, all.toSorted((a, b) => a - b)[SAMPLES / 4]!]),
  )
}

test('A8 a refusal takes the same time for every reason', async () => {
  await expect(
    authenticate(
      directory,
      { merchantId: kinds.one.id, signature: right, timestamp: TIMESTAMP, idempotencyKey: undefined },
      bytes,
      NOW,
    ),
  ).resolves.toBeDefined()
  await measure()
  const found = await measure()
  const [least, most] = [Math.min(...Object.values(found)), Math.max(...Object.values(found))]
  expect(most / least, JSON.stringify(found)).toBeLessThan(1.15)
})

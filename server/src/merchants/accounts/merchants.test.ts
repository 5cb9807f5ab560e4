import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { inTransaction } from '../../platform/db/index.ts'
import { useDb } from '../../../../test/world/database.ts'
import { createSecretBox } from '../../platform/config/secrets.ts'
import {
  createDirectory,
  createMerchant,
  listAudit,
  listKeys,
  listMerchants,
  markKeyUsed,
  revokeKey,
  rotateKey,
  setDisabled,
  setSetting,
  validKeys,
  type Merchant,
} from './index.ts'
import { endpointOf } from './endpoint.ts'
import { box, keyDeps, makeMerchant, momentAt, newId } from '../../../../test/world/merchant.ts'

const { db, pool } = useDb()
const NOW = 1_800_000_000_000
const HOUR = 3_600_000

const set = (id: string, name: string, value: string) =>
  inTransaction(db, (tx) => setSetting(tx, id, { name, value }, keyDeps, momentAt(NOW + 1)))
const rotate = (id: string, at = NOW, overlapMs = HOUR, purpose: 'api' | 'webhook' = 'api') =>
  inTransaction(db, (tx) => rotateKey(tx, id, { purpose, overlapMs }, keyDeps, momentAt(at)))
const read = async (id: string): Promise<Merchant> => (await createDirectory(db, box).find(id))!
const secretsAt = async (id: string, at: number, purpose: 'api' | 'webhook' = 'api') =>
  validKeys(await read(id), purpose, at).map((key) => key.secret)

describe('a new merchant', () => {
  test('has a private key and a webhook secret in the documented form, which the tables never show', async () => {
    const made = await makeMerchant(db, NOW)
    expect(made.privateKey).toMatch(/^[0-9a-f]{32}$/)
    expect(made.webhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
    const { rows } = await pool.query<{ row: string }>(
      `select m::text || k::text || coalesce(a.detail::text, '') as row
      from merchants m join merchant_keys k on k.merchant_id = m.id left join merchant_audit a on a.merchant_id = m.id where m.id = $1`,
      [made.id],
    )
    expect(rows.length).toBeGreaterThan(1)
    for (const { row } of rows) {
      expect(row).not.toContain(made.privateKey)
      expect(row).not.toContain(made.webhookSecret.slice(6))
    }
    expect((await listMerchants(db)).map(({ id }) => id)).toContain(made.id)
    expect((await listAudit(db, made.id)).map(({ action, actor }) => [action, actor])).toEqual([['created', 'test']])
  })

  test('that can not be is refused and leaves nothing', async () => {
    const before = (await listMerchants(db)).length
    await expect(makeMerchant(db, NOW, { name: ' ' })).rejects.toThrow('name is text')
    await expect(makeMerchant(db, NOW, { companyName: 'a\nb' })).rejects.toThrow('companyName is text')
    await expect(makeMerchant(db, NOW, { settings: { notificationsUrl: 'ftp://a' } })).rejects.toThrow(
      'notificationsUrl',
    )
    await expect(
      inTransaction(db, async (tx) => {
        await createMerchant(
          tx,
          { name: 'a', companyName: 'a', companyUrl: 'https://a.example' },
          keyDeps,
          momentAt(NOW),
        )
        throw new Error('after it')
      }),
    ).rejects.toThrow('after it')
    expect((await listMerchants(db)).length).toBe(before)
  })
})

describe('settings', () => {
  test.each([
    ['notificationsUrl', 'HTTPS://Shop.Example/hook?a=1', 'https://shop.example/hook?a=1'],
    ['notificationsUrl', 'none', null],
    ['email', 'shop@example.com', 'shop@example.com'],
    ['redirectHosts', 'Shop.example, www.shop.example,shop.example', ['shop.example', 'www.shop.example']],
    ['redirectHosts', '', []],
    ['supportUrl', 'https://Shop.example/help', 'https://shop.example/help'],
    ['supportUrl', 'none', null],
    ['shortfallPercent', '5', 5],
    ['shortfallUsd', '100', 100],
    ['supportEmail', 'help@shop.example', 'help@shop.example'],
    ['formTargetAddresses', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', ['TJRabPrwbZy45sbavfcjinPJC18kjpRTv8']],
    ['addressLimit', '100', 100],
    ['requestsPerMinute', '6000', 6000],
    ['requestsPerMinute', 'none', null],
    ['holdUntilVerified', 'true', true],
  ])('%s = %s', async (name, text, value) => {
    const { id } = await makeMerchant(db, NOW)
    expect(await set(id, name, text)).toMatchObject({ [name]: value })
    expect((await read(id)).settings).toMatchObject({ [name]: value })
    expect((await listAudit(db, id))[0]).toMatchObject({
      actor: 'test',
      action: `set ${name}`,
      detail: { [name]: value },
    })
  })

  test.each([
    ['notificationsUrl', 'shop.example/hook'],
    ['notificationsUrl', 'https://user:pass@shop.example/'],
    ['notificationsUrl', 'https://a/#b'],
    ['notificationsUrl', 'javascript:alert(1)'],
    ['notificationsUrl', `https://shop.example/${'a'.repeat(2_100)}`],
    ['domain', 'https://shop.example'],
    ['domain', '-shop.example'],
    ['email', 'nobody'],
    ['email', 'a b@c'],
    ['redirectHosts', 'shop.example/path'],
    ['supportUrl', 'http://shop.example/help'],
    ['supportUrl', 'https://user:pass@shop.example/'],
    ['supportUrl', 'javascript:alert(1)'],
    ['supportEmail', 'help'],
    ['shortfallPercent', '21'],
    ['shortfallPercent', '0.5'],
    ['shortfallUsd', '101'],
    ['supportEmail', 'a@b.example?cc=c@d.example'],
    ['redirectHosts', Array.from({ length: 101 }, (_, i) => `h${i}.example`).join(',')],
    ['formTargetAddresses', 'a b'],
    ['addressLimit', '0'],
    ['addressLimit', '1e3'],
    ['requestsPerMinute', '-1'],
    ['holdUntilVerified', 'yes'],
    ['color', 'blue'],
    ['__proto__', '{}'],
    ['name', ''],
    ['companyUrl', 'a\u0000b'],
  ])('%s can not be %s', async (name, text) => {
    const { id } = await makeMerchant(db, NOW)
    await expect(set(id, name, text)).rejects.toThrow(RangeError)
    expect((await listAudit(db, id)).length).toBe(1)
  })

  test('name, company and URL are set like settings; the domain only once', async () => {
    const { id } = await makeMerchant(db, NOW)
    await set(id, 'companyName', 'Shop & Sons')
    await set(id, 'domain', 'Shop.Example')
    await expect(set(id, 'domain', 'other.example')).rejects.toThrow("can't be changed")
    expect(await read(id)).toMatchObject({ companyName: 'Shop & Sons', settings: { domain: 'shop.example' } })
    await expect(set(newId(), 'name', 'x')).rejects.toThrow('no merchant has the id')
  })
})

describe('keys', () => {
  test('two are valid during a rotation, the old one until the overlap ends', async () => {
    const made = await makeMerchant(db, NOW)
    const next = await rotate(made.id)
    expect(await secretsAt(made.id, NOW)).toEqual([made.privateKey, next.secret])
    expect(await secretsAt(made.id, NOW + HOUR)).toEqual([next.secret])
  })

  test('at most two are valid, however many rotations run at once', async () => {
    const made = await makeMerchant(db, NOW)
    const rotated = await Promise.all([1, 2, 3, 4].map((n) => rotate(made.id, NOW + n)))
    const valid = await secretsAt(made.id, NOW + 10)
    expect(valid).toHaveLength(2)
    expect(rotated.map(({ secret }) => secret)).toEqual(expect.arrayContaining(valid))
  })

  test('an overlap of 0 ends the old key at once, regardless of the clock', async () => {
    const made = await makeMerchant(db, NOW)
    const next = await rotate(made.id, NOW, 0)
    expect(await secretsAt(made.id, NOW - HOUR)).toEqual([next.secret])
  })

  test('a revoked key is gone, and once only', async () => {
    const made = await makeMerchant(db, NOW)
    const [key] = (await listKeys(db, made.id)).filter(({ purpose }) => purpose === 'api')
    const revoke = () => inTransaction(db, (tx) => revokeKey(tx, made.id, key!.id, keyDeps, momentAt(NOW)))
    await revoke()
    expect(await secretsAt(made.id, NOW)).toEqual([])
    await expect(revoke()).rejects.toThrow('no valid key')
    expect((await listKeys(db, made.id)).find(({ id }) => id === key!.id)?.revokedAt).toEqual(new Date(NOW))
  })

  test('audit O-3.7: SIGNATURE keeps the old key until the overlap of a rotation ends, webhook-signature carries both', async () => {
    const made = await makeMerchant(db, NOW, { settings: { notificationsUrl: 'https://shop.example/hook' } })
    const next = await rotate(made.id)
    const signing = async (at = NOW) => endpointOf(await read(made.id), at)?.signingKey
    expect(await signing()).toBe(made.privateKey)
    await inTransaction(db, (tx) => markKeyUsed(tx, made.id, next.keyId, new Date(NOW)))
    await inTransaction(db, (tx) => markKeyUsed(tx, made.id, next.keyId, new Date(NOW + 1)))
    expect([await signing(), await signing(NOW + HOUR - 1), await signing(NOW + HOUR)]).toEqual([
      made.privateKey,
      made.privateKey,
      next.secret,
    ])
    expect((await listKeys(db, made.id)).find(({ id }) => id === next.keyId)?.firstUsedAt).toEqual(new Date(NOW))
    const hook = await rotate(made.id, NOW, HOUR, 'webhook')
    expect(endpointOf(await read(made.id), NOW)?.webhookSecrets).toEqual([hook.secret, made.webhookSecret])
    await set(made.id, 'notificationsUrl', 'none')
    expect(endpointOf(await read(made.id), NOW)).toBeNull()
  })
})

describe('the directory', () => {
  test('answers from memory once it has read, and sees a change when it is notified', async () => {
    const made = await makeMerchant(db, NOW)
    const directory = createDirectory(db, box)
    expect(await directory.find(made.id)).toMatchObject({ id: made.id, disabled: false })
    expect(directory.find(newId())).toBeNull()
    await inTransaction(db, (tx) => setDisabled(tx, made.id, true, keyDeps, momentAt(NOW)))
    expect(directory.find(made.id)).toMatchObject({ disabled: false })
    directory.forget(made.id)
    expect(await directory.find(made.id)).toMatchObject({ disabled: true })
    const late = await makeMerchant(db, NOW)
    directory.forgetAll()
    expect(await directory.find(late.id)).toMatchObject({ id: late.id })
  })

  test('the newest of several readings counts', async () => {
    const made = await makeMerchant(db, NOW)
    const directory = createDirectory(db, box)
    directory.forgetAll()
    const names = Array.from({ length: 20 }, (_, n) => `name ${n}`)
    for (const name of names) {
      await set(made.id, 'name', name)
      directory.forget(made.id)
      if (name.endsWith('7')) directory.forgetAll()
    }
    expect(await directory.find(made.id)).toMatchObject({ name: names.at(-1) })
    expect(await directory.find(made.id)).toMatchObject({ name: names.at(-1) })
  })

  test('fails the callers that wait while the database fails, and recovers', async () => {
    const made = await makeMerchant(db, NOW)
    const directory = createDirectory(db, box)
    await directory.find(made.id)
    await pool.query('alter table merchants rename to elsewhere')
    directory.forget(made.id)
    await expect(Promise.resolve(directory.find(made.id))).rejects.toThrow('does not exist')
    await expect(Promise.resolve(directory.find(newId()))).rejects.toThrow('does not exist')
    await pool.query('alter table elsewhere rename to merchants')
    expect(await directory.find(made.id)).toMatchObject({ id: made.id })
  })

  test('a key that can not be opened is left out and reported; with the wrong data key nothing is read', async () => {
    const made = await makeMerchant(db, NOW)
    const notified: unknown[] = []
    const log = { error: (...line: unknown[]) => notified.push(line) }
    const [api] = (await listKeys(db, made.id)).filter(({ purpose }) => purpose === 'api')
    await pool.query('update merchant_keys set sealed = $1 where id = $2', [box.seal('moved', 'another row'), api!.id])
    const merchant = await createDirectory(db, box, log as never).find(made.id)
    expect(merchant?.keys.map(({ purpose }) => purpose)).toEqual(['webhook'])
    expect(JSON.stringify(notified)).toContain(api!.id)
    const wrong = createDirectory(db, createSecretBox(randomBytes(32)), log as never)
    await expect(Promise.resolve(wrong.find(made.id))).rejects.toThrow('data key')
  })
})

/** Additional keys at the edge: scopes, addresses, ends, and what a request with `key-id` can't do. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { operations, SCOPES, type Operation, type Scope } from '@bursar/contract'
import { exampleOf, targetOf, useEdge, type HeaderList } from '../../../../test/world/edge.ts'
import { box, makeMerchant, newId } from '../../../../test/world/merchant.ts'
import {
  addAdditionalKey,
  createKeyUses,
  readRanges,
  revokeAdditionalKey,
  rotateKey,
  type KeyUse,
} from '../../merchants/accounts/index.ts'
import { inTransaction } from '../../platform/db/index.ts'

const used: KeyUse[] = []
const edge = useEdge({ onKeyUse: (use) => void used.push(use), trustedProxies: ['127.0.0.1/32'] })
const SIGNED = operations.filter(({ signed }) => signed)
const balances = '/merchants/balances?tickers=BTC'

beforeEach(async () => {
  edge.handled.length = 0
  used.length = 0
  // A merchant has at most 20 valid ones.
  await sql`update api_keys set revoked_at = now() where revoked_at is null`.execute(edge.db)
})
afterEach(() => {
  edge.answer = undefined
})

interface Made {
  id: string
  secret: string
}

const made = async (
  scopes: readonly Scope[],
  more: { merchantId?: string; addresses?: string; expiresAt?: Date | null } = {},
): Promise<Made> => {
  const merchantId = more.merchantId ?? edge.merchant.id
  const given = {
    merchantId,
    name: 'Shop',
    scopes,
    addresses: readRanges(more.addresses ?? '')!,
    expiresAt: more.expiresAt ?? null,
    createdBy: 'cli:test',
    formId: null,
  }
  const key = await inTransaction(edge.db, (tx) =>
    addAdditionalKey(tx, given, { box, random: randomBytes }, { real: new Date(edge.clock.ms), newId }),
  )
  edge.directory.forget(merchantId)
  if (key.secret === undefined) throw new Error(key.problem)
  return key
}

const withKey = ({ id, secret }: Made, headers: HeaderList = []) => ({
  key: secret,
  headers: ['key-id', id, ...headers],
})
const call = (key: Made, operation: Operation, headers: HeaderList = []) =>
  edge.call(operation.method, targetOf(operation, operation.path), exampleOf(operation), withKey(key, headers))

/** The body of the example asks for nothing but the operation itself. */
const needs = (operation: Operation, body = exampleOf(operation)): readonly Scope[] => {
  const { target } = JSON.parse(body ?? '{}') as { target?: { address?: string } }
  return [
    ...operation.scopes,
    ...(target ? ['exchange' as const] : []),
    ...(target?.address ? ['payouts' as const] : []),
  ]
}

test('a key uses at most half of the rate of its merchant, so that the other keys go on', async () => {
  const { id, privateKey } = await makeMerchant(edge.db, edge.clock.ms, { settings: { requestsPerMinute: 6 } })
  const [busy, other] = [await made(['read'], { merchantId: id }), await made(['read'], { merchantId: id })]
  const ask = async (count: number, key?: Made): Promise<number[]> => {
    const by = { ...(key ? withKey(key) : { key: privateKey }), id }
    const statuses: number[] = []
    while (statuses.length < count) statuses.push((await edge.call('GET', balances, undefined, by)).status)
    return statuses
  }
  expect(await ask(5, busy)).toEqual([200, 200, 200, 429, 429])
  expect(await ask(1, other)).toEqual([200])
  expect(await ask(3), 'all keys share the rate of the merchant').toEqual([200, 200, 429])
  expect(await ask(1, other)).toEqual([429])
})

describe('a key with one scope, and one with all others', () => {
  test.each(SCOPES)(
    '%s: does exactly the operations that need it, by their own paths and by aliases',
    async (scope) => {
      const [one, others] = [await made([scope]), await made(SCOPES.filter((other) => other !== scope))]
      for (const operation of SIGNED) {
        edge.handled.length = 0
        const mayOne = needs(operation).every((needed) => needed === scope)
        const mayOthers = !needs(operation).includes(scope)
        for (const path of [operation.path, ...operation.aliases.map((alias) => alias.path)]) {
          const send = (key: Made) =>
            edge.call(
              operation.method,
              targetOf(operation, path),
              exampleOf(operation),
              withKey(key, ['idempotency-key', randomUUID()]),
            )
          const [first, second] = [await send(one), await send(others)]
          expect([path, first.status, first.body.code]).toEqual([path, mayOne ? 200 : 403, mayOne ? undefined : 108])
          expect([path, second.status]).toEqual([path, mayOthers ? 200 : 403])
        }
        const reached = edge.handled.map(({ keyId }) => keyId)
        expect(new Set(reached)).toEqual(new Set([...(mayOne ? [one.id] : []), ...(mayOthers ? [others.id] : [])]))
      }
    },
  )

  test('a target needs exchange, and with an address also payouts', async () => {
    const invoices = await made(['invoices'])
    const exchanging = await made(['invoices', 'exchange'])
    const all = await made(['invoices', 'exchange', 'payouts'])
    const plain = { ticker: 'USDT' }
    const away = { ticker: 'USDT', address: 'TXYZ', blockchain: 'TRON' }
    const paths = SIGNED.filter(({ body }) => body !== null && 'target' in body.properties)
    expect(paths.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['createAddress', 'createRotatingAddress', 'createCryptoInvoice']),
    )
    for (const operation of paths) {
      const send = async (key: Made, target: object) => {
        const body = JSON.stringify({ ...(JSON.parse(exampleOf(operation)!) as object), target })
        return (await edge.call('POST', operation.path, body, withKey(key))).status
      }
      const answers = [
        await send(invoices, plain),
        await send(exchanging, plain),
        await send(exchanging, away),
        await send(all, away),
      ]
      expect([operation.id, ...answers]).toEqual([operation.id, 403, 200, 403, 200])
    }
  })

  test('a refusal names the missing scopes and stores nothing', async () => {
    const read = await made(['read'])
    const operation = operations.find(({ id }) => id === 'createCryptoExchangeWithdrawal')!
    const answer = await call(read, operation, ['idempotency-key', 'refused-1'])
    expect(answer.body).toMatchObject({
      code: 108,
      description: expect.stringContaining('exchange and the scope payouts'),
    })
    const { rows } =
      await sql`select from request_answers where merchant_id = ${edge.merchant.id} and key = 'key:refused-1'`.execute(
        edge.db,
      )
    expect(rows).toEqual([])
  })

  test('is refused for its scope before its query and body are read', async () => {
    const read = await made(['read'])
    const statusOf = async (body: string) =>
      (await edge.call('POST', '/merchants/addresses', body, withKey(read))).status
    expect([await statusOf('{'), await statusOf('{"adress":1}')]).toEqual([403, 403])
    const invoices = await made(['invoices'])
    const query = await edge.call('GET', '/merchants/balances?tickers=', undefined, withKey(invoices))
    expect(query.status).toBe(403)
  })

  test('a key without the scope does not get the stored answer of a key that has it', async () => {
    const operation = operations.find(({ id }) => id === 'createCryptoWithdrawal')!
    const [payouts, read] = [await made(['payouts']), await made(['read'])]
    const body = exampleOf(operation)!
    const idempotency = ['idempotency-key', 'stored-1']
    // Raw: no command stores an answer whose request has another fingerprint.
    await sql`insert into request_answers(merchant_id, key, fingerprint, status, body, created_at)
      values (${edge.merchant.id}, 'key:stored-1', 'x', 200, '{"id":"secret"}', now())`.execute(edge.db)
    const send = (key: Made) => edge.call('POST', operation.path, body, withKey(key, idempotency))
    // The fingerprint differs, so that looking it up answers 409.
    expect((await send(payouts)).status).toBe(409)
    expect((await send(read)).status).toBe(403)
  })
})

describe('a request with key-id is refused like a wrong signature', () => {
  const refusal = async (key: Made, more: { id?: string } = {}) => {
    const { status, body } = await edge.call('GET', balances, undefined, { ...withKey(key), ...more })
    return [status, body.code, body.description?.startsWith('Invalid signature: check')]
  }
  const REFUSED = [401, -1, true]

  test('for an unknown key, and a key of another merchant', async () => {
    const other = await makeMerchant(edge.db, edge.clock.ms)
    const [own, foreign] = [await made(['read']), await made(['read'], { merchantId: other.id })]
    expect(await refusal({ ...own, id: randomUUID() })).toEqual(REFUSED)
    expect(await refusal(foreign)).toEqual(REFUSED)
    expect(await refusal(own, { id: other.id })).toEqual(REFUSED)
    expect(await refusal({ ...own, secret: foreign.secret })).toEqual(REFUSED)
    expect((await edge.call('GET', balances, undefined, withKey(own))).status).toBe(200)
    expect(edge.handled).toHaveLength(1)
  })

  test('when the header names another key than the one that signed, or is left out', async () => {
    const [one, other] = [await made(['read']), await made(['read', 'payouts'])]
    expect(await refusal({ id: other.id, secret: one.secret })).toEqual(REFUSED)
    expect(await refusal({ id: one.id, secret: edge.merchant.privateKey })).toEqual(REFUSED)
    const without = await edge.call('GET', balances, undefined, { key: one.secret })
    expect([without.status, without.body.code]).toEqual([401, -1])
  })

  test('for the id of the main key', async () => {
    const { rows } = await sql<{ id: string }>`select id from merchant_keys
      where merchant_id = ${edge.merchant.id} and purpose = 'api'`.execute(edge.db)
    expect(await refusal({ id: rows[0]!.id, secret: edge.merchant.privateKey })).toEqual(REFUSED)
  })

  test('from the time of its end on, and at once when it is revoked', async () => {
    const ends = new Date(edge.clock.ms + 10_000)
    const [ending, revoked] = [await made(['read'], { expiresAt: ends }), await made(['read'])]
    const statusOf = async (key: Made) => (await edge.call('GET', balances, undefined, withKey(key))).status
    expect([await statusOf(ending), await statusOf(revoked)]).toEqual([200, 200])
    await inTransaction(edge.db, (tx) =>
      revokeAdditionalKey(tx, { merchantId: edge.merchant.id, id: revoked.id }, new Date(edge.clock.ms)),
    )
    edge.directory.forget(edge.merchant.id)
    expect(await refusal(revoked)).toEqual(REFUSED)
    edge.clock.ms += 10_000
    expect(await refusal(ending)).toEqual(REFUSED)
  })

  test('a header that is no UUID, or is repeated, is refused by its form', async () => {
    const key = await made(['read'])
    for (const id of ['', 'main', `${key.id},${key.id}`, `${key.id} `.repeat(2)]) {
      const answer = await edge.call('GET', balances, undefined, { key: key.secret, headers: ['key-id', id] })
      expect([id, answer.status, answer.body.description]).toEqual([
        id,
        401,
        'Invalid signature: send one key-id, a UUID, or none',
      ])
    }
    const twice = await edge.call('GET', balances, undefined, {
      key: key.secret,
      headers: ['key-id', key.id, 'key-id', key.id],
    })
    expect(twice.status).toBe(401)
    const upper = { ...key, id: key.id.toUpperCase() }
    expect((await edge.call('GET', balances, undefined, withKey(upper))).status).toBe(200)
  })
})

describe('the list of addresses', () => {
  const from = async (key: Made, address: string) => {
    const { status, body } = await edge.call('GET', balances, undefined, withKey(key, ['x-forwarded-for', address]))
    return body.code === undefined ? status : [status, body.code]
  }

  test('allows addresses in its ranges, also IPv4 that is mapped into IPv6', async () => {
    const key = await made(['read'], { addresses: '192.0.2.7, 198.51.100.0/24 2001:db8::/32' })
    for (const address of ['192.0.2.7', '198.51.100.255', '::ffff:192.0.2.7', '::ffff:c000:207', '2001:db8:1::5'])
      expect([address, await from(key, address)]).toEqual([address, 200])
    for (const address of ['192.0.2.8', '198.51.101.0', '::ffff:192.0.2.8', '2001:db9::1', '203.0.113.9, 127.0.0.1'])
      expect([address, await from(key, address)]).toEqual([address, [403, 108]])
    expect(await from(key, '192.0.2.7, 203.0.113.9'), 'the client wrote the first address itself').toEqual([403, 108])
  })

  test('is asked for after the signature is verified, and does not use up the rate of the merchant', async () => {
    const key = await made(['read'], { addresses: '192.0.2.7' })
    const wrong = await edge.call('GET', balances, undefined, { ...withKey(key), key: 'wrong' })
    expect([wrong.status, wrong.body.code]).toEqual([401, -1])
    const outside = await edge.call('GET', balances, undefined, withKey(key))
    expect(outside.body).toMatchObject({ code: 108, description: expect.stringContaining('127.0.0.1') })
    expect(outside.headers['ratelimit'], 'the rate of the merchant is not asked').toBeUndefined()
    expect(used).toEqual([])
  })

  test.each([
    '192.0.2.256',
    '192.0.2.0/33',
    '192.0.2.1/24',
    '127.1',
    '0x7f.0.0.1',
    '::ffff:192.0.2.7',
    'example.com',
    '2001:db8::/129',
    'fe80::1%eth0',
  ])('does not take %s', (typed) => expect(readRanges(typed)).toBeUndefined())

  test('takes each range once, and at most 20', () => {
    expect(readRanges(' 192.0.2.7;192.0.2.7/32,\n2001:DB8::1 ')).toEqual(['192.0.2.7/32', '2001:db8::1/128'])
    const many = (count: number) => Array.from({ length: count }, (_, i) => `192.0.2.${i}`).join(' ')
    expect([readRanges(many(20))?.length, readRanges(many(21))]).toEqual([20, undefined])
  })
})

test('the main key does everything without the header, and its rotation changes no additional key', async () => {
  const key = await made(['read'])
  const { secret } = await inTransaction(edge.db, (tx) =>
    rotateKey(
      tx,
      edge.merchant.id,
      { purpose: 'api', overlapMs: 0 },
      { box, random: randomBytes, actor: 'test' },
      { at: new Date(edge.clock.ms), newId },
    ),
  )
  edge.directory.forget(edge.merchant.id)
  expect((await edge.call('GET', balances)).status).toBe(401)
  edge.merchant.privateKey = secret
  expect((await edge.call('GET', balances)).status).toBe(200)
  expect((await edge.call('GET', balances, undefined, withKey(key))).status).toBe(200)
})

test('the newest use of a key is stored with its address, and reloads no directory', async () => {
  const key = await made(['read'])
  await edge.call('GET', balances, undefined, withKey(key, ['x-forwarded-for', '192.0.2.1']))
  await edge.call('GET', balances, undefined, withKey(key, ['x-forwarded-for', '192.0.2.2']))
  const uses = createKeyUses(edge.db)
  used.forEach(uses.note)
  const client = await edge.pool.connect()
  const heard: unknown[] = []
  client.on('notification', ({ payload }) => heard.push(payload))
  await client.query('listen merchant_changed')
  await uses.job.run(new AbortController().signal)
  const older = createKeyUses(edge.db)
  older.note({ ...used[0]!, at: edge.clock.ms - 1_000 })
  await older.job.run(new AbortController().signal)
  await client.query('select 1')
  client.release(true)
  const { rows } = await sql<{ at: Date; from: string }>`select last_used_at as at, last_used_from as from from api_keys
    where merchant_id = ${edge.merchant.id} and id = ${key.id}`.execute(edge.db)
  expect(rows).toEqual([{ at: new Date(edge.clock.ms), from: '192.0.2.2' }])
  expect(heard).toEqual([])
})

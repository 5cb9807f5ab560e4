import { randomUUID } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import { parseAddress as parseBitcoin } from '@bursar/chainkit/bitcoin'
import { parseAddress as parseTron } from '@bursar/chainkit/tron'
import { checksumAddress } from '@bursar/chainkit/evm'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { ApiRefusal, ApiRequest } from '../../platform/api/route.ts'
import {
  addressRoutes,
  createAddressIssuer,
  createStockJob,
  ownAddressesAmong,
  isOurs,
  knowHotAddresses,
  ownerOf,
  replenish,
  stockOf,
  type AddressIssuer,
} from './index.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'

const { db } = useDb()
const NOW = Date.UTC(2026, 0, 1)
const NETWORKS: ReadonlySet<Network> = new Set(['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON'])
const limits = new Map<string, number>()
const runtime = createTestRuntime(db, () => NOW)
/** Two, as two api processes would have. */
let issuers: AddressIssuer[]

beforeAll(() => {
  const limitOf = async (merchantId: string) => limits.get(merchantId) ?? null
  issuers = [0, 1].map(() => createAddressIssuer({ db, keys: TEST_KEYS, limitOf }))
})
afterAll(() => Promise.all(issuers.map((issuer) => issuer.close())))
beforeEach(async () => {
  await sql`truncate addresses, address_stock, derivation_counters, house_addresses, request_answers`.execute(db)
})

const targets: unknown[] = []
const call = async (
  operation: 'createAddress' | 'createRotatingAddress',
  body: Record<string, unknown>,
  more: { merchantId?: string; keys?: ApiRequest['answerKeys']; process?: 0 | 1 } = {},
): Promise<Record<string, unknown> & { address: string }> => {
  const routes = addressRoutes({
    runtime,
    issuer: issuers[more.process ?? 0]!,
    networks: NETWORKS,
    keepTarget: async (owner, target) => void targets.push({ ...owner, target }),
  })
  const answer = await routes
    .find((route) => route.operation === operation)!
    .handle({
      merchantId: more.merchantId ?? randomUUID(),
      params: {},
      query: {},
      body,
      keyId: randomUUID(),
      requestId: 'r',
      answerKeys: more.keys ?? [],
    })
  expect(answer.status).toBe(200)
  return JSON.parse('json' in answer ? answer.json : JSON.stringify(answer.body))
}
const refused = (body: Record<string, unknown>, operation: Parameters<typeof call>[0] = 'createAddress') =>
  call(operation, body).then(
    () => expect.unreachable('was not refused'),
    ({ status, code, field, message }: ApiRefusal) => ({ status, code, field, message }),
  )
/** Which of the two processes takes a request. */
const sideOf = (i: number): 0 | 1 => (i % 2 === 0 ? 0 : 1)
const stored = async (address: string) =>
  (
    await sql<{ family: string; derivation_index: number; leased_until: Date | null; meta: string | null }>`
    select * from addresses where address = ${address}`.execute(db)
  ).rows[0]!

describe('an address', () => {
  test('is new at every request, and echoes meta byte for byte', async () => {
    const merchantId = randomUUID()
    const meta = '<user "7"> \\ é 🐚\n'
    const first = await call('createAddress', { blockchain: 'BITCOIN', meta }, { merchantId })
    const second = await call('createAddress', { blockchain: 'BITCOIN', meta }, { merchantId })
    expect(first).toEqual({ address: first.address, blockchain: 'BITCOIN', meta })
    expect(second.address).not.toBe(first.address)
    expect((await ownerOf(db, 'BITCOIN', [first.address])).get(first.address)).toMatchObject({ merchantId, meta })
  })

  test('with a target is given out after the target is stored', async () => {
    const merchantId = randomUUID()
    const target = { ticker: 'USDT', address: 'T1', blockchain: 'TRON' }
    const { address } = await call('createAddress', { blockchain: 'BITCOIN', target }, { merchantId })
    const { rows } = await sql<{
      id: string
    }>`select id from addresses where merchant_id = ${merchantId} and address = ${address}`.execute(db)
    expect(targets.at(-1)).toEqual({ merchantId, kind: 'address', id: rows[0]!.id, target })
  })

  test('answers an empty meta as empty and an absent one not at all', async () => {
    expect(await call('createAddress', { blockchain: 'ETHEREUM', meta: '' })).toHaveProperty('meta', '')
    expect(await call('createAddress', { blockchain: 'ETHEREUM' })).not.toHaveProperty('meta')
  })

  test('is one wallet for both EVM networks, in EIP-55 form, and a regtest address on Bitcoin', async () => {
    const { address } = await call('createAddress', { blockchain: 'BINANCE_SMART_CHAIN' })
    expect(checksumAddress(address.toLowerCase() as `0x${string}`)).toBe(address)
    expect(await isOurs(db, 'ETHEREUM', address)).toMatchObject({ kind: 'deposit' })
    expect(await isOurs(db, 'BINANCE_SMART_CHAIN', address)).toMatchObject({ kind: 'deposit' })
    expect(await isOurs(db, 'BITCOIN', address)).toBeNull()
    const bitcoin = await call('createAddress', { blockchain: 'BITCOIN' })
    expect(parseBitcoin(bitcoin.address, 'regtest')).not.toHaveProperty('refused')
  })

  test('is base58 on TRON, and is unknown on the other networks', async () => {
    const { address } = await call('createAddress', { blockchain: 'TRON' })
    expect(parseTron(address)).toEqual({ address })
    expect(await isOurs(db, 'TRON', address)).toMatchObject({ kind: 'deposit' })
    expect(await isOurs(db, 'ETHEREUM', address)).toBeNull()
  })

  test('of the platform is distinguished', async () => {
    await knowHotAddresses(db, 1, [{ family: 'BITCOIN', address: 'bcrt1qhouse', index: 7 }], new Date(NOW))
    const platform = { address: 'bcrt1qhouse', account: 'hot', branch: 1, index: 7 }
    expect(await isOurs(db, 'BITCOIN', 'bcrt1qhouse')).toEqual({ kind: 'platform', platform })
    expect([...(await ownAddressesAmong(db, 'BITCOIN', ['bcrt1qhouse', 'bcrt1qother'])).values()]).toEqual([platform])
  })
})

describe('a rotating address', () => {
  test('ends after a day, or after the given time as number or digits', async () => {
    const body = { blockchain: 'ETHEREUM' }
    const standard = await call('createRotatingAddress', body)
    expect(standard).toMatchObject({ expiredAt: NOW + 86_400_000, blockchain: 'ETHEREUM' })
    const digits = await call('createRotatingAddress', { ...body, duration: '123145513' })
    expect(digits.expiredAt).toBe(NOW + 123_145_513)
    const shortest = await call('createRotatingAddress', { ...body, duration: 600_000 })
    expect(shortest.expiredAt).toBe(NOW + 600_000)
  })

  const outside: (string | number)[] = [599_999, '599999', 30 * 86_400_000 + 1, '99999999999999']
  test.each(outside)('refuses duration %j', async (duration) => {
    expect(await refused({ blockchain: 'BITCOIN', duration }, 'createRotatingAddress')).toMatchObject({
      status: 400,
      code: 100,
      field: 'duration',
    })
  })

  test('ends two hours after its first deposit; a second and one that comes too late change nothing', async () => {
    const { address } = await call('createRotatingAddress', { blockchain: 'BITCOIN' })
    const owner = (await ownerOf(db, 'BITCOIN', [address])).get(address)!
    const arrive = (at: number) => inTransaction(db, (tx) => replenish(tx, [owner], new Date(at)))
    await arrive(NOW + 86_400_000)
    expect((await stored(address)).leased_until).toEqual(new Date(NOW + 86_400_000))
    await arrive(NOW + 1_000)
    expect((await stored(address)).leased_until).toEqual(new Date(NOW + 1_000 + 7_200_000))
    await arrive(NOW + 60_000)
    expect((await stored(address)).leased_until).toEqual(new Date(NOW + 1_000 + 7_200_000))
  })
})

describe('a request is refused', () => {
  test.each([
    [{ blockchain: 'DOGECOIN' }, 400, 100, 'blockchain', /BITCOIN, ETHEREUM, BINANCE_SMART_CHAIN/],
    [{ blockchain: 'BITCOIN', meta: 'a\0b' }, 400, 100, 'meta', /U\+0000/],
    [{ blockchain: 'BITCOIN', meta: 'a\ud800b' }, 400, 100, 'meta', /Unicode/],
  ])('%j', async (body, status, code, field, message) => {
    const refusal = await refused(body)
    expect(refusal).toMatchObject({ status, code, field })
    expect(refusal.message).toMatch(message)
  })

  test('beyond the limit of its merchant, exactly, over two processes', async () => {
    const merchantId = randomUUID()
    limits.set(merchantId, 3)
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        call('createAddress', { blockchain: 'BITCOIN' }, { merchantId, process: sideOf(i) }),
      ),
    )
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(3)
    const reasons = results.flatMap((r) => (r.status === 'rejected' ? [(r.reason as ApiRefusal).code] : []))
    expect(reasons).toEqual(Array.from({ length: 7 }, () => 100))
  })
})

describe('the stock', () => {
  const fill = async (target: number): Promise<void> => {
    const job = createStockJob({ runtime, keys: TEST_KEYS, families: ['BITCOIN', 'EVM'], target })
    while (await job.run(new AbortController().signal));
  }

  test('is filled to its target, and many requests over two processes share it without a gap or a double', async () => {
    await fill(40)
    expect(await stockOf(db, 'EVM', 1_000)).toBe(40)
    // More than the stock holds: the rest is derived on the spot.
    const given = await Promise.all(
      Array.from({ length: 60 }, (_, i) => call('createAddress', { blockchain: 'ETHEREUM' }, { process: sideOf(i) })),
    )
    expect(new Set(given.map(({ address }) => address)).size).toBe(60)
    const { rows } = await sql<{ index: number }>`select derivation_index as index from addresses union all
      select derivation_index from address_stock where family = 'EVM' order by 1`.execute(db)
    expect(rows.map(({ index }) => index)).toEqual(rows.map((_, i) => i))
    expect(await stockOf(db, 'BITCOIN', 1_000)).toBe(40)
  })
})

describe('the same request again', () => {
  const keys = [{ key: 'key:order-1', fingerprint: 'f1' }]

  test('gets the first answer, also when many come at once over two processes', async () => {
    const merchantId = randomUUID()
    const body = { blockchain: 'BITCOIN', meta: 'x' }
    const first = await call('createAddress', body, { merchantId, keys })
    const again = await Promise.all(
      Array.from({ length: 12 }, (_, i) => call('createAddress', body, { merchantId, keys, process: sideOf(i) })),
    )
    expect(again).toEqual(again.map(() => first))

    const race = [{ key: 'key:order-2', fingerprint: 'f2' }]
    const raced = await Promise.all(
      Array.from({ length: 12 }, (_, i) => call('createAddress', body, { merchantId, keys: race, process: sideOf(i) })),
    )
    expect(new Set(raced.map(({ address }) => address)).size).toBe(1)
    const { rows } = await sql<{ count: number }>`
      select count(*) from addresses where merchant_id = ${merchantId}`.execute(db)
    expect(rows[0]!.count).toBe(2)
  })

  test('with another body is refused', async () => {
    const merchantId = randomUUID()
    await call('createAddress', { blockchain: 'BITCOIN' }, { merchantId, keys })
    const other = [{ key: 'key:order-1', fingerprint: 'f9' }]
    await expect(call('createAddress', { blockchain: 'ETHEREUM' }, { merchantId, keys: other })).rejects.toMatchObject({
      status: 409,
      code: 103,
    })
  })
})

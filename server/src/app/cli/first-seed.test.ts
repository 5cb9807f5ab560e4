/** Decisions about deposits at a stolen first seed, as two people type them, under the database role of operators. */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SECOND_SEED } from '@bursar/chainkit'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { createDatabase, type TestDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { createWorld, pay, type Owned, type World } from '../../../../test/world/deposits.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { knowHotAddresses, noteStolenSeed } from '../../chain/addresses/index.ts'
import { applyGrants, createRolesSql, DATABASE_ROLES, roleName } from '../../platform/db/roles.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const prefix = `t${inject('runId')}_firstseed`
let database: TestDatabase
let env: Record<string, string>
let world: World
let folder: string
const owners: Owned[] = []
const path = (name: string): string => join(folder, name)

beforeAll(async () => {
  database = await createDatabase({ template: migrated })
  await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    for (const statement of createRolesSql(prefix, rows[0]!.name)) await client.query(statement)
  })
  await applyGrants(database.url, prefix)
  const user = roleName(prefix, 'operator')
  const withUser = database.url.replace(/([?&]user=)[^&]*/, `$1${user}`)
  const operatorUrl = withUser === database.url ? database.url.replace(/\/\/([^@/]*@)?/, `//${user}@`) : withUser
  folder = temporaryFolder('first-seed')
  const file = (name: string, content: unknown): string => {
    writeFileSync(path(name), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
    return path(name)
  }
  const on = { ETHEREUM: { decimals: 18, minDeposit: '0.001', minWithdrawal: '0.01' } }
  const usdt = { ETHEREUM: { contract: `0x${'ab'.repeat(20)}`, decimals: 6, minDeposit: '1', minWithdrawal: '1' } }
  const usdtOnBsc = { contract: `0x${'cd'.repeat(20)}`, decimals: 18, minDeposit: '1', minWithdrawal: '1' }
  const crypto = [
    { ticker: 'ETH', name: 'Ether', networks: on },
    { ticker: 'USDT', name: 'Tether', networks: { ...usdt, BINANCE_SMART_CHAIN: usdtOnBsc } },
  ]
  env = {
    DATABASE_URL: operatorUrl,
    BURSAR_DATABASE_ROLES: prefix,
    BURSAR_DATA_KEY_FILE: file('key', 'ab'.repeat(32)),
    BURSAR_LOG_LEVEL: 'silent',
    BURSAR_ASSETS_FILE: file('assets.json', { crypto, fiat: [] }),
    BURSAR_NETWORKS_FILE: file('networks.json', {}),
    BURSAR_XPUBS_FILE: file('xpubs.json', { ...TEST_KEYS, masterFingerprint: '00000000' }),
  }
  world = createWorld(database.url)
  for (let i = 0; i < 4; i += 1) {
    const owned = await world.address('ETHEREUM')
    await makeMerchant(world.db, Date.now(), { id: owned.merchantId })
    owners.push(owned)
  }
  await stealSeed()
})
afterAll(async () => {
  await world.close()
  await database.drop()
  await withClient(inject('postgresUrl'), async (client) => {
    for (const kind of Object.keys(DATABASE_ROLES).toReversed())
      await client.query(`drop role if exists ${roleName(prefix, kind as keyof typeof DATABASE_ROLES)}`)
  })
})

/** A second seed is active, another party may have the first, and `units` of USDT have arrived at the second. */
const stealSeed = async (): Promise<void> => {
  const hot = (address: string, index: number) => ({ family: 'EVM' as const, address, index })
  const at = new Date(world.now)
  await knowHotAddresses(world.db, 0, [hot('0xold', 0), hot('0xnew', SECOND_SEED)], at)
  await noteStolenSeed(world.db, at)
  // Raw: no watcher follows a chain here.
  await sql`insert into watch_cursors(network, height, hash, head_height, final_height, traces, updated_at)
    values ('ETHEREUM', 200, 'x', 200, 200, false, ${at})`.execute(world.db)
  // Raw: no chain has these transfers.
  await sql`insert into house_transfers values ('ETHEREUM', 'drain', 'o:0', 'USDT', '0xold', '0xnew', ${250n * 10n ** 18n}, 150),
    ('ETHEREUM', 'not final', 'o:0', 'USDT', '0xold', '0xnew', ${900n * 10n ** 18n}, 201),
    ('ETHEREUM', 'sweep', 'o:0', 'USDT', ${owners[0]!.address}, '0xold', ${110n * 10n ** 18n}, 149),
    ('ETHEREUM', 'sweep', 'o:1', 'USDT', ${owners[1]!.address}, '0xold', ${140n * 10n ** 18n}, 149),
    ('ETHEREUM', 'not final', 'o:1', 'USDT', ${owners[2]!.address}, '0xold', ${30n * 10n ** 18n}, 201)`.execute(
    world.db,
  )
}
const type = async (...words: string[]) => {
  const { code, out, err } = await captured(() => runCommand(words, env, null))
  return { code, out: out.trim(), err: err.trim() }
}
const idsIn = (text: string): string[] => [...text.matchAll(/^deposit: (\S+),/gm)].map(([, id]) => id!)
const stateOf = async (id: string): Promise<string> =>
  (await sql<{ state: string }>`select state from deposits where id = ${id}`.execute(world.db)).rows[0]!.state
/** Names the block, so that no signature is valid for the same payment in another block. */
const placeOf = async (id: string): Promise<string> => {
  const { rows } = await sql<{ transaction: string; hash: string; at: Date }>`select transaction, block_hash as hash,
    created_at as at from deposits where id = ${id}`.execute(world.db)
  const { transaction, hash, at } = rows[0]!
  return `transaction ${transaction} in block ${hash}, seen ${at.toISOString()}`
}
const settle = () => world.settle('ETHEREUM', 200, 200)

test('one person composes a decision, another signs its text offline, and the deposits are credited or refused', async () => {
  const usdt = (at: number, units: bigint) => pay(owners[at]!.address, units, { contract: '0xusdt', index: `l:${at}` })
  for (const [at, units] of [100n, 140n, 30n].entries()) {
    world.now += 1_000
    await world.mine('ETHEREUM', 100 + at, [usdt(at, units * 10n ** 6n)])
  }
  await world.mine('ETHEREUM', 103, [pay(owners[3]!.address, 10n ** 18n)])
  await settle()
  const { out: publicKey } = await type('person', 'key', '--out', path('bob.pem'))
  expect(await type('person', 'enrol', 'bob', publicKey, 'bob')).toMatchObject({ code: 0 })

  const listed = await type('first-seed', 'list')
  expect(listed.code).toBe(0)
  expect(listed.out).toMatch(/ETHEREUM\/USDT +250 +0 +270/)
  expect(listed.out).toMatch(/ETHEREUM\/ETH +0 +0 +1/)

  const composed = await type('first-seed', 'text', 'credit', '--asset', 'ETHEREUM/USDT')
  expect(composed.code).toBe(0)
  const ids = idsIn(composed.out)
  expect(composed.out).toBe(
    [
      'bursar first-seed v1',
      /^database: .+$/m.exec(composed.out)![0],
      'decision: credit',
      `deposit: ${ids[0]}, 100 USDT on ETHEREUM at ${owners[0]!.address}, merchant ${owners[0]!.merchantId}, ${await placeOf(ids[0]!)}`,
      `deposit: ${ids[1]}, 140 USDT on ETHEREUM at ${owners[1]!.address}, merchant ${owners[1]!.merchantId}, ${await placeOf(ids[1]!)}`,
    ].join('\n'),
  )
  expect((await type('first-seed', 'text', 'credit', ...ids.toReversed())).out, 'whatever the order').toBe(composed.out)

  writeFileSync(path('text'), `${composed.out}\n`)
  const signed = await type('adjust', 'sign', '--key', path('bob.pem'), '--text', path('text'))
  expect(signed.err).toBe(composed.out)
  const apply = (...words: string[]) => type('first-seed', 'apply', 'bob', signed.out, ...words, '--yes')
  expect(await apply('refuse', ...ids), 'another decision than the signed one').toMatchObject({ code: 1 })
  expect(await apply('credit', ids[0]!), 'fewer deposits than the signed ones').toMatchObject({ code: 1 })
  expect(await type('first-seed', 'apply', 'bob', signed.out, 'credit', ...ids)).toMatchObject({ code: 2 })
  expect(await apply('credit', ...ids)).toMatchObject({ code: 0, out: '2 decided: credit' })
  expect(await apply('credit', ...ids), 'a second time').toMatchObject({ code: 1 })
  await settle()
  expect(await Promise.all(ids.map(stateOf))).toEqual(['credited', 'credited'])
  expect((await type('first-seed', 'list')).out).toMatch(/ETHEREUM\/USDT +250 +240 +30/)
  expect(await type('first-seed', 'text', 'credit', '--asset', 'ETHEREUM/USDT'), '10 are left').toMatchObject({
    code: 1,
  })

  // Raw: the old hot address held more before, which is no deposit's.
  await sql`insert into house_transfers values ('ETHEREUM', 'drain', 'o:1', 'USDT', '0xold', '0xnew', ${500n * 10n ** 18n}, 150)`.execute(
    world.db,
  )
  const other = await type('first-seed', 'text', 'credit', '--asset', 'ETHEREUM/USDT')
  expect(other, 'the money of the third has not left its address').toMatchObject({ code: 1 })

  const json = await type('first-seed', 'list', '--json')
  const { deposits } = JSON.parse(json.out) as { deposits: { id: string; asset: string; missing: string }[] }
  const { id: refused, missing } = deposits.find(({ asset }) => asset === 'USDT')!
  expect(missing).toBe('30')
  expect(await type('first-seed', 'text', 'refuse', '--asset', 'ETHEREUM/USDT')).toMatchObject({ code: 2 })
  const refusal = await type('first-seed', 'text', 'refuse', refused)
  writeFileSync(path('text'), `${refusal.out}\n`)
  const { out: signature } = await type('adjust', 'sign', '--key', path('bob.pem'), '--text', path('text'))
  expect(await type('first-seed', 'apply', 'bob', signature, 'refuse', refused, '--yes')).toMatchObject({ code: 0 })
  await settle()
  expect(await stateOf(refused)).toBe('suspended')
})

test('an id that waits for nothing, or is none, is refused by name', async () => {
  for (const id of [randomUUID(), 'x'])
    expect(await type('first-seed', 'text', 'credit', id)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`deposit ${id} waits for no decision`) as string,
    })
  expect(await type('first-seed', 'text', 'credit', '--asset', 'USDT')).toMatchObject({ code: 2 })
})

test('beyond 1,000 deposits of one asset, the list counts the others, and those of every asset can be decided', async () => {
  const { merchantId, address } = owners[3]!
  // Raw: a thousand blocks would take long.
  const copies = await sql<{ id: string }>`insert into deposits
    select (json_populate_record(d, json_build_object('id', gen_random_uuid(), 'transaction', 'copy' || n,
      'created_at', d.created_at - interval '1 hour'))).*
    from deposits d, generate_series(1, 1002) n where d.merchant_id = ${merchantId} and d.asset = 'ETH' and d.address = ${address}
    returning id`.execute(world.db)
  expect(copies.rows).toHaveLength(1_002)
  await world.mine('ETHEREUM', 104, [pay(owners[0]!.address, 10_000_000n, { contract: '0xusdt', index: 'l:9' })])
  const listed = await type('first-seed', 'list')
  expect(listed.out).toContain('and 4 newer deposits')
  expect(listed.out).toMatch(/ETHEREUM\/ETH +0 +0 +1003/)
  const newest = await type('first-seed', 'text', 'credit', '--asset', 'ETHEREUM/USDT')
  expect(newest).toMatchObject({ code: 0, out: expect.stringContaining('10 USDT on ETHEREUM') as string })
  expect(await type('first-seed', 'text', 'credit', ...idsIn(newest.out))).toMatchObject({ code: 0, out: newest.out })
})

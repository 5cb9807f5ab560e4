/**
 * A database that is the copy of another: nothing that the other handed out since the copy was made is handed out
 * again.
 */
import { SECOND_SEED } from '@bursar/chainkit'
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { twoSeeds } from '../../../../test/world/signer.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import {
  createAddressIssuer,
  createStockJob,
  giveBack,
  INDEX_LEAP,
  isAtStolenSeed,
  ownerOf,
  takeIndexes,
} from '../../chain/addresses/index.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { createDb, createPool, inTransaction, type Db } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { createLogMemory, ensureWallets, requireSameKeys, type WalletKeys } from '../../chain/transactions/index.ts'
import { acceptDatabase, markAsCopy, requireSameDatabase } from '../../platform/runtime/installation.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { listStops } from '../../ledger/stops/index.ts'
import { openRestore } from '../../platform/runtime/restores.ts'
import { acceptMoved, makeSafe } from './restored.ts'

const database = useDatabase({ template: migrated })
const NOW = Date.UTC(2026, 0, 1)
const FAMILIES = ['BITCOIN', 'EVM', 'TRON'] as const
const BLOCKCHAINS = { BITCOIN: 'BITCOIN', EVM: 'ETHEREUM', TRON: 'TRON' } as const
const WALLET = { ...TEST_KEYS, masterFingerprint: '00000000' } as unknown as WalletKeys
const merchantId = randomUUID()

const dropped: string[] = []
afterAll(() =>
  withClient(database.url, async (client) => {
    for (const name of dropped) await client.query(`drop database ${name} with (force)`)
  }),
)

/** The database of an installation, and what an api does with it. */
const open = (url: string) => {
  const pool = createPool({ url })
  const db: Db = createDb(pool)
  const runtime = createTestRuntime(db, () => NOW)
  const issuer = createAddressIssuer({ db, keys: TEST_KEYS, limitOf: async () => null })
  const ask = async (count: number): Promise<string[]> => {
    const asked = FAMILIES.flatMap((family) =>
      Array.from({ length: count }, () =>
        issuer.issue({
          merchantId,
          id: runtime.newId(),
          family,
          blockchain: BLOCKCHAINS[family],
          meta: null,
          leasedUntil: null,
          leaseAfterDepositMs: null,
          createdAt: new Date(NOW),
          answer: { keys: [], before: '', after: '' },
        }),
      ),
    )
    return (await Promise.all(asked)).map((issued) => (issued.kind === 'issued' ? issued.address : issued.kind))
  }
  const stock = () => runUntilIdle([createStockJob({ runtime, keys: TEST_KEYS, families: FAMILIES, target: 8 })])
  const change = () => inTransaction(db, (tx) => takeIndexes(tx, 'BITCOIN', 'hot', 1, 1))
  return { db, runtime, ask, stock, change, close: async () => (await issuer.close(), await pool.end()) }
}

/** A copy as `create database … template` makes it, which knows what the original knew at that moment. */
const copyOf = async (url: string): Promise<string> => {
  const name = `bursar_copy_${randomBytes(5).toString('hex')}`
  const original = /\/([^/?]+)(\?|$)/.exec(url)![1]!
  await withClient(url.replace(original, 'postgres'), (client) =>
    client.query(`create database ${name} template ${original}`),
  )
  dropped.push(name)
  return url.replace(original, name)
}

/** An installation that has worked, the copy that was made of it then, and the original that went on. */
const setUp = async () => {
  const before = open(database.url)
  await requireSameDatabase(before.db, momentOf(before.runtime))
  await before.stock()
  await before.ask(2)
  await before.change()
  await before.close()
  const copyUrl = await copyOf(database.url)
  const original = open(database.url)
  const [addresses, change] = [await original.ask(12), await original.change()]
  await original.close()
  return { copy: open(copyUrl), addresses, change }
}

test('audit O-3.1: a restored copy gives out no address that the original gave out meanwhile, whether the command has run or not', async () => {
  const { copy, addresses, change } = await setUp()
  const again = await copy.ask(20)
  expect(again.filter((address) => addresses.includes(address))).toEqual([])
  expect(await copy.change()).toBe(change + INDEX_LEAP)
  await copy.close()
})

test('a copy from before a second seed watches addresses of both seeds, and leaps from the first index of the second', async () => {
  const { copy } = await setUp()
  const { db, runtime } = copy
  const keys = { ...WALLET, next: twoSeeds.publicKeys.next! }
  await ensureWallets(db, WALLET, momentOf(runtime))
  const lines = await makeSafe(runtime, keys, 4)
  const forgotten = await sql<{ index: number; address: string }>`select derivation_index as index, address
    from house_addresses where family = 'EVM' and account = 'forgotten' and derivation_index >= ${SECOND_SEED} order by 1`.execute(
    db,
  )
  expect(forgotten.rows).toEqual(
    [0, 1, 2, 3].map((index) => ({
      index: SECOND_SEED + index,
      address: twoSeeds.evmAddress({ account: 'deposit', index: SECOND_SEED + index }),
    })),
  )
  const ofFirst = await sql`select from house_addresses
    where family = 'EVM' and account = 'forgotten' and derivation_index < ${SECOND_SEED}`.execute(db)
  expect(ofFirst.rows.length).toBeGreaterThanOrEqual(4)
  expect(lines.filter((line) => line.startsWith('EVM:'))).toHaveLength(2)
  const taken = await inTransaction(db, (tx) => takeIndexes(tx, 'EVM', 'deposit', 0, 1, SECOND_SEED))
  expect(taken).toBe(SECOND_SEED + INDEX_LEAP)
  // What was forgotten at the first seed waits for a decision once it is given back, because that seed is stolen.
  await ensureWallets(db, { ...keys, next: { ...keys.next, isFirstStolen: true } }, momentOf(runtime))
  const [{ address: old }] = (
    await sql<{ address: string }>`select address from house_addresses where family = 'EVM' and account = 'forgotten'
      and derivation_index < ${SECOND_SEED} order by derivation_index desc limit 1`.execute(db)
  ).rows as [{ address: string }]
  const owner = { merchantId, blockchain: 'ETHEREUM', address: old, meta: null } as const
  expect(await inTransaction(db, (tx) => giveBack(tx, owner, momentOf(runtime)))).toBeDefined()
  const { rows: stolen } = await sql<{ stolen: boolean }>`select ${isAtStolenSeed(sql`${old}`)} as stolen`.execute(db)
  expect(stolen).toEqual([{ stolen: true }])
  const { rows } = await sql<{
    branch: number
    index: number
  }>`select branch, derivation_index as index from house_addresses
    where family = 'BITCOIN' and account in ('forgotten', 'hot') and branch = 1 and derivation_index >= ${SECOND_SEED} order by account, index`.execute(
    db,
  )
  expect(rows.map(({ index }) => index - SECOND_SEED)).toEqual([0, 1, 2, 3, 0, 1, 2, 3])
  const first = SECOND_SEED + INDEX_LEAP
  const take = (account: 'deposit' | 'hot', branch: 0 | 1): Promise<number> =>
    inTransaction(db, (tx) => takeIndexes(tx, 'BITCOIN', account, branch, 1, SECOND_SEED))
  expect([await take('deposit', 0), await take('hot', 1)]).toEqual([first, first])
  await copy.close()
})

test('audit O-3.1: C10 no role serves a restored copy before `bursar restored` has run, which makes it safe in one step', async () => {
  const { copy, addresses } = await setUp()
  await expect(requireSameDatabase(copy.db, momentOf(copy.runtime))).rejects.toThrow(/run|bursar restored/)
  const lines = await makeSafe(copy.runtime, WALLET, 16)
  expect(lines.join('\n')).toMatch(/all stopped[^]*new addresses start at index 100\d{4}/)
  await requireSameDatabase(copy.db, momentOf(copy.runtime))
  expect(await listStops(copy.db)).toMatchObject([
    { asset: null, merchantId: null, network: null, reason: 'restored from a copy' },
  ])
  await copy.stock()
  expect((await copy.ask(20)).filter((address) => addresses.includes(address))).toEqual([])
  const { rows } = await sql<{
    address: string
  }>`select address from house_addresses where account = 'forgotten'`.execute(copy.db)
  const watched = new Set(rows.map(({ address }) => address))
  expect(addresses.filter((address) => !watched.has(address))).toEqual([])
  const owner = {
    merchantId,
    blockchain: 'ETHEREUM',
    address: addresses.find((address) => address.startsWith('0x'))!,
    meta: 'order 7',
  } as const
  const id = await inTransaction(copy.db, (tx) => giveBack(tx, owner, momentOf(copy.runtime)))
  expect((await ownerOf(copy.db, 'EVM', [owner.address])).get(owner.address)).toMatchObject({
    merchantId,
    addressId: id,
    meta: 'order 7',
  })
  await copy.close()
})

test('audit O-3.1: the command moves on even if the database looks the same: a snapshot of its files put back in place', async () => {
  const here = open(database.url)
  await here.stock()
  const known = (await sql<{ address: string }>`select address from address_stock`.execute(here.db)).rows.map(
    ({ address }) => address,
  )
  expect(known).not.toEqual([])
  await makeSafe(here.runtime, WALLET, 0)
  expect((await here.ask(20)).filter((address) => known.includes(address))).toEqual([])
  await here.close()
})

test('audit O-3.1: D3 a promotion moves stock and counters on, and raises an alert', async () => {
  const here = open(database.url)
  await here.stock()
  const { rows: before } = await sql<{ address: string }>`select address from address_stock`.execute(here.db)
  await sql`update installation set timeline = '00000000'`.execute(here.db)
  for (const table of ['address_stock', 'derivation_counters'])
    await sql`update ${sql.table(table)} set era = regexp_replace(era, '[^/]*$', '00000000')`.execute(here.db)
  await requireSameDatabase(here.db, momentOf(here.runtime))
  expect((await here.ask(10)).filter((address) => before.some((row) => row.address === address))).toEqual([])
  expect((await sql`select from alerts where kind = 'database-promoted'`.execute(here.db)).rows).toHaveLength(1)
  await here.close()
})

test('the same database in another place is served as before once an operator accepts it', async () => {
  const copy = open(await copyOf(database.url))
  await expect(requireSameDatabase(copy.db, momentOf(copy.runtime))).rejects.toThrow('restored')
  await inTransaction(copy.db, (tx) => acceptDatabase(tx, { forgot: false }, new Date(NOW)))
  await requireSameDatabase(copy.db, momentOf(copy.runtime))
  await copy.close()
})

test('a database that `bursar restore` made is not accepted as one that was moved', async () => {
  const copy = open(await copyOf(database.url))
  await acceptMoved(copy.runtime)
  await requireSameDatabase(copy.db, momentOf(copy.runtime))
  await markAsCopy(copy.db)
  await expect(acceptMoved(copy.runtime)).rejects.toThrow('without --moved')
  await expect(requireSameDatabase(copy.db, momentOf(copy.runtime))).rejects.toThrow('bursar restored')
  await copy.close()
})

test("the signer's log is compared from the end that a copy knew, and as a whole where a role may have moved it", async () => {
  const end = (length: number) => ({ length, head: 'a'.repeat(64) })
  for (const [mark, length] of [
    [markAsCopy, 5],
    [async () => {}, 0],
  ] as const) {
    const copy = open(await copyOf(database.url))
    await sql`delete from restores`.execute(copy.db)
    await acceptMoved(copy.runtime)
    await createLogMemory(copy.db, () => NOW).keep(end(5))
    await mark(copy.db)
    await createLogMemory(copy.db, () => NOW).keep(end(9))
    await makeSafe(copy.runtime, WALLET, 0)
    expect(await openRestore(copy.db)).toMatchObject({ log: { length } })
    await copy.close()
  }
})

test('a file that does not say that another party may have the first seed is refused once the database records it', async () => {
  const copy = open(await copyOf(database.url))
  const wallet = { ...WALLET, next: { ...twoSeeds.publicKeys.next!, isFirstStolen: true as const } }
  await ensureWallets(copy.db, wallet, momentOf(copy.runtime))
  await requireSameKeys(copy.db, wallet)
  const { isFirstStolen: _, ...next } = wallet.next
  await expect(requireSameKeys(copy.db, { ...WALLET, next })).rejects.toThrow('another party may have the first seed')
  await copy.close()
})

test('audit O-3.6: keys of another seed than the database was made with are refused, by its hot and by its deposit addresses', async () => {
  const here = open(database.url)
  await ensureWallets(here.db, WALLET, momentOf(here.runtime))
  await requireSameKeys(here.db, WALLET)
  const other = { ...WALLET, evm: WALLET.tron }
  await expect(requireSameKeys(here.db, other)).rejects.toThrow(
    /another seed.*EVM address \d+ of account (hot|deposit)/,
  )
  await sql`truncate house_addresses`.execute(here.db)
  await expect(
    requireSameKeys(here.db, { ...WALLET, bitcoin: { ...WALLET.bitcoin, deposit: WALLET.bitcoin.hot } }),
  ).rejects.toThrow(/BITCOIN address \d+ of account deposit/)
  await here.close()
})

/** Money between addresses of ours, moved by anyone: books of addresses follow, and no merchant is credited. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { blockOf, catalogue, createWorld, E18, pay, type Owned, type World } from '../../../../test/world/deposits.ts'
import { recordOwn } from '../../../../test/world/own-address.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import { acceptDatabase } from '../../platform/runtime/installation.ts'
import { createFunding } from '../reconciliation/index.ts'
import { createSweepSubscriber } from './index.ts'

const database = useDatabase({ template: migrated })
const HOT = '0xhot'
let world: World
let owned: Owned

beforeAll(() => {
  world = createWorld(database.url)
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.reset()
  await sql`truncate house_addresses, house_transfers, fundings, installation`.execute(world.db)
  await recordOwn(world.runtime, 'EVM', 'hot', HOT)
  owned = await world.address('ETHEREUM')
})

const subscribers = () => [createSweepSubscriber(catalogue), createFunding(catalogue), world.deposits]
const read = (height: number, transactions: ReturnType<typeof pay>[]) =>
  subscribers().reduce(
    (before, subscriber) =>
      before.then(() =>
        world.act((tx, moment) => subscriber.block(tx, 'ETHEREUM', blockOf(height, transactions), moment)),
      ),
    Promise.resolve(),
  )
const booked = async (): Promise<Record<string, bigint>> => {
  const { rows } = await sql<{
    address: string
    booked: bigint
  }>`select address, booked from custody_addresses where asset = 'USDT'`.execute(world.db)
  return Object.fromEntries(
    rows.map((row) => [
      row.address === HOT ? 'hot' : row.address === owned.address ? 'deposit' : row.address,
      row.booked,
    ]),
  )
}
const usdt = (from: string, to: string, hash: string, units: bigint) => {
  const made = pay(to, units, { hash, contract: '0xusdt', index: 'l:0' })
  return { ...made, transfers: made.transfers.map((transfer) => ({ ...transfer, from: [from] })) }
}

test('a sweep that a stranger started moves the expected balances, and is neither capital nor a deposit', async () => {
  await read(1, [usdt('payer', owned.address, 't1', 50_000_000n)])
  await read(2, [usdt(owned.address, HOT, 't2', 50_000_000n)])
  await world.act((tx, moment) => createFunding(catalogue).settled(tx, 'ETHEREUM', { finalHeight: 9 }, moment))
  expect(await booked()).toEqual({ deposit: 0n, hot: 50n * E18 })
  expect(await world.balance(PLATFORM, 'USDT', 'capital')).toBe(0n)
})

test('read twice it moves once, and a lost block takes it back', async () => {
  const sweep = usdt(owned.address, HOT, 't2', 50_000_000n)
  await read(1, [usdt('payer', owned.address, 't1', 50_000_000n)])
  await read(2, [sweep])
  await read(2, [sweep])
  expect(await booked()).toEqual({ deposit: 0n, hot: 50n * E18 })
  await world.act((tx, moment) => createSweepSubscriber(catalogue).orphaned(tx, 'ETHEREUM', 2, moment))
  expect(await booked()).toEqual({ deposit: 50n * E18, hot: 0n })
})

test('a payment of the operator from cold storage to a deposit address is a deposit, and counts once', async () => {
  await recordOwn(world.runtime, 'EVM', 'cold', '0xcold')
  await read(1, [usdt('operator', '0xcold', 't1', 9_000_000n)])
  await read(2, [usdt('0xcold', owned.address, 't2', 5_000_000n)])
  expect(await booked()).toEqual({ deposit: 5n * E18, '0xcold': 4n * E18 })
  expect(await world.statuses()).toEqual(['Pending'])
  await world.act((tx, moment) => createSweepSubscriber(catalogue).orphaned(tx, 'ETHEREUM', 2, moment))
  await world.orphan('ETHEREUM', 2)
  expect(await booked()).toEqual({ deposit: 0n, '0xcold': 9n * E18 })
})

test('audit O-3.1: a transfer of the hot wallet to a deposit address is no deposit, even a forgotten one', async () => {
  await read(1, [usdt('operator', HOT, 't1', 9_000_000n)])
  await read(2, [usdt(HOT, owned.address, 't2', 5_000_000n)])
  await read(2, [usdt(HOT, owned.address, 't2', 5_000_000n)])
  expect(await booked()).toEqual({ deposit: 5n * E18, hot: 4n * E18 })
  expect(await world.statuses()).toEqual([])
  await world.act((tx, moment) => createSweepSubscriber(catalogue).orphaned(tx, 'ETHEREUM', 2, moment))
  expect(await booked()).toEqual({ deposit: 0n, hot: 9n * E18 })
})

describe('row T-41: the issuer of a token takes a fee of a sweep', () => {
  // TetherToken.sol: `transfer` writes a Transfer to the receiver and, where a fee is set, another one to the owner;
  // which comes first differs by chain.
  const withFee = (arrives: bigint, fee: bigint, to = HOT) => {
    const made = usdt(owned.address, to, 't2', arrives)
    return {
      ...made,
      transfers: [{ ...made.transfers[0]!, index: 'l:1', to: 'issuer', units: fee }, ...made.transfers],
    }
  }
  const costs = () => world.balance(PLATFORM, 'USDT', 'network-costs')
  const alerts = async () =>
    (await sql<{ name: string }>`select kind || ' ' || subject as name from alerts`.execute(world.db)).rows.map(
      ({ name }) => name,
    )
  beforeEach(() => sql`truncate alerts cascade`.execute(world.db))

  test('it is a cost of the platform, once, and a lost block takes it back', async () => {
    await read(1, [usdt('payer', owned.address, 't1', 50_000_000n)])
    await read(2, [withFee(49_950_000n, 50_000n)])
    await read(2, [withFee(49_950_000n, 50_000n)])
    expect(await booked()).toEqual({ deposit: 0n, hot: (E18 * 4_995n) / 100n })
    expect([await costs(), await alerts()]).toEqual([-E18 / 20n, ['issuer-fee ETHEREUM/USDT']])
    await world.act((tx, moment) => createSweepSubscriber(catalogue).orphaned(tx, 'ETHEREUM', 2, moment))
    expect([await booked(), await costs()]).toEqual([{ deposit: 50n * E18, hot: 0n }, 0n])
  })

  test.each([
    ['is more than a hundredth of what arrives: it is missing', 40_000_000n, 10_000_000n, HOT],
    ['goes with a payment to a stranger', 49_950_000n, 50_000n, '0xstranger'],
  ])('nothing is posted for a fee that %s', async (_name, arrives, fee, to) => {
    await read(1, [usdt('payer', owned.address, 't1', 50_000_000n)])
    await read(2, [withFee(arrives, fee, to)])
    expect([await costs(), await alerts()]).toEqual([0n, []])
  })
})

test('income of the hot wallet from outside is still capital', async () => {
  await read(1, [usdt('operator', HOT, 't1', 7_000_000n)])
  await world.act((tx, moment) => createFunding(catalogue).settled(tx, 'ETHEREUM', { finalHeight: 9 }, moment))
  expect(await booked()).toEqual({ hot: 7n * E18 })
  expect(await world.balance(PLATFORM, 'USDT', 'capital')).toBe(7n * E18)
})

describe('in a database that was restored from a copy', () => {
  const FORGOTTEN = '0xforgotten'
  const settle = () =>
    world.act((tx, moment) => createFunding(catalogue).settled(tx, 'ETHEREUM', { finalHeight: 9 }, moment))
  const capital = () => world.balance(PLATFORM, 'USDT', 'capital')
  const suspense = () => world.balance(PLATFORM, 'USDT', 'suspense')
  const alerts = async () =>
    (await sql<{ text: string }>`select text from alerts where kind = 'restored-funding'`.execute(world.db)).rows.map(
      ({ text }) => text,
    )
  beforeEach(() =>
    // Raw: an address that a restore forgot.
    sql`insert into house_addresses values ('EVM', ${FORGOTTEN}, 'forgotten', 1, 7, ${new Date(world.now)})`.execute(
      world.db,
    ),
  )
  const restoredNow = () =>
    inTransaction(world.db, (tx) => acceptDatabase(tx, { forgot: true }, new Date(blockOf(2, []).time)))

  test('audit O-3.1 O-3.3: money for an address that it has forgotten goes to suspense, never to capital', async () => {
    await read(1, [usdt('payer', FORGOTTEN, 't1', 50_000_000n)])
    await settle()
    expect([await suspense(), await capital()]).toEqual([50n * E18, 0n])
    expect((await alerts()).join()).toContain('50 USDT arrived on ETHEREUM')
  })

  test('audit O-3.1: a sweep of a forgotten address is a move between addresses of ours, and counts once', async () => {
    await read(1, [usdt('payer', FORGOTTEN, 't1', 50_000_000n)])
    await read(2, [usdt(FORGOTTEN, HOT, 't2', 50_000_000n)])
    await settle()
    expect(await booked()).toEqual({ [FORGOTTEN]: 0n, hot: 50n * E18 })
    expect([await suspense(), await capital()]).toEqual([50n * E18, 0n])
  })

  test('audit O-3.1 O-3.3: earlier income of the hot wallet, in blocks the copy had not read, goes to suspense', async () => {
    await restoredNow()
    await read(2, [usdt('a forgotten address beyond those that are watched', HOT, 't1', 30_000_000n)])
    await settle()
    expect([await suspense(), await capital()]).toEqual([30n * E18, 0n])
  })

  test('audit O-3.1: a move between two hot wallets that the copy knows nothing of is no money from outside', async () => {
    await recordOwn(world.runtime, 'EVM', 'hot', '0xhot2', 1)
    await read(1, [usdt('operator', HOT, 't1', 9_000_000n)])
    await read(2, [usdt(HOT, '0xhot2', 't2', 4_000_000n)])
    await settle()
    expect(await booked()).toEqual({ hot: 5n * E18, '0xhot2': 4n * E18 })
    expect(await capital()).toBe(9n * E18)
  })
})

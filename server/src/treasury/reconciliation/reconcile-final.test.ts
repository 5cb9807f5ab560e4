/**
 * TRON: the node returns balances of its final block, which advances during the queries, and the books are of a newer
 * one.
 */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readEmptyBlocks } from '../../../../test/world/watcher.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { ChainUnavailable, type ChainAdapter } from '../../adapters/chains/port.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { opposite, type CustodyMove } from '../../ledger/address-balances/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { createWorld, type World } from '../../../../test/world/deposits.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createFunding, reconcileNetwork } from './index.ts'

const database = useDatabase({ template: migrated })
const catalogue = createCatalogue({
  crypto: [{ ticker: 'TRX', name: 'TRON', networks: { TRON: { decimals: 6, minDeposit: '0', minWithdrawal: '0' } } }],
  fiat: [],
})
let world: World
let runtime: Runtime
/** what the chain holds at each height, by address */
let history: Map<number, Map<string, bigint>>
let final = 0
let finalHash = ''

beforeAll(() => {
  world = createWorld(database.url)
  runtime = createTestRuntime(world.db, () => world.now)
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.reset()
  await sql`truncate house_addresses, custody_recent, custody_rounds`.execute(world.db)
  await readEmptyBlocks(runtime, 'TRON', { height: 0, branch: 'b' })
  history = new Map([[0, new Map()]])
  final = 0
  finalHash = ''
})

const adapter = {
  network: 'TRON' as const,
  balancesAtFinal: async (wanted: readonly { address: string; contract: string | null }[]) => ({
    head: { height: final, hash: finalHash || `b${final}` },
    units: wanted.map(({ address }) => history.get(final)!.get(address) ?? 0n),
  }),
} as unknown as ChainAdapter

/** The next block moves this on the chain, and, as the watcher reads it, in ledger and records. */
const block = async (height: number, moves: Record<string, bigint>, booked = moves): Promise<void> => {
  history.set(height, new Map(history.get(height - 1)))
  for (const [address, units] of Object.entries(moves))
    history.get(height)!.set(address, (history.get(height)!.get(address) ?? 0n) + units)
  const moved = Object.entries(booked).map(([address, units]): CustodyMove => ({
    network: 'TRON',
    asset: 'TRX',
    address,
    units,
    height,
  }))
  await read(height, moved)
}
const read = async (height: number, moves: readonly CustodyMove[]): Promise<void> => {
  const moment = world.moment()
  const sum = moves.reduce((total, { units }) => total + units, 0n)
  const id = moment.newId()
  const entry = (kind: 'custody:TRON' | 'capital', posted: bigint) => ({
    account: { merchantId: PLATFORM, asset: 'TRX', kind },
    posted,
    held: 0n,
  })
  const items =
    sum === 0n
      ? []
      : [
          {
            transfer: {
              id,
              merchantId: PLATFORM,
              kind: 'post' as const,
              cause: { kind: 'funding' as const, id },
              entries: [entry('custody:TRON', -sum), entry('capital', sum)],
              at: moment.at,
            },
          },
        ]
  await inTransaction(world.db, async (tx) => {
    // Raw: the block and its moves are one transaction, as the watcher writes them.
    await sql`update watch_cursors set height = ${height}, hash = ${`b${height}`} where network = 'TRON'`.execute(tx)
    await sql`insert into watch_blocks values ('TRON', ${height}, ${`b${height}`}, '') on conflict do nothing`.execute(
      tx,
    )
    await carryOut(tx, { items, notices: [], moves }, moment)
  })
}
const look = () => reconcileNetwork(runtime, catalogue, adapter)

test('moves above the final block are left out of the records, for a wallet that never rests too', async () => {
  await block(1, { hot: 100n, a: 5n })
  await block(2, { hot: -10n })
  await block(3, { hot: -7n, a: 1n })
  for (const at of [1, 2, 3]) {
    final = at
    expect((await look())!.lines).toMatchObject([{ height: at, short: 0n, surplus: 0n, booked: 89n, onChain: 89n }])
  }
  expect((await look())!.left).toBe(0)
})

test('money missing at the final block is found while newer blocks move the same wallet', async () => {
  await block(1, { hot: 100n })
  await block(2, { hot: -10n, thief: 0n }, { hot: -6n })
  await block(3, { hot: -1n })
  final = 1
  expect((await look())!.lines).toMatchObject([{ short: 0n }])
  final = 2
  expect((await look())!.lines).toMatchObject([{ height: 2, short: 4n, surplus: 0n }])
})

test('row T-10: a balance from a machine that is some blocks behind or ahead is no difference', async () => {
  await block(1, { hot: 100n, a: 5n })
  await block(2, { hot: -10n })
  await block(3, { hot: -7n })
  await block(4, { hot: 2n })
  final = 3
  const at = (height: number, taken = 0n) =>
    reconcileNetwork(runtime, catalogue, {
      ...adapter,
      balancesAtFinal: async (wanted: readonly { address: string }[]) => ({
        head: { height: final, hash: `b${final}` },
        units: wanted.map(
          ({ address }) => (history.get(height)!.get(address) ?? 0n) - (address === 'hot' ? taken : 0n),
        ),
      }),
    } as unknown as ChainAdapter)
  for (const height of [1, 2, 3])
    expect((await at(height))!).toMatchObject({ left: 1, lines: [{ short: 0n, surplus: 0n, onChain: 90n }] })
  expect((await at(2, 1n))!.lines).toMatchObject([{ short: 0n, surplus: 6n }])
  expect((await at(4, 3n))!.lines).toMatchObject([{ short: 1n, surplus: 0n }])
  expect((await at(4))!).toMatchObject({ left: 0, lines: [{ short: 0n, surplus: 0n }] })
})

test('money that has long been missing is found, although the address had this balance before', async () => {
  await block(1, { hot: 100n })
  await block(2, { hot: -10n })
  for (let height = 3; height <= 30; height++) await block(height, {})
  await block(31, { hot: 20n })
  await block(32, { hot: 0n, thief: 0n }, { thief: 0n })
  history.set(32, new Map([['hot', 100n]]))
  final = 32
  expect((await look())!.lines).toMatchObject([{ short: 10n }])
})

test('a theft of the amount that the wallet pays in every block is found after some rounds', async () => {
  await block(1, { busy: 10_000n })
  const shorts: bigint[] = []
  for (let height = 2; height <= 70; height++) {
    await block(height, { busy: height === 5 ? -20n : -10n }, { busy: -10n })
    final = height - 20
    if (final >= 30) shorts.push((await look())!.lines[0]!.short)
  }
  expect(shorts.findIndex((short) => short === 10n)).toBe(12)
})

test('a lost block takes its moves out of the newest ones', async () => {
  await block(1, { hot: 100n })
  await block(2, { hot: -10n })
  await inTransaction(world.db, async (tx) => createFunding(catalogue).orphaned(tx, 'TRON', 2, world.moment()))
  await read(1, opposite([{ network: 'TRON', asset: 'TRX', address: 'hot', units: -10n, height: 2 }]))
  await block(2, { hot: -3n })
  for (const at of [1, 2]) {
    final = at
    expect((await look())!.lines).toMatchObject([{ short: 0n, surplus: 0n, booked: 97n, onChain: 97n }])
  }
})

test('nothing is concluded of a final block that the watcher has not read, or read another in its place', async () => {
  await block(1, { hot: 1n })
  final = 2
  history.set(2, new Map([['hot', 0n]]))
  expect(await look()).toBeUndefined()
  final = 1
  finalHash = 'another'
  expect(await look()).toBeUndefined()
})

test('audit D-T7: a page that a gateway can not answer within one final block is asked for in smaller ones', async () => {
  await block(1, Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`a${i}`, 5n])))
  final = 1
  let most = 50
  const sizes: number[] = []
  const slow = {
    ...adapter,
    mostAtFinal: () => most,
    balancesAtFinal: async (wanted: readonly { address: string; contract: string | null }[]) => {
      sizes.push(wanted.length)
      most = 8
      if (wanted.length > 8) throw new ChainUnavailable('the solidified head moved on: ask for fewer')
      return { head: { height: 1, hash: 'b1' }, units: wanted.map(() => 5n) }
    },
  } as unknown as ChainAdapter
  expect(await reconcileNetwork(runtime, catalogue, slow)).toMatchObject({
    compared: 30,
    lines: [{ short: 0n, surplus: 0n, onChain: 150n }],
  })
  expect(sizes).toEqual([30, 8, 8, 8, 6])
})

test('audit D-T7: a node that fails for another reason ends the round', async () => {
  await block(1, { hot: 1n })
  final = 1
  const silent = {
    ...adapter,
    mostAtFinal: () => 50,
    balancesAtFinal: async () => {
      throw new ChainUnavailable('silent')
    },
  } as unknown as ChainAdapter
  await expect(reconcileNetwork(runtime, catalogue, silent)).rejects.toThrow('silent')
})

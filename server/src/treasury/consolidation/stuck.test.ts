/** Which unconfirmed deposits the rescue looks at first. */
import { sql } from 'kysely'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { ChainTransaction } from '@bursar/chainkit'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { DEFAULT_BITCOIN_POLICY } from '../../chain/transactions/index.ts'
import { catalogue, WALLET } from '../../../../test/world/payouts.ts'
import { createWorld, START, type World } from '../../../../test/world/deposits.ts'
import { createRescueJob, DEFAULT_CONSOLIDATION_POLICY } from './index.ts'
import type { ConsolidationDeps } from './jobs.ts'
import { stuckDeposits } from './store.ts'

const database = useDatabase({ template: migrated })
let world: World
beforeAll(() => {
  world = createWorld(database.url)
  world.now = START
})
afterEach(() => emptyTables(world.db))
afterAll(() => world.close())

test('a stranger with many small outputs does not keep the transaction that brings most waiting', async () => {
  const { address } = await world.address('BITCOIN')
  const paying = (first: string, outputs: number, units: bigint): ChainTransaction => ({
    hash: first.repeat(64),
    keys: [`${first.repeat(64)}:0`],
    succeeded: true,
    fee: 100n,
    transfers: Array.from({ length: outputs }, (_, at) => ({
      index: `o:${at}`,
      contract: null,
      from: ['bc1qsender'],
      to: address,
      units,
    })),
  })
  await world.poolHas('BITCOIN', [paying('1', 20, 20_000n), paying('2', 20, 20_000n), paying('f', 1, 5_000_000n)])
  const later = new Date(START + 86_400_000)
  expect((await stuckDeposits(world.db, later, 10)).map(({ transaction }) => transaction[0]).join('')).toBe(
    'f111111111',
  )
  expect(await stuckDeposits(world.db, later, 500)).toHaveLength(41)
  expect(await stuckDeposits(world.db, new Date(START - 1), 500)).toEqual([])
})

// A deposit of 0.25 BTC may cost 500,000 satoshi at 2 %: as much as its payer's own 100,000 bytes before it cost at 5
// sat/vB.
test.each([
  [100_000, 0],
  [5_000, 1],
])('a stranger has %i virtual bytes that his deposit stands on paid for: %i times', async (vsize, children) => {
  const { address } = await world.address('BITCOIN')
  const hash = 'ab'.repeat(32)
  const transfer = { index: 'o:0', contract: null, from: ['bc1qsender'], to: address, units: 25_000_000n }
  await world.poolHas('BITCOIN', [{ hash, keys: [`${hash}:0`], succeeded: true, fee: 20n, transfers: [transfer] }])
  const adapter = {
    network: 'BITCOIN',
    feeRate: async () => ({ kind: 'vbyte', milliSatPerVb: 4_500n }),
    rawTransactions: async () => new Map(),
    poolCost: async () => ({
      vsize: 200,
      fee: 20n,
      ancestors: { vsize: vsize - 200, fee: BigInt(vsize / 10) },
      descendants: { count: 0, vsize: 0, fee: 0n },
      package: { vsize, fee: 20n },
    }),
  }
  const { newId } = world.moment()
  const clock = { now: () => START + 86_400_000, business: () => START + 86_400_000 }
  const deps = {
    runtime: { db: world.db, clock, newId, log: pino({ enabled: false }) },
    catalogue,
    adapter,
    wallet: WALLET,
    sending: DEFAULT_BITCOIN_POLICY,
    policy: DEFAULT_CONSOLIDATION_POLICY,
    pause: async () => {},
  } as unknown as ConsolidationDeps
  await createRescueJob(deps).run(new AbortController().signal)
  const { rows } = await sql`select from outgoing where pays_for = ${hash}`.execute(world.db)
  expect(rows).toHaveLength(children)
})

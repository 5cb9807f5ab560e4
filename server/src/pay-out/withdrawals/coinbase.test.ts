/** Coins that a Bitcoin block pays its miner: they can not be spent for 100 blocks. */
import { outpointOf, parseTransaction } from '@bursar/chainkit/bitcoin'
import { isRefused, type ChainTransaction } from '@bursar/chainkit'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { bitcoinHotAddress } from '../../chain/transactions/index.ts'
import { createPayoutWorld, WALLET, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const MINED = 100
const COINBASE = 'c0'.repeat(32)
const coinbase: ChainTransaction = {
  hash: COINBASE,
  keys: [],
  succeeded: true,
  fee: 0n,
  coinbase: true,
  transfers: [{ index: 'o:0', contract: null, from: [], to: bitcoinHotAddress(WALLET), units: 312_500_000n }],
}

/**
 * The refusal of a real node: Bitcoin Core's `CheckTxInputs` (consensus/tx_verify.cpp), seen on Bitcoin Knots 29.4.3.
 */
const TOO_EARLY = 'bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 6'

const open = async (): Promise<{ spent: string[] }> => {
  world = await createPayoutWorld(database.url, { network: 'BITCOIN' })
  const spent: string[] = []
  world.node.broadcast = (raw) => {
    const parsed = parseTransaction(Buffer.from(raw, 'hex'))
    if (!isRefused(parsed)) spent.push(...parsed.inputs.map(outpointOf))
    return { kind: 'accepted' }
  }
  return { spent }
}
const headAt = (height: number): Promise<unknown> =>
  sql`update watch_cursors set height = ${height}, final_height = ${height - 5} where network = 'BITCOIN'`.execute(
    world.db,
  )

test('audit D-B2, row B-1: a withdrawal is paid with other coins while a coinbase can not be spent', async () => {
  const { spent } = await open()
  await world.coins(1, 5_000_000n)
  await world.block({ height: MINED, transactions: [coinbase] })
  await headAt(MINED + 98)
  const [small, large] = [await world.request(1_000_000n), await world.request(30_000_000n)]
  await world.work()
  expect([
    await world.stateOf(small),
    await world.stateOf(large),
    spent.length,
    spent.includes(`${COINBASE}:0`),
  ]).toEqual(['sent', 'requested', 1, false])
})

test('audit D-B2, row B-1: a coinbase is spent once the next block may spend it', async () => {
  const { spent } = await open()
  await world.block({ height: MINED, transactions: [coinbase] })
  await headAt(MINED + 98)
  const id = await world.request(1_000_000n)
  await world.work()
  expect(await world.stateOf(id)).toBe('requested')
  await headAt(MINED + 99)
  await world.work()
  expect([await world.stateOf(id), spent]).toEqual(['sent', [`${COINBASE}:0`]])
})

test('audit D-B2, row B-1: a node that has fewer blocks is asked again later, without an alert', async () => {
  await open()
  await world.coins(1, 5_000_000n)
  let asked = 0
  world.node.broadcast = () => ((asked += 1), { kind: 'refused', reason: 'later', message: TOO_EARLY })
  const id = await world.request(1_000_000n)
  await world.work()
  expect([await world.stateOf(id), await world.alerts()]).toEqual(['planned', []])
  await world.work(4, 5_000)
  expect(asked).toBe(1)
  world.node.broadcast = () => ({ kind: 'accepted' })
  await world.work(1, 30_000)
  expect(await world.stateOf(id)).toBe('sent')
})

test('audit D-B2, row B-1: an alert is raised when the node refuses for longer than a bump waits', async () => {
  await open()
  await world.coins(1, 5_000_000n)
  world.node.broadcast = () => ({ kind: 'refused', reason: 'later', message: TOO_EARLY })
  const id = await world.request(1_000_000n)
  await world.work()
  await world.work(2, 30 * 60_000)
  expect([await world.stateOf(id), await world.alerts()]).toMatchObject([
    'planned',
    [{ kind: 'broadcast', text: expect.stringContaining(TOO_EARLY) as string }],
  ])
})

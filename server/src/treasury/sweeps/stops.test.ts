/** Which stops keep money at its deposit address. */
import { randomUUID } from 'node:crypto'
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readEmptyBlocks } from '../../../../test/world/watcher.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { stopMoney } from '../../../../test/world/stops.ts'
import { moveCustody } from '../../ledger/address-balances/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { createWorld, E18, pay, type Owned, type World } from '../../../../test/world/deposits.ts'
import { fundedOn, holdersOn, insertSweeps } from './store.ts'

const database = useDatabase({ template: migrated })
let world: World
let owned: Owned
let runtime: ReturnType<typeof createTestRuntime>

beforeAll(() => {
  world = createWorld(database.url)
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.reset()
  owned = await world.address('ETHEREUM')
  runtime = createTestRuntime(world.db, () => world.now)
  await readEmptyBlocks(runtime, 'ETHEREUM', { height: 120, final: 110, traces: false })
  await world.mine('ETHEREUM', 100, [pay(owned.address, E18, { index: 'n' })])
  await world.settle('ETHEREUM', 120, 110)
})

const stop = (asset: string | null, network: Network | null) => stopMoney(world.db, { asset, network })
const held = async (network: 'ETHEREUM' | 'TRON' = 'ETHEREUM') =>
  (await holdersOn(world.db, network, 10)).map(({ address }) => address)

test('a stop of BITCOIN, or of an asset on it, leaves sweeps on Ethereum and TRON alone', async () => {
  const onTron = { merchantId: randomUUID(), addressId: randomUUID(), address: 'TRON-1' }
  // Raw: an address and a deposit of TRON with readable names; no signer runs here.
  await sql`insert into addresses(merchant_id, id, family, blockchain, address, derivation_index, created_at)
    values (${onTron.merchantId}, ${onTron.addressId}, 'TRON', 'TRON', ${onTron.address}, 0, ${new Date(world.now)})`.execute(
    world.db,
  )
  await readEmptyBlocks(runtime, 'TRON', { height: 120, final: 110, traces: false })
  // The world of deposits serves no TRX: the deposit is the one on Ethereum, as it would be on TRON.
  const row = { id: randomUUID(), network: 'TRON', asset: 'TRX', address: onTron.address }
  const owner = { merchant_id: onTron.merchantId, address_id: onTron.addressId }
  await sql`insert into deposits select r.* from deposits d, jsonb_populate_record(d, ${JSON.stringify({ ...row, ...owner })}::jsonb) r`.execute(
    world.db,
  )
  await inTransaction(world.db, (tx) =>
    moveCustody(tx, [{ network: 'TRON', asset: 'TRX', address: onTron.address, units: E18, height: 100 }]),
  )
  await stop(null, 'BITCOIN')
  await stop('ETH', 'BITCOIN')
  await stop('TRX', 'BITCOIN')
  expect([await held(), await held('TRON')]).toEqual([[owned.address], [onTron.address]])
  await stop(null, null)
  expect([await held(), await held('TRON')]).toEqual([[], []])
})

test('audit M-D2: a stop of another network, such as after its final blocks were lost, leaves sweeps of this one alone', async () => {
  await stop(null, 'TRON')
  await stop('ETH', 'BINANCE_SMART_CHAIN')
  expect(await held()).toEqual([owned.address])
})

test.each<[string | null, Network | null]>([
  [null, null],
  ['ETH', null],
  [null, 'ETHEREUM'],
  ['ETH', 'ETHEREUM'],
])('a stop of asset %s and network %s keeps it where it is', async (asset, network) => {
  await stop(asset, network)
  expect(await held()).toEqual([])
})

test.each<[string | null, Network | null, string[]]>([
  ['ETH', null, []],
  [null, 'ETHEREUM', []],
  ['ETH', 'TRON', ['here']],
  ['USDT', null, ['here']],
])('prepared sweeps wait too: a stop of asset %s and network %s', async (asset, network, expected) => {
  await sql`truncate sweeps cascade`.execute(world.db)
  const row = {
    id: randomUUID(),
    network: 'ETHEREUM',
    asset: 'ETH',
    address: owned.address,
    merchantId: owned.merchantId,
    derivationIndex: 0,
    units: E18,
    way: 'top-up',
    state: 'funded',
    fundingId: null,
    outgoingId: null,
  } as const
  await inTransaction(world.db, (tx) => insertSweeps(tx, [row], world.moment()))
  await stop(asset, network)
  expect(
    (await fundedOn(world.db, 'ETHEREUM', 10)).map(({ address }) => (address === owned.address ? 'here' : address)),
  ).toEqual(expected)
})

/**
 * A node that gives up the state of the block that it is asked about: full nodes of geth and bsc keep 128, which on BSC
 * is a minute.
 */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { ChainUnavailable } from '../../adapters/chains/port.ts'
import { createSimulatedChain } from '../../adapters/chains/simulated/index.ts'
import { createWorld, type World } from '../../../../test/world/deposits.ts'
import { reconcileNetwork } from './index.ts'
import { CHAIN, catalogue, createTreasury, E18 } from '../../../../test/world/treasury.ts'

const database = useDatabase({ template: migrated })
const ADDRESSES = 1_200
let world: World
beforeAll(() => {
  world = createWorld(database.url)
})
afterAll(() => world.close())

test('row E-42: addresses compared before the state was gone stay compared, and the rest is compared at a newer block', async () => {
  const here = await createTreasury(world, createSimulatedChain(CHAIN))
  here.chain.pay([{ to: (await here.owner()).address, units: E18 }])
  here.chain.mine()
  await here.catchUp()
  // Raw: more addresses than one page asks for.
  await sql`insert into custody_addresses(network, asset, address, booked, touched, compared_height, compared_at)
    select 'ETHEREUM', 'ETH', '0xa' || i, 0, true, 0, ${new Date(world.now)} from generate_series(1, ${ADDRESSES}::int) i`.execute(
    world.db,
  )
  const truth = here.adapter.balancesAt.bind(here.adapter)
  let [pages, keeps] = [0, 1]
  here.adapter.balancesAt = async (height, wanted) => {
    pages += 1
    if (pages > keeps)
      throw new ChainUnavailable('ETHEREUM: eth_getBalance: refused: historical state 0xab is not available (-32000)')
    return truth(height, wanted)
  }
  const left = async (): Promise<number> =>
    (await sql<{ n: number }>`select count(*)::int as n from custody_addresses where touched`.execute(world.db))
      .rows[0]!.n
  const all = await left()
  await expect(reconcileNetwork(here.runtime, catalogue, here.adapter)).rejects.toThrow('historical state')
  const after = await left()
  expect(after).toBeLessThan(all)
  here.chain.mine()
  await here.catchUp()
  keeps = Infinity
  const round = await reconcileNetwork(here.runtime, catalogue, here.adapter)
  expect(round).toMatchObject({ left: 0 })
  expect(round!.lines.find(({ ticker }) => ticker === 'ETH')).toMatchObject({
    short: 0n,
    surplus: 0n,
    booked: E18,
    onChain: E18,
  })
})

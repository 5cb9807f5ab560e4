/** The fee that the network takes from a cold address of TRON, for any transaction of the operator. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createCatalogue } from '../../market/assets/index.ts'
import { blockOf, createWorld, type World } from '../../../../test/world/deposits.ts'
import { recordOwn } from '../../../../test/world/own-address.ts'
import { PLATFORM } from '../../ledger/postings/index.ts'
import { createColdSubscriber } from './subscriber.ts'

const database = useDatabase({ template: migrated })
const catalogue = createCatalogue({
  crypto: [{ ticker: 'TRX', name: 'TRON', networks: { TRON: { decimals: 6, minDeposit: '0', minWithdrawal: '0' } } }],
  fiat: [],
})
const [COLD, STRANGER] = ['TCold', 'TStranger']
let world: World
beforeAll(() => {
  world = createWorld(database.url)
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.reset()
  await sql`truncate house_addresses, cold_fees`.execute(world.db)
  await recordOwn(world.runtime, 'TRON', 'cold', COLD)
})

const moved = [{ index: 'l:0', contract: 'token', from: [COLD], to: STRANGER, units: 1n }]
test.each([
  ['of a payment that failed on chain, or a stake, is a cost', { payer: COLD, transfers: [] }, -7n],
  ['of a payment of its own is a cost', { transfers: moved }, -7n],
  [
    "of a stranger's transaction that takes what it was allowed to is not ours",
    { payer: STRANGER, transfers: moved },
    0n,
  ],
])('the fee %s', async (_name, transaction, cost) => {
  const block = blockOf(1, [
    { hash: 't1', keys: ['t1'], succeeded: transaction.transfers.length > 0, fee: 7n, ...transaction },
  ])
  await world.act((tx, moment) => createColdSubscriber(catalogue).block(tx, 'TRON', block, moment))
  expect(await world.balance(PLATFORM, 'TRX', 'network-costs')).toBe(cost)
  await world.act((tx, moment) => createColdSubscriber(catalogue).orphaned(tx, 'TRON', 1, moment))
  expect(await world.balance(PLATFORM, 'TRX', 'network-costs')).toBe(0n)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createAddressHolders, type AddressHolders } from './index.ts'

const database = useDatabase({ template: migrated })
const NAME = 'holders under test'
let holders: AddressHolders

beforeAll(async () => {
  // Raw: addresses with readable names; no signer runs here.
  await withClient(database.url, (client) =>
    client.query(`
      insert into addresses(merchant_id, id, family, blockchain, address, derivation_index, created_at)
        values (gen_random_uuid(), gen_random_uuid(), 'EVM', 'ETHEREUM', 'customer', 1, now());
      insert into house_addresses(family, address, account, branch, derivation_index, created_at)
        values ('EVM', 'hot', 'hot', 0, 0, now()), ('BITCOIN', 'cold', 'hot', 0, 0, now())`),
  )
  holders = createAddressHolders({ url: database.url, applicationName: NAME })
})
afterAll(() => holders.close())

test('distinguishes merchants, the platform and strangers, on every chain of a family and on no other', async () => {
  const asked = [
    ['ETHEREUM', 'customer'],
    ['BINANCE_SMART_CHAIN', 'customer'],
    ['ETHEREUM', 'hot'],
    ['ETHEREUM', 'stranger'],
    ['BITCOIN', 'customer'],
    ['BITCOIN', 'hot'],
    ['BITCOIN', 'cold'],
    ['ETHEREUM', 'cold'],
  ] as const
  const answers = await Promise.all(asked.map(([network, address]) => holders.holderOf(network, address)))
  expect(answers).toEqual(['merchant', 'merchant', 'platform', 'none', 'none', 'none', 'platform', 'none'])
})

test('a connection cut by the server is made again without an error', async () => {
  expect(await holders.holderOf('ETHEREUM', 'hot')).toBe('platform')
  const cut = await withClient(database.url, (client) =>
    client.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1`, [NAME]),
  )
  expect(cut.rowCount).toBe(1)
  expect(await holders.holderOf('ETHEREUM', 'hot')).toBe('platform')
})

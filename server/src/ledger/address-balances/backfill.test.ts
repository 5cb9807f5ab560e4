/**
 * An installation that was there before addresses had records: the migration makes them from what is stored. Rows are
 * inserted raw: they are of the schema before the migration.
 */
import pg from 'pg'
import { expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { readMigrations } from '../../platform/db/migrate.ts'

const NAME = '0006-costs-and-reserves.sql'
const run = async (url: string, texts: readonly string[]): Promise<pg.QueryResult> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let last!: pg.QueryResult
    for (const text of texts) last = await client.query(text)
    return last
  } finally {
    await client.end()
  }
}
const before = async (): Promise<string[]> =>
  (await readMigrations()).filter(({ name }) => name < NAME).map(({ sql }) => sql)
const database = useDatabase({
  template: { name: 'before_custody', migrate: async (url) => void (await run(url, await before())) },
})

const M = "'00000000-0000-0000-0000-000000000001'"
const T = "'2026-01-01'"
const deposit = (id: number, address: string, units: number, height: string, more = 'false'): string =>
  `insert into deposits(merchant_id, id, network, asset, transaction, index, address, address_id, senders, units, fee_units, state, told, block_height, keys, internal, created_at, updated_at)
   values (${M}, '00000000-0000-0000-0000-00000000001${id}', 'ETHEREUM', 'ETH', 't${id}', 'n', '${address}', ${M}, '{}', ${units}, 0, 'credited', 'Done', ${height}, '{}', ${more}, ${T}, ${T})`
const outgoing = (id: number, height: string, succeeded: string, units: number): string[] => [
  `insert into outgoing(id, network, purpose, state, senders, nonce, keys, mined_height, network_fee, succeeded, next_step_at, created_at, updated_at)
   values ('00000000-0000-0000-0000-00000000002${id}', 'ETHEREUM', 'payout', 'mined', '{hot}', ${id}, '{}', ${height}, 3, ${succeeded}, ${T}, ${T}, ${T})`,
  `insert into withdrawals(merchant_id, id, ticker, blockchain, to_address, units, fee_units, state, hold_id, outgoing_id, not_before, created_at, updated_at)
   values (${M}, '00000000-0000-0000-0000-00000000003${id}', 'ETH', 'ETHEREUM', 'x', ${units}, 0, 'mined', ${M}, '00000000-0000-0000-0000-00000000002${id}', ${T}, ${T}, ${T})`,
]

test('each address starts with the balance that its deposits and transactions prove', async () => {
  const rows = [
    deposit(1, 'a', 10, '5'),
    deposit(2, 'a', 4, '6'),
    deposit(3, 'a', 90, 'null'),
    deposit(4, 'b', 80, 'null', 'true'),
    `insert into fundings(network, transaction, index, asset, address, units, block_height) values ('ETHEREUM', 'f', 'n', 'ETH', 'hot', 100, 5)`,
    `insert into hot_wallets(network, address, next_nonce) values ('ETHEREUM', 'hot', 3)`,
    ...outgoing(1, '7', 'true', 20),
    ...outgoing(2, '8', 'false', 30),
    ...outgoing(3, 'null', 'null', 40),
    `insert into ledger_accounts(merchant_id, asset, kind, posted, bounded) values (${M}, 'ETH', 'network-costs', -6, false), (${M}, 'BTC', 'network-costs', -9, false)`,
    ...[
      ['c1', '10', 'null'],
      ['c2', '5', 'null'],
      ['c3', '7', "'gone'"],
    ].map(
      ([
        hash,
        units,
        by,
      ]) => `insert into utxos(network, transaction, vout, address, account, branch, derivation_index, units, block_height, spent_by)
        values ('BITCOIN', '${hash}', 0, 'coins', 'hot', 0, 0, ${units}, 5, ${by})`,
    ),
  ]
  await run(database.url, rows)
  const sixth = (await readMigrations()).find(({ name }) => name === NAME)!.sql
  const { rows: found } = await run(database.url, [
    sixth,
    'select network, asset, address, booked, touched from custody_addresses order by 1, 2, 3',
  ])
  expect(found).toEqual([
    { network: 'BITCOIN', asset: 'BTC', address: 'coins', booked: '15', touched: true },
    { network: 'ETHEREUM', asset: 'ETH', address: 'a', booked: '14', touched: true },
    { network: 'ETHEREUM', asset: 'ETH', address: 'hot', booked: '74', touched: true },
  ])
})

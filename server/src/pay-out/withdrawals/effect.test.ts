import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createPayoutWorld, paidLog, STRANGER, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const UNITS = 1_000_000n
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

test.each([
  ['without any log', []],
  ['with the log of a payment to another address', [paidLog(UNITS, OTHER)]],
  ['with a transfer of another token', [{ ...paidLog(UNITS), contract: OTHER.toLowerCase() }]],
])(
  'audit M-E3: a payment that the token answers with false (status 1, %s) is Failed, and the money is back',
  async (_name, transfers) => {
    world = await createPayoutWorld(database.url)
    const before = await world.available('USDT')
    const id = await world.request(UNITS)
    await world.work()
    const { rows } = await sql<{ hash: string }>`select hash from outgoing_attempts`.execute(world.db)
    await world.block({
      height: 101,
      transactions: [{ hash: rows[0]!.hash, keys: [], succeeded: true, fee: 7n, transfers }],
    })
    expect((await sql`select from events where status = 'Done'`.execute(world.db)).rows).toEqual([])
    await world.block({ height: 102, transactions: [] }, 101)
    expect(await world.stateOf(id)).toBe('failed')
    expect(await world.available('USDT')).toBe(before)
  },
)

test('audit M-E3, row T-41: a payment whose block shows its log is Done, also when the token keeps a fee of it, which raises an alert', async () => {
  world = await createPayoutWorld(database.url)
  const id = await world.request(UNITS)
  await world.work()
  const { rows } = await sql<{ hash: string }>`select hash from outgoing_attempts`.execute(world.db)
  await world.block({
    height: 101,
    transactions: [
      { hash: rows[0]!.hash, keys: [], succeeded: true, fee: 7n, transfers: [paidLog(UNITS - 10n, STRANGER)] },
    ],
  })
  expect((await sql`select from events where status = 'Done'`.execute(world.db)).rows).toHaveLength(1)
  const { rows: alerts } = await sql<{ text: string }>`select text from alerts where kind = 'issuer-fee'`.execute(
    world.db,
  )
  expect(alerts.map(({ text }) => /got (\d+) units/.exec(text)?.[1])).toEqual(['10'])
  await world.block({ height: 102, transactions: [] }, 101)
  expect(await world.stateOf(id)).toBe('settled')
})

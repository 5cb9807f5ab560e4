/** A restored copy beside a signer whose log has payments that the copy lacks. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { catalogue, createPayoutWorld, WALLET, type PayoutWorld, attachIn } from '../../../../test/world/payouts.ts'
import { readLogEnd } from '../../chain/transactions/index.ts'
import { listStops } from '../../ledger/stops/index.ts'
import { intentIdOf, listLost } from '../../pay-out/withdrawals/index.ts'
import { openRestore } from '../../platform/runtime/restores.ts'
import { acceptRestored, obstaclesOf } from './acceptance.ts'
import { replaySignerLog, WHOLE_LOG } from './replay.ts'
import { makeSafe } from './restored.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})
const UNITS = 1_000_000n

const replay = (since = WHOLE_LOG) =>
  replaySignerLog(
    {
      runtime: world.runtime,
      catalogue,
      signer: world.signer,
      attach: (key) => attachIn(world, key),
    },
    since,
  )

/** The state of a copy that knows the withdrawals, but none of their transactions. */
const forgetTransactions = async (): Promise<void> => {
  await sql`update withdrawals set outgoing_id = null, state = 'requested', not_before = created_at, barred = null`.execute(
    world.db,
  )
  for (const table of ['outgoing_rivals', 'outgoing_attempts', 'free_nonces', 'hot_wallets'])
    await sql`delete from ${sql.table(table)}`.execute(world.db)
  await sql`update utxos set reserved_by = null`.execute(world.db)
  await sql`delete from outgoing`.execute(world.db)
  await sql`delete from alerts`.execute(world.db)
}

/** The withdrawal has another intent, as if no withdrawal with its intent were in the copy. */
const setIntent = (id: string, intentId: string): Promise<unknown> =>
  withoutTriggers(world.db, (tx) => sql`update withdrawals set intent_id = ${intentId} where id = ${id}`.execute(tx))

test.each(['ETHEREUM', 'BITCOIN'] as const)(
  'C10 a payment of a known withdrawal is attached, one of an unknown withdrawal is shown as lost until its merchant repeats it, on %s',
  async (network) => {
    world = await createPayoutWorld(database.url, { network })
    if (network === 'BITCOIN') await world.coins(2, 5_000_000n)
    const [known, unknown] = [
      await world.request(UNITS, { intentId: intentIdOf(world.merchantId, 'id:1') }),
      await world.request(UNITS * 2n, { intentId: intentIdOf(world.merchantId, 'id:2') }),
    ]
    await world.work()
    const lines = (await world.signer.status()).log.length
    await forgetTransactions()
    await setIntent(unknown, randomUUID())
    await sql`update withdrawals set not_before = 'infinity' where id = ${unknown}`.execute(world.db)
    await makeSafe(world.runtime, WALLET, 0)

    const first = await replay()
    expect(first).toMatchObject({ lines, attached: [known], failed: [], superseded: [] })
    expect(first.lost).toMatchObject([
      { intentId: intentIdOf(world.merchantId, 'id:2'), chainUnits: UNITS * 2n, network },
    ])
    expect(await listLost(world.db)).toEqual(first.lost)
    expect((await world.alerts()).filter(({ kind }) => kind === 'payments-lost')).toMatchObject([{ subject: network }])
    expect(await replay()).toMatchObject({ attached: [], lost: first.lost, known: 1 })

    await setIntent(unknown, intentIdOf(world.merchantId, 'id:2'))
    expect(await replay()).toMatchObject({ attached: [unknown], lost: [], known: 2, failed: [] })
    expect(await listLost(world.db)).toEqual([])
    expect((await world.alerts()).map(({ kind }) => kind)).not.toContain('payments-lost')
    await sql`update withdrawals set not_before = created_at`.execute(world.db)
    await world.work(3)
    expect((await world.signer.status()).log.length).toBe(lines)
  },
)

test('the log is read from the line that the copy knew, and another log is refused', async () => {
  world = await createPayoutWorld(database.url)
  await world.request(UNITS)
  await world.work()
  const { log } = await world.signer.status()
  expect(await replay(log)).toMatchObject({ lines: 0, lost: [] })
  await expect(replay({ length: log.length - 1, head: 'f'.repeat(64) })).rejects.toThrow('does not follow')
  expect(await replay()).toMatchObject({ known: 1, lost: [], attached: [] })
})

test('a restored copy pays nothing before the comparison, the watchers and the acceptance', async () => {
  world = await createPayoutWorld(database.url)
  expect(await readLogEnd(world.db)).toBeUndefined()
  const { db, runtime } = world
  await makeSafe(runtime, WALLET, 0)
  const restore = (await openRestore(db))!
  expect(restore).toMatchObject({ log: WHOLE_LOG, replayedLength: null })
  await sql`update watch_cursors set updated_at = ${restore.restoredAt}`.execute(db)
  expect((await obstaclesOf(runtime, restore)).join('\n')).toMatch(/restored replay[^]*no watcher has read a block/)
  await replay()
  const later = new Date(restore.restoredAt.getTime() + 1)
  await sql`update watch_cursors set updated_at = ${later}, head_height = height + 10`.execute(db)
  expect(await obstaclesOf(runtime, (await openRestore(db))!)).toEqual([expect.stringContaining('wait for it')])
  await sql`update watch_cursors set head_height = height`.execute(db)
  expect(await obstaclesOf(runtime, (await openRestore(db))!)).toEqual([])
  expect(await listStops(db)).toHaveLength(1)
  expect(await acceptRestored(runtime, 'compared')).toBe(0)
  expect(await listStops(db)).toEqual([])
  expect(await openRestore(db)).toBeUndefined()
})

/** A worker that dies while it replaces a payment, or while it sends a filler: each nonce is used once. */
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { DEFAULT_POLICY } from '../../chain/transactions/index.ts'
import { createPayoutWorld, HOT, paidLog, policyWith, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})
const UNITS = 1_000_000n
const SENDING = ['before-sign', 'signed-not-stored', 'stored-not-broadcast', 'broadcast-not-recorded']
const MINUTE = 60_000
const shown = async () => (await world.outgoing()).map(({ purpose, state, nonce }) => `${purpose} ${state} ${nonce}`)

test.each(['bump-planned', ...SENDING])(
  'killed at %s of a replacement: one payment, by its latest bytes',
  async (point) => {
    world = await createPayoutWorld(database.url)
    const before = await world.available('USDT')
    const id = await world.request(UNITS)
    await world.work()
    world.dieAt(point)
    const killed = async (): Promise<void> => {
      for (let round = 0; round < 3; round += 1) await world.work(1, DEFAULT_POLICY.bumpAfterMs)
    }
    await expect(killed()).rejects.toThrow(`killed at ${point}`)
    // The claims of the dead worker are free again when its lease is over.
    world.later(MINUTE)
    await world.work(2)
    expect(await shown()).toEqual(['payout broadcast 0'])
    const { rows } = await sql<{ hash: string }>`select hash from outgoing_attempts order by attempt`.execute(world.db)
    expect(rows.length).toBeGreaterThan(1)
    const transaction = { hash: rows.at(-1)!.hash, keys: [`${HOT}:0`], succeeded: true, fee: 1n }
    await world.block({ height: 101, transactions: [{ ...transaction, transfers: [paidLog(UNITS)] }] }, 101)
    await world.work()
    expect([await world.stateOf(id), await world.available('USDT')]).toEqual(['settled', before - UNITS - 1_000n])
  },
)

test.each(SENDING)(
  'killed at %s of a filler: one filler takes the nonce, and the payment behind it is sent',
  async (point) => {
    world = await createPayoutWorld(database.url, {
      policy: policyWith({ maxPerIntent: '1000000' }),
      looksAhead: false,
    })
    // The signer refuses the first, so that its nonce is left over.
    await world.request(2n * UNITS)
    const other = await world.request(UNITS)
    await world.work()
    world.dieAt(point)
    await expect(world.work()).rejects.toThrow(`killed at ${point}`)
    world.later(MINUTE)
    await world.work(3)
    expect((await shown()).filter((row) => row.startsWith('filler'))).toEqual(['filler broadcast 0'])
    expect(await world.stateOf(other)).toBe('sent')
  },
)

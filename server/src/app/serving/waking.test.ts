import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createPayoutWorld, paidLog, type PayoutWorld } from '../../../../test/world/payouts.ts'
import { createEvmPayoutJob } from '../../pay-out/withdrawals/index.ts'
import { MINED_CHANNEL } from '../../chain/transactions/index.ts'
import { listen } from '../../platform/db/index.ts'
import { createWaking } from './waking.ts'

const database = useDatabase({ template: migrated })
const UNITS = 5_000_000n
let world: PayoutWorld
beforeEach(async () => {
  world = await createPayoutWorld(database.url)
})
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

test('a block with a transaction of ours wakes the job that plans payments of its network, and no other block does', async () => {
  const woken: string[] = []
  const waking = createWaking()
  const { promise: connected, resolve } = Promise.withResolvers<void>()
  const listener = listen({ url: database.url }, [...waking.channels, 'end_of_test'], {
    connected: resolve,
    notified: (channel, payload) =>
      channel === 'end_of_test' ? void woken.push(payload) : waking.notified(channel, payload),
  })
  try {
    await connected
    waking.follow({ wake: (name) => void woken.push(name), announce: () => {} })
    await world.request(UNITS)
    await world.work()
    const { rows } = await sql<{ hash: string }>`select hash from outgoing_attempts`.execute(world.db)
    const ours = { hash: rows[0]!.hash, keys: [], succeeded: true, fee: 7n, transfers: [paidLog(UNITS)] }
    await world.block({ height: 101, transactions: [{ ...ours, hash: `0x${'1'.repeat(64)}`, transfers: [] }] })
    await sql<{ pg_notify: unknown }>`select pg_notify('end_of_test', 'between')`.execute(world.db)
    await world.block({ height: 102, transactions: [ours] })
    await sql<{ pg_notify: unknown }>`select pg_notify('end_of_test', 'end')`.execute(world.db)
    await expect.poll(() => woken.at(-1)).toBe('end')
  } finally {
    await listener.close()
  }
  expect(woken).toEqual(['between', createEvmPayoutJob(world.evm, 1).name, 'end'])
})

test('a new connection wakes the jobs of every network, because a notification may be lost', () => {
  const woken: string[] = []
  const waking = createWaking()
  waking.connected()
  waking.follow({ wake: (name) => void woken.push(name), announce: () => {} })
  waking.connected()
  expect(woken).toEqual(['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON'].map((network) => `payouts ${network}`))
})

describe('a flood of notifications', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('wakes a job at once, then at most four times a second, and once more after its end', () => {
    const woken: { name: string; at: number }[] = []
    const waking = createWaking()
    waking.follow({ wake: (name) => void woken.push({ name, at: Date.now() }), announce: () => {} })
    const start = Date.now()
    for (let ms = 0; ms < 1_000; ms += 1) {
      for (let n = 0; n < 10; n += 1) waking.notified(MINED_CHANNEL, 'TRON')
      vi.advanceTimersByTime(1)
    }
    vi.advanceTimersByTime(60_000)
    expect(woken.map(({ name, at }) => ({ name, after: at - start }))).toEqual(
      [0, 250, 500, 750, 1_000].map((after) => ({ name: 'payouts TRON', after })),
    )
  })

  test('of one network does not delay another network', () => {
    const woken: string[] = []
    const waking = createWaking()
    waking.follow({ wake: (name) => void woken.push(name), announce: () => {} })
    waking.notified(MINED_CHANNEL, 'TRON')
    waking.notified(MINED_CHANNEL, 'TRON')
    waking.notified(MINED_CHANNEL, 'BITCOIN')
    expect(woken).toEqual(['payouts TRON', 'payouts BITCOIN'])
    vi.advanceTimersByTime(1_000)
    waking.notified(MINED_CHANNEL, 'BITCOIN')
    expect(woken).toEqual(['payouts TRON', 'payouts BITCOIN', 'payouts TRON', 'payouts BITCOIN'])
  })

  test('with texts that name no network wakes nothing, and leaves nothing behind', () => {
    const woken: string[] = []
    const waking = createWaking()
    waking.follow({ wake: (name) => void woken.push(name), announce: () => {} })
    for (const text of ['', 'tron', '__proto__', 'DOGECOIN', 'x'.repeat(8_000)]) waking.notified(MINED_CHANNEL, text)
    expect({ woken, timers: vi.getTimerCount() }).toEqual({ woken: [], timers: 0 })
  })
})

import { sql } from 'kysely'
import { beforeEach, afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createPayoutWorld, type PayoutWorld } from '../../../../test/world/payouts.ts'
import { inTransaction, listen, makesWork, type Listener } from '../../platform/db/index.ts'
import { createAnnouncer, startAnnouncing, WORK_CHANNEL } from './announcer.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
let listener: Listener
let received: string[] = []
beforeEach(async () => {
  world = await createPayoutWorld(database.url)
  const { promise: connected, resolve } = Promise.withResolvers<void>()
  received = []
  listener = listen({ url: database.url }, [WORK_CHANNEL, 'end_of_part'], {
    connected: resolve,
    notified: (channel, payload) => void received.push(channel === WORK_CHANNEL ? 'work' : payload),
  })
  await connected
})
afterEach(async () => {
  await listener.close()
  await emptyTables(world.db)
  await world.close()
})

/** Everything that was sent before is then received. */
const endPart = async (name: string): Promise<void> => {
  await sql<{ pg_notify: unknown }>`select pg_notify('end_of_part', ${name})`.execute(world.db)
  await expect.poll(() => received.at(-1)).toBe(name)
}

test('a commit that makes work is announced to other processes; a rollback and other commits are not', async () => {
  const stop = startAnnouncing(world.db, undefined)
  try {
    await inTransaction(world.db, (tx) => sql`select 1`.execute(tx))
    const failed = inTransaction(world.db, async (tx) => {
      makesWork(tx)
      throw new Error('rolled back')
    })
    await expect(failed).rejects.toThrow('rolled back')
    await endPart('nothing yet')
    await inTransaction(world.db, async (tx) => makesWork(tx))
    await expect.poll(() => received.at(-1)).toBe('work')
    expect(received).toEqual(['nothing yet', 'work'])
  } finally {
    await stop()
  }
})

test('commits that come together share an announcement after the first one', async () => {
  const announcer = createAnnouncer(world.db)
  for (let n = 0; n < 200; n += 1) announcer.announce()
  await expect.poll(() => received).toEqual(['work', 'work'])
  await endPart('200 commits')
  announcer.announce()
  await expect.poll(() => received).toEqual(['work', 'work', '200 commits', 'work'])
  announcer.close()
})

test('no announcement is sent while the one before has no answer; the commits of this time share the next one', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  let sent = 0
  const slow = world.db.withPlugin({
    transformQuery: ({ node }) => {
      sent += 1
      return node
    },
    transformResult: async ({ result }) => {
      await answered
      return result
    },
  })
  const announcer = createAnnouncer(slow)
  announcer.announce()
  await expect.poll(() => received).toEqual(['work'])
  for (let n = 0; n < 3; n += 1) {
    announcer.announce()
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  expect(sent).toBe(1)
  answer()
  await expect.poll(() => received).toEqual(['work', 'work'])
  expect(sent).toBe(2)
  announcer.close()
})

test('a process with jobs ends their pauses itself, until it stops', async () => {
  let announced = 0
  const stop = startAnnouncing(world.db, () => void (announced += 1))
  await inTransaction(world.db, async (tx) => makesWork(tx))
  expect(announced).toBe(1)
  await stop()
  await inTransaction(world.db, async (tx) => makesWork(tx))
  await endPart('end')
  expect({ announced, received }).toEqual({ announced: 1, received: ['end'] })
})

test('an accepted withdrawal is announced', async () => {
  let announced = 0
  const stop = startAnnouncing(world.db, () => void (announced += 1))
  try {
    await world.request(5_000_000n)
    expect(announced).toBeGreaterThan(0)
  } finally {
    await stop()
  }
})

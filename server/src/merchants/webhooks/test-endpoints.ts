/** Additional endpoints of merchants with real receivers, for the tests of their deliveries. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { addEndpoint } from './index.ts'
import { createWorld, type Receiver, type World } from './test-world.ts'

type DeliveryChoices = Parameters<World['delivery']>[0]

/** Opens a world in the file's database. Call it at the top of a test file. */
export const useEndpoints = () => {
  const database = useDb()
  let world: World
  beforeAll(() => {
    world = createWorld(database)
  })
  afterAll(() => world.close())
  const moment = () => ({ at: new Date(world.runtime.clock.business()), newId: world.runtime.newId })
  const within = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => inTransaction(world.db, work)
  const deps = () => ({ box: world.box, random: randomBytes })
  return {
    world: () => world,
    moment,
    within,
    deps,
    add: async (
      merchantId: string,
      receiver: Pick<Receiver, 'url'>,
      kinds: string[] | null = null,
      id: string = randomUUID(),
    ): Promise<{ id: string; secret: string }> => {
      const given = { merchantId, id, url: receiver.url, description: 'accounts', kinds, createdBy: 'cli:test' }
      const { secret } = await within((tx) => addEndpoint(tx, given, deps(), moment()))
      return { id, secret: secret! }
    },
    /** Both kinds of deliveries, as a worker's jobs do them. */
    deliver: async (choices?: DeliveryChoices): Promise<void> => {
      const delivery = world.delivery(choices)
      await runUntilIdle([delivery.job, delivery.additional])
      await delivery.close()
    },
    streamsOf: async (id: string) =>
      (
        await sql<Record<string, unknown>>`select object_id, next_sequence, last_sequence, state, attempts
          from endpoint_streams where endpoint_id = ${id} order by next_sequence`.execute(world.db)
      ).rows,
  }
}

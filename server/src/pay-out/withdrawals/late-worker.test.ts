/**
 * A worker whose request to the signer is late: meanwhile its claim has passed to another one, which the signer has
 * refused, so that the payments are planned again.
 */
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createSendingJob } from '../../chain/transactions/index.ts'
import { createPayoutWorld, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const MINUTE = 60_000
const { signal } = new AbortController()

test.each([1, 3])(
  'the signed bytes of %i payments are not broadcast unless they are stored: their claim has passed to another worker',
  async (count) => {
    world = await createPayoutWorld(database.url)
    const ids: string[] = []
    for (let i = 0; i < count; i += 1) ids.push(await world.request(1_000_000n))
    await world.plan()
    const broadcast: string[] = []
    world.node.broadcast = (raw) => (broadcast.push(raw), { kind: 'accepted' })
    const { signer } = world
    const refusing = { ...signer, sign: async () => ({ refused: 'disabled', message: 'off' }) as const }
    let overtaking: Promise<boolean> | undefined
    const overtake = (): Promise<boolean> => {
      world.later(MINUTE)
      return createSendingJob({ ...world.sends, signer: refusing }).run(signal)
    }
    const late = createSendingJob({
      ...world.sends,
      signer: {
        ...signer,
        sign: async (request) => {
          await (overtaking ??= overtake())
          return signer.sign(request)
        },
      },
    })
    await late.run(signal)
    expect(overtaking).toBeDefined()
    expect(broadcast).toEqual([])
    expect(await Promise.all(ids.map(world.stateOf))).toEqual(ids.map(() => 'requested'))
    expect((await sql`select from outgoing_attempts where raw is not null`.execute(world.db)).rows).toEqual([])
  },
)

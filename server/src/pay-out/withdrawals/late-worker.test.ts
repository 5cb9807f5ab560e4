/**
 * A worker that is late with its request to the signer, or with the answer: meanwhile its claim has passed to another
 * one, which the signer has refused, so that the payments are planned again.
 */
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { claimDue } from '../../chain/transactions/store.ts'
import { createSendingJob } from '../../chain/transactions/index.ts'
import { isWaitingForLock } from '../../../../test/world/locks.ts'
import { createPayoutWorld, type PayoutWorld } from '../../../../test/world/payouts.ts'

const database = useDatabase({ template: migrated })
let world: PayoutWorld
afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const MINUTE = 60_000
const { signal } = new AbortController()

/** Plans withdrawals. @returns their ids */
const plan = async (count: number): Promise<string[]> => {
  const ids: string[] = []
  for (let i = 0; i < count; i += 1) ids.push(await world.request(1_000_000n))
  await world.plan()
  return ids
}

/** Another worker takes over the claims, and the signer refuses its requests. */
const overtake = (): Promise<boolean> => {
  world.later(MINUTE)
  const signer = { ...world.signer, sign: async () => ({ refused: 'disabled', message: 'off' }) as const }
  return createSendingJob({ ...world.sends, signer }).run(signal)
}

test.each([1, 3])(
  'the signed bytes of %i payments are not broadcast unless they are stored: their claim has passed to another worker',
  async (count) => {
    world = await createPayoutWorld(database.url)
    const ids = await plan(count)
    const broadcast: string[] = []
    world.node.broadcast = (raw) => (broadcast.push(raw), { kind: 'accepted' })
    const { signer } = world
    let overtaking: Promise<boolean> | undefined
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

test.each([1, 3])(
  'the signer gets no request for %i payments whose claim has passed to another worker, which gave them back',
  async (count) => {
    world = await createPayoutWorld(database.url)
    await world.request(1_000_000n)
    world.node.broadcast = () => ({ kind: 'refused', reason: 'later', message: 'the pool is full' })
    await world.work()
    world.node.broadcast = () => ({ kind: 'accepted' })
    const ids = await plan(count)
    world.later(MINUTE)
    const { signer } = world
    const asked: string[] = []
    let isOvertaken = false
    const late = createSendingJob({
      ...world.sends,
      signer: { ...signer, sign: async (request) => (asked.push(request.transactionId), signer.sign(request)) },
      adapter: {
        ...world.adapter,
        // The node answers about the payment before them when the claims of this worker are over.
        broadcast: async () => {
          await overtake()
          isOvertaken = true
          return { kind: 'accepted' }
        },
      },
    })
    await late.run(signal)
    expect(isOvertaken).toBe(true)
    expect(await Promise.all(ids.map(world.stateOf))).toEqual(ids.map(() => 'requested'))
    expect(asked).toEqual([])
    // Paid without an operator: no signature is known to the signer only.
    await world.work(2, MINUTE)
    expect(await Promise.all(ids.map(world.stateOf))).toEqual(ids.map(() => 'sent'))
  },
)

test.each([1, 3])(
  'the signed bytes of %i payments are stored once, by the worker that claims them while another one stores them',
  async (count) => {
    world = await createPayoutWorld(database.url)
    const ids = await plan(count)
    let stored: Promise<unknown> | undefined
    const claim = async (): Promise<void> => {
      const isClaimed = Promise.withResolvers<void>()
      // The claim of the other worker is committed while this one waits for it.
      stored = inTransaction(world.db, async (tx) => {
        await claimDue(tx as unknown as Db, 'ETHEREUM', new Date(world.time.now + MINUTE), MINUTE, count)
        isClaimed.resolve()
        await expect.poll(() => isWaitingForLock(world.db), { timeout: MINUTE }).toBe(true)
      })
      await isClaimed.promise
    }
    const late = createSendingJob({
      ...world.sends,
      pause: async (point) => {
        if (point === 'signed-not-stored' && !stored) await claim()
      },
    })
    await late.run(signal)
    await stored
    world.later(3 * MINUTE)
    await world.work(2)
    expect(await Promise.all(ids.map(world.stateOf))).toEqual(ids.map(() => 'sent'))
  },
)

/**
 * A stop that is made while payments of one TRON address are signed. A payment that is signed already stands in the
 * line, so an older unsigned payment before it is signed alone, before the first group. Each run and each group has a
 * permission of its own.
 */
import { randomBytes } from 'node:crypto'
import { addressOfEvmForm } from '@bursar/chainkit/tron'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { runAll } from '../../../../test/world/network.ts'
import { openTron } from '../../../../test/world/tron.ts'
import { TRON_HOT } from '../../../../test/world/wallet.ts'
import { createSendingJob } from '../../chain/transactions/index.ts'
import { createStop } from '../../ledger/stops/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createTronPayoutJob } from './index.ts'

const database = useDatabase({ template: migrated })
const TRX = 1_000_000n
const MINUTE = 60_000
/** Requests to the signer at once, and so the size of a group. */
const GROUP = 8
const { signal } = new AbortController()

test.each([
  { when: 'the payment before the first group', at: 1, requests: 1 },
  { when: 'the first payment of the first group', at: 2, requests: 1 + GROUP },
  { when: 'the last payment of the first group', at: 1 + GROUP, requests: 1 + GROUP },
])('a stop made while the signer has $when holds for all after it', async ({ at, requests }) => {
  const world = await openTron({ url: database.url, hotHas: { TRX: '1000' } })
  onTestFinished(() => world.close())
  const { db, deps, runtime, sending } = world
  const receiver = addressOfEvmForm(randomBytes(20).toString('hex'))
  const plan = async (count: number): Promise<string[]> => {
    const ids: string[] = []
    for (let i = 0; i < count; i += 1) ids.push(await world.request('TRX', receiver, TRX))
    await runAll(createTronPayoutJob({ ...deps, hotAddress: TRON_HOT }, 0))
    return ids
  }
  const failing = (): never => {
    throw new Error('the database does not answer')
  }
  const [older] = await plan(1)
  await createSendingJob({ ...sending, carriesStopped: failing }).run(signal)
  const [signed] = await plan(1)
  await createSendingJob(sending).run(signal)
  expect([await world.withdrawal(older!), await world.withdrawal(signed!)]).toEqual(['planned', 'sent'])
  const many = await plan(2 * GROUP)
  world.later(MINUTE)

  const asked: string[] = []
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> =>
    inTransaction(db, (tx) => createStop(tx, { asset: 'TRX', merchantId: null, reason: 'a test' }, momentOf(runtime)))
  const job = createSendingJob({
    ...sending,
    signer: {
      ...deps.signer,
      sign: async (one) => {
        asked.push(one.transactionId)
        if (asked.length >= at) await (stopping ??= stop())
        return deps.signer.sign(one)
      },
    },
  })
  await job.run(signal)
  expect([new Set(asked).size, asked.length]).toEqual([requests, requests])
  const states = await Promise.all([older!, ...many].map(world.withdrawal))
  expect(states).toEqual(states.map((_, place) => (place < requests ? 'sent' : 'requested')))
})

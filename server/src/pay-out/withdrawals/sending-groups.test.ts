/** Payments of one or more hot addresses that are signed, stored and broadcast in groups. */
import { sql } from 'kysely'
import { fromHex, isHex, parseSigned } from '@bursar/chainkit/evm'
import { isRefused } from '@bursar/chainkit'
import { afterEach, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createPayoutWorld, policyWith, WALLET, type PayoutWorld } from '../../../../test/world/payouts.ts'
import type { BroadcastResult } from '../../adapters/chains/port.ts'
import type { Signer } from '../../adapters/signer/port.ts'
import { createStop } from '../../ledger/stops/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { createSendingJob, ensureWallets, evmHotKeys } from '../../chain/transactions/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createEvmPayoutJob } from './index.ts'

const database = useDatabase({ template: migrated })
const UNITS = 1_000_000n
const MINUTE = 60_000
/** Requests to the signer at once, and so the size of a group. */
const GROUP = 8
const MANY = GROUP + 2
const { signal } = new AbortController()
let world: PayoutWorld

afterEach(async () => {
  await emptyTables(world.db)
  await world.close()
})

const request = async (count: number): Promise<string[]> => {
  const ids: string[] = []
  for (let i = 0; i < count; i += 1) ids.push(await world.request(UNITS))
  return ids
}

const paymentOf = (raw: string): { from: string; nonce: number } => {
  const parsed = isHex(raw) ? parseSigned(fromHex(raw)) : undefined
  if (!parsed || isRefused(parsed)) throw new Error(`no signed transaction: ${raw}`)
  return { from: parsed.from, nonce: Number(parsed.transaction.nonce) }
}
const isStored = async (raw: string): Promise<boolean> =>
  (await sql`select from outgoing_attempts where raw = ${raw}`.execute(world.db)).rows.length > 0
const statesOf = (ids: readonly string[]): Promise<string[]> => Promise.all(ids.map(world.stateOf))
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

/** The job that sends, with other answers of node and signer, and the bytes that the node got while not stored. */
const sending = ({
  broadcast = async () => ({ kind: 'accepted' }),
  sign = (asked) => world.signer.sign(asked),
  pause = world.sends.pause,
}: {
  broadcast?: (raw: string) => Promise<BroadcastResult>
  sign?: Signer['sign']
  pause?: (point: string) => Promise<void>
}) => {
  const unstored: string[] = []
  const adapter = {
    ...world.adapter,
    broadcast: async (raw: string) => {
      if (!(await isStored(raw))) unstored.push(raw)
      return broadcast(raw)
    },
  }
  return { unstored, job: createSendingJob({ ...world.sends, adapter, pause, signer: { ...world.signer, sign } }) }
}

test('a group is stored and broadcast while the signer works on the next, in the order of the nonces', async () => {
  world = await createPayoutWorld(database.url)
  const ids = await request(MANY)
  await world.plan()
  const broadcast: number[] = []
  let [asked, stalled] = [0, false]
  const { unstored, job } = sending({
    broadcast: async (raw) => (broadcast.push(paymentOf(raw).nonce), { kind: 'accepted' }),
    sign: async (one) => {
      asked += 1
      if (asked > GROUP)
        await expect
          .poll(() => broadcast.length)
          .toBeGreaterThanOrEqual(GROUP)
          .catch(() => (stalled = true))
      return world.signer.sign(one)
    },
  })
  await job.run(signal)
  expect(stalled).toBe(false)
  expect([broadcast, unstored]).toEqual([upTo(MANY), []])
  expect(await statesOf(ids)).toEqual(ids.map(() => 'sent'))
})

test('behind a payment that the node does not accept, none is broadcast before it is tried again', async () => {
  world = await createPayoutWorld(database.url)
  const ids = await request(MANY)
  await world.plan()
  const broadcast: number[] = []
  const { unstored, job } = sending({
    broadcast: async (raw) => {
      const { nonce } = paymentOf(raw)
      broadcast.push(nonce)
      if (nonce === 2 && broadcast.filter((one) => one === nonce).length === 1) throw new Error('no answer')
      return { kind: 'accepted' }
    },
  })
  await job.run(signal)
  expect([broadcast, unstored]).toEqual([[0, 1, 2, ...upTo(MANY).slice(2)], []])
  expect(await statesOf(ids)).toEqual(ids.map(() => 'sent'))
})

test.each(['signed-not-stored', 'stored-not-broadcast'])(
  'a process that dies at %s of the second group leaves payments that are sent once each, with the same bytes',
  async (point) => {
    world = await createPayoutWorld(database.url)
    const ids = await request(MANY)
    await world.plan()
    const bytes: string[] = []
    const broadcast = async (raw: string): Promise<BroadcastResult> => (bytes.push(raw), { kind: 'accepted' })
    let times = 0
    const dying = sending({
      broadcast,
      pause: async (name) => {
        if (name === point) times += 1
        // A process that has died does nothing more; the job would handle an error.
        if (times > 1) await new Promise(() => {})
      },
    })
    void dying.job.run(signal)
    await expect.poll(() => times).toBe(2)
    world.later(MINUTE)
    const next = sending({ broadcast })
    await next.job.run(signal)
    expect([dying.unstored, next.unstored]).toEqual([[], []])
    expect(await statesOf(ids)).toEqual(ids.map(() => 'sent'))
    expect(new Set(bytes).size).toBe(MANY)
    expect([...new Set(bytes.map((raw) => paymentOf(raw).nonce))]).toEqual(upTo(MANY))
  },
)

test('a stop made while the signer works on a group holds for the groups after it', async () => {
  world = await createPayoutWorld(database.url)
  const ids = await request(MANY)
  await world.plan()
  const asked: string[] = []
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> =>
    inTransaction(world.db, (tx) =>
      createStop(tx, { asset: 'USDT', merchantId: null, reason: 'a test' }, momentOf(world.runtime)),
    )
  const { job } = sending({
    sign: async (one) => {
      asked.push(one.transactionId)
      await (stopping ??= stop())
      return world.signer.sign(one)
    },
  })
  await job.run(signal)
  expect(asked).toHaveLength(GROUP)
  expect(await statesOf(ids)).toEqual(ids.map((_, at) => (at < GROUP ? 'sent' : 'requested')))
})

test('a node that does not answer about one hot address delays no payment of another', async () => {
  const policy = policyWith({}) as { networks: { ETHEREUM: object } }
  Object.assign(policy.networks.ETHEREUM, { hotAddresses: 2 })
  world = await createPayoutWorld(database.url, { policy })
  await ensureWallets(world.db, WALLET, momentOf(world.runtime), 2)
  const [first, second] = evmHotKeys(WALLET, 2)
  await request(4)
  await createEvmPayoutJob({ ...world.evm, hotKeys: [first!, second!] }, 1).run(signal)
  const accepted: { from: string; nonce: number }[] = []
  const answer = Promise.withResolvers<void>()
  const { unstored, job } = sending({
    broadcast: async (raw) => {
      const payment = paymentOf(raw)
      if (payment.from === first!.address) await answer.promise
      accepted.push(payment)
      return { kind: 'accepted' }
    },
  })
  const run = job.run(signal)
  const noncesOf = (address: string) => accepted.filter(({ from }) => from === address).map(({ nonce }) => nonce)
  await expect.poll(() => noncesOf(second!.address)).toEqual([0, 1])
  const recorded = async (): Promise<number> =>
    (await sql`select from outgoing where senders[1] = ${second!.address} and state = 'broadcast'`.execute(world.db))
      .rows.length
  await expect.poll(recorded).toBe(2)
  expect(noncesOf(first!.address)).toEqual([])
  answer.resolve()
  await run
  expect(noncesOf(first!.address)).toEqual([0, 1])
  expect(unstored).toEqual([])
})

test('two workers together plan no more transactions of an address than may be in flight', async () => {
  world = await createPayoutWorld(database.url)
  const ids = await request(4)
  const evm = { ...world.evm, policy: { ...world.evm.policy, mostInFlight: 2 } }
  const only =
    (some: readonly string[]): PayoutWorld['evm']['approved'] =>
    async (waiting) =>
      waiting.filter(({ id }) => some.includes(id))
  // The other worker plans after this one has counted the transactions in flight.
  const approved: PayoutWorld['evm']['approved'] = async (waiting) => {
    await createEvmPayoutJob({ ...evm, approved: only(ids.slice(0, 2)) }, 1).run(signal)
    return only(ids.slice(2))(waiting)
  }
  await createEvmPayoutJob({ ...evm, approved }, 1).run(signal)
  expect(await statesOf(ids)).toEqual(['planned', 'planned', 'requested', 'requested'])
})

test('no more withdrawals are judged at once than hot addresses have free slots, and later ones are reached', async () => {
  world = await createPayoutWorld(database.url)
  const ids = await request(30)
  const judged: number[] = []
  const approved: PayoutWorld['evm']['approved'] = async (waiting) => {
    judged.push(waiting.length)
    // All but the last wait for an approval.
    return waiting.filter(({ id }) => id === ids.at(-1))
  }
  await createEvmPayoutJob({ ...world.evm, approved }, 1).run(signal)
  expect(judged[0]).toBeLessThanOrEqual(25)
  expect(await world.stateOf(ids.at(-1)!)).toBe('planned')
})

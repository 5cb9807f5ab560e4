import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { blockOf, useDeposits, E18, pay, START } from '../../../../test/world/deposits.ts'
import { readEmptyBlocks } from '../../../../test/world/watcher.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { insertPlanned } from '../transactions/index.ts'
import { createUntracedAlarm, createUntracedJob } from './index.ts'

const NETWORK = 'ETHEREUM'
const alarm = createUntracedAlarm()
const world = useDeposits()
/** what addresses hold on the chain */
const chain = new Map<string, bigint>()
/** pages of addresses that the node was asked about */
let asked: string[][] = []
/** called with each question */
let onAsked = (): void => {}

beforeEach(async () => {
  world.now = START
  chain.clear()
  asked = []
  onAsked = () => {}
})

const untraced = (height: number): Promise<void> =>
  world.act((tx, moment) => alarm.block(tx, NETWORK, { ...blockOf(height, []), untraced: true }, moment))

/** The watcher has read the chain so far. */
const readTo = async (final: number, movesSince = 0): Promise<void> => {
  await readEmptyBlocks(world.runtime, NETWORK, { height: final + 2, final })
  await sql`update watch_cursors set moves_since = ${movesSince}`.execute(world.db)
}

const jobOf = (traces: boolean) =>
  createUntracedJob({
    runtime: world.runtime,
    network: NETWORK,
    adapter: {
      capabilities: async () => ({ mempool: false, traces }),
      balancesAt: async (_height, wanted) => {
        asked.push(wanted.map(({ address }) => address))
        onAsked()
        return wanted.map(({ address }) => chain.get(address) ?? 0n)
      },
    },
    deposits: world.deposits,
    everyMs: 1,
  })
const run = (job: ReturnType<typeof jobOf>): Promise<boolean> => job.run(new AbortController().signal)
const compare = (): Promise<boolean> => run(jobOf(true))
const notified = async () =>
  (await world.notices()).map(({ status, body }) => `${status} ${body.amount} ${body.hash ?? 'unknown'}`).toSorted()
const openAlerts = async (): Promise<number> =>
  (await sql`select from alerts where kind = 'untraced-block' and resolved_at is null`.execute(world.db)).rows.length

test('audit D-E3: coin that contracts sent in an untraced block is credited once the block is final, and the alert ends', async () => {
  const [permanent, ended] = [
    await world.address(NETWORK),
    await world.address(NETWORK, { untilMs: START - 1, afterMs: 1 }),
  ]
  await untraced(95)
  chain.set(permanent.address, E18)
  chain.set(ended.address, 2n * E18)
  await readTo(94)
  await compare()
  expect(asked).toEqual([])
  await readTo(100)
  await compare()
  await compare()
  await world.settle(NETWORK, 102, 100)
  expect(await notified()).toEqual(['Done 1 unknown', 'Done 2 unknown', 'Pending 1 unknown', 'Pending 2 unknown'])
  expect(await openAlerts()).toBe(0)
  expect(asked).toHaveLength(1)
})

test('audit D-E3: a deposit that a block shows is not found by the comparison too, nor the other way round', async () => {
  const { address, merchantId } = await world.address(NETWORK)
  await world.mine(NETWORK, 90, [
    pay(address, 2n * E18, { hash: 'plain', index: 'n' }),
    pay(address, 3n * E18, { hash: 'waiting', index: 't:0' }),
  ])
  await untraced(95)
  chain.set(address, 6n * E18)
  await readTo(100)
  await compare()
  await world.mine(NETWORK, 95, [pay(address, E18, { hash: 'hidden', index: 't:0' })])
  await world.mine(NETWORK, 101, [pay(address, E18, { hash: 'later', index: 't:0' })])
  await world.settle(NETWORK, 110, 105)
  expect(await notified()).toEqual([
    'Done 1 later',
    'Done 1 unknown',
    'Done 2 plain',
    'Done 3 waiting',
    'Pending 1 later',
    'Pending 1 unknown',
    'Pending 2 plain',
    'Pending 3 waiting',
  ])
  expect(await world.balance(merchantId, 'ETH', `custody:${NETWORK}`)).toBe(-7n * E18)
})

test('audit D-E3: a deposit that lost its block and was then found by its balance is not credited again when its block is traced', async () => {
  const { address, merchantId } = await world.address(NETWORK)
  const inner = [pay(address, E18, { hash: 'inner', index: 't:0' })]
  await world.mine(NETWORK, 95, inner)
  await world.orphan(NETWORK, 95)
  await untraced(95)
  chain.set(address, E18)
  await readTo(100)
  await compare()
  await world.mine(NETWORK, 95, inner)
  await world.settle(NETWORK, 110, 105)
  expect(await world.balance(merchantId, 'ETH', `custody:${NETWORK}`)).toBe(-E18)
})

test('audit D-E3: a comparison resumes after a restart, and begins again for a later untraced block', async () => {
  const owners = await Promise.all(Array.from({ length: 450 }, () => world.address(NETWORK)))
  await untraced(95)
  await readTo(100)
  onAsked = () => {
    if (asked.length === 2) throw new Error('killed')
  }
  await expect(compare()).rejects.toThrow('killed')
  await untraced(101)
  await compare()
  expect(asked.map((page) => page.length)).toEqual([200, 200, 200, 50])
  expect(asked[2]).toEqual(asked[1])
  expect(new Set(asked.flat())).toEqual(new Set(owners.map(({ address }) => address)))
  expect(await openAlerts()).toBe(1)
  await readTo(101)
  await compare()
  expect(asked.slice(4).map((page) => page.length)).toEqual([200, 200, 50])
  expect(await openAlerts()).toBe(0)
})

test('audit D-E3: a node that never traces in time has its final blocks compared, also those read again after a rewind', async () => {
  const { address } = await world.address(NETWORK)
  for (const height of [95, 96, 101, 102]) await untraced(height)
  chain.set(address, E18)
  await readTo(100)
  await compare()
  expect(asked).toHaveLength(1)
  expect(await openAlerts()).toBe(1)
  await compare()
  expect(asked).toHaveLength(1)
  onAsked = () => {
    if (asked.length === 2) throw new Error('killed')
  }
  await readTo(103)
  await expect(compare()).rejects.toThrow('killed')
  await compare()
  expect(await openAlerts()).toBe(0)
  await untraced(97)
  await compare()
  expect(asked).toHaveLength(4)
})

test('audit D-E3: on a node that never traces, coin at an address that is not leased is credited at the next daily comparison', async () => {
  const { address } = await world.address(NETWORK)
  const job = jobOf(false)
  chain.set(address, E18)
  await readTo(100)
  await run(job)
  await world.settle(NETWORK, 102, 100)
  expect(await notified()).toEqual(['Done 1 unknown', 'Pending 1 unknown'])
  const pages = asked.length
  chain.set(address, 3n * E18)
  await readTo(110)
  await run(job)
  expect(asked).toHaveLength(pages)
  world.now += 12 * 3_600_000
  await run(job)
  await run(jobOf(false))
  expect(asked, 'also by a worker that has just started').toHaveLength(pages)
  world.now += 12 * 3_600_000
  await run(job)
  await world.settle(NETWORK, 112, 110)
  expect(await notified()).toEqual(['Done 1 unknown', 'Done 2 unknown', 'Pending 1 unknown', 'Pending 2 unknown'])
  expect(await openAlerts()).toBe(0)
})

test('audit D-E3: a page of which nothing can be concluded is asked again, and a run asks about a thousand addresses at most', async () => {
  await Promise.all(Array.from({ length: 1_050 }, () => world.address(NETWORK)))
  await untraced(95)
  await readTo(100, 150)
  await compare()
  expect(asked).toHaveLength(1)
  await readTo(150, 150)
  await compare()
  expect(asked).toHaveLength(6)
  expect(asked[1]).toEqual(asked[0])
  await compare()
  expect(asked.at(-1)).toHaveLength(50)
  expect(await openAlerts()).toBe(0)
})

test('audit D-E3 M-D2: an address that a lost final payment has left is compared once that payment is final again', async () => {
  const { address } = await world.address(NETWORK)
  const id = randomUUID()
  await world.act(async (tx, moment) => {
    await insertPlanned(
      tx,
      {
        id,
        network: NETWORK,
        purpose: 'payout',
        senders: [address],
        nonce: null,
        keys: [`${address}:0`],
        unsigned: '0x02',
        signingKeys: [],
        feeRate: {},
        networkFee: 1n,
      },
      moment,
    )
    return noEffects
  })
  await sql`update outgoing set lost_at = ${new Date(START)} where id = ${id}`.execute(world.db)
  await untraced(95)
  chain.set(address, 3n * E18)
  const compareAt = async (final: number): Promise<void> => {
    await readTo(final)
    await compare()
  }
  await compareAt(100)
  await compareAt(101)
  await sql`update outgoing set lost_at = null, state = 'final', mined_hash = 'mined', mined_block = 'a103', mined_height = 103, succeeded = true where id = ${id}`.execute(
    world.db,
  )
  await compareAt(102)
  expect(await notified(), 'the payment is not final').toEqual([])
  chain.set(address, E18)
  await compareAt(103)
  await compareAt(104)
  await world.settle(NETWORK, 106, 104)
  expect(await notified()).toEqual(['Done 1 unknown', 'Pending 1 unknown'])
  const asking = asked.length
  await compareAt(105)
  expect(asked, 'nothing is left to compare').toHaveLength(asking)
})

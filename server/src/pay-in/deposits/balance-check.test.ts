import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { noEffects } from '../../ledger/effects/index.ts'
import { insertPlanned } from '../../chain/transactions/index.ts'
import { createBalanceCheckJob } from './index.ts'
import { useDeposits, DAY, E18, pay, START } from '../../../../test/world/deposits.ts'
import { readEmptyBlocks } from '../../../../test/world/watcher.ts'

const lease = { untilMs: START + DAY, afterMs: 60_000 }
const world = useDeposits()
let traces = false
/** The balances of addresses on the chain. */
const chain = new Map<string, bigint>()
let asked: string[][] = []

beforeEach(async () => {
  traces = false
  chain.clear()
  asked = []
})

const check = async (final: number, branch = 'a'): Promise<void> => {
  await readEmptyBlocks(world.runtime, 'ETHEREUM', { height: final + 2, final, traces: false, branch })
  await compare(final)
}
const compare = async (final: number): Promise<void> => {
  const job = createBalanceCheckJob({
    runtime: world.runtime,
    network: 'ETHEREUM',
    adapter: {
      capabilities: async () => ({ mempool: false, traces }),
      hashAt: async (height) => `a${height}`,
      balancesAt: async (_height, wanted) => {
        asked.push(wanted.map(({ address }) => address))
        return wanted.map(({ address }) => chain.get(address) ?? 0n)
      },
    },
    deposits: world.deposits,
    everyMs: 1,
  })
  await job.run(new AbortController().signal)
  await world.settle('ETHEREUM', final + 2, final)
}
const notified = async () =>
  (await world.notices()).map(({ status, body }) => `${status} ${body.amount} ${body.hash ?? 'unknown'}`).toSorted()

describe('native coin that no transfer explains', () => {
  test('is a deposit without a hash, found once, beside the deposits that blocks show', async () => {
    const { address, merchantId } = await world.address('ETHEREUM', lease)
    await world.mine('ETHEREUM', 90, [pay(address, 2n * E18, { hash: 'plain', index: 'n' })])
    chain.set(address, 5n * E18)
    await check(100)
    await check(101)
    expect(await notified()).toEqual(['Done 2 plain', 'Done 3 unknown', 'Pending 2 plain', 'Pending 3 unknown'])
    expect(await world.balance(merchantId, 'ETH')).toBe((5n * E18 * 99n) / 100n)
    expect(await world.balance(merchantId, 'ETH', 'custody:ETHEREUM')).toBe(-5n * E18)
  })

  test('is not found again when its blocks are read again on a node with traces, but later coin is', async () => {
    const { address } = await world.address('ETHEREUM', lease)
    chain.set(address, E18)
    await check(100)
    const inner = (hash: string) => pay(address, E18, { hash, index: 't:0.1' })
    await world.mine('ETHEREUM', 95, [inner('early')])
    await world.mine('ETHEREUM', 101, [inner('late')])
    await world.settle('ETHEREUM', 110, 110)
    expect(await notified()).toEqual(['Done 1 late', 'Done 1 unknown', 'Pending 1 late', 'Pending 1 unknown'])
  })

  /** A payment from an address, or of ours to it, moves its record in the transaction of its block. */
  const moved = (address: string, units: bigint, height: number): Promise<void> =>
    world.act(async () => ({ ...noEffects, moves: [{ network: 'ETHEREUM', asset: 'ETH', address, units, height }] }))

  test('audit M-A3: is found after a sweep has taken the balance', async () => {
    const { address, merchantId } = await world.address('ETHEREUM', lease)
    await world.mine('ETHEREUM', 90, [pay(address, 2n * E18, { hash: 'plain', index: 'n' })])
    chain.set(address, 2n * E18)
    await check(100)
    await moved(address, -2n * E18, 150)
    chain.set(address, E18)
    await check(200)
    expect(await world.balance(merchantId, 'ETH')).toBe((3n * E18 * 99n) / 100n)
  })

  test('audit M-A2: gas that we sent ahead is no deposit', async () => {
    const { address } = await world.address('ETHEREUM', lease)
    await moved(address, E18 / 100n, 95)
    chain.set(address, E18 / 100n)
    await check(100)
    expect(await notified()).toEqual([])
  })

  test('audit M-A2 M-A3: moves of blocks above the final one change nothing below it', async () => {
    const { address } = await world.address('ETHEREUM', lease)
    await world.mine('ETHEREUM', 90, [pay(address, 2n * E18, { hash: 'plain', index: 'n' })])
    await moved(address, -2n * E18, 102)
    chain.set(address, 2n * E18)
    await check(100)
    expect(await notified()).toEqual(['Done 2 plain', 'Pending 2 plain'])
  })

  test('audit M-A3: is found though it stood in suspense as a surplus that nothing explained', async () => {
    const { address } = await world.address('ETHEREUM', lease)
    // Raw: a surplus that stands in suspense from the start.
    await sql`insert into custody_addresses(network, asset, address, booked, suspended) values ('ETHEREUM', 'ETH', ${address}, ${E18}, ${E18})`.execute(
      world.db,
    )
    chain.set(address, E18)
    await check(100)
    expect(await notified()).toEqual(['Done 1 unknown', 'Pending 1 unknown'])
  })

  test('audit M-A2: nothing is concluded of a block that was not read, or was read before the newest moves were stored', async () => {
    const { address } = await world.address('ETHEREUM', lease)
    chain.set(address, E18)
    await check(100, 'another')
    await sql`update watch_cursors set moves_since = 150`.execute(world.db)
    await check(140)
    expect(await notified()).toEqual([])
    await check(150)
    expect(await notified()).toEqual(['Done 1 unknown', 'Pending 1 unknown'])
  })

  test('audit M-D2: the amount that a lost final payment of ours takes again is no deposit of the address that it left', async () => {
    const { address } = await world.address('ETHEREUM', lease)
    const id = randomUUID()
    await world.act(async (tx, moment) => {
      await insertPlanned(
        tx,
        {
          id,
          network: 'ETHEREUM',
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
    chain.set(address, E18)
    await check(100)
    expect(await notified()).toEqual([])
    await sql`update outgoing set lost_at = null, state = 'final', mined_hash = 'mined', mined_block = 'a103', mined_height = 103, succeeded = true where id = ${id}`.execute(
      world.db,
    )
    await check(101)
    expect(await notified(), 'a block that is not final has it again').toEqual([])
    await check(103)
    expect(await notified()).toEqual(['Done 1 unknown', 'Pending 1 unknown'])
  })

  test('audit D-E3: is found although a sweep, which takes all there is, has taken it too', async () => {
    const { address } = await world.address('ETHEREUM', lease)
    await moved(address, -E18, 95)
    chain.set(address, 0n)
    await check(100)
    expect(await notified()).toEqual(['Done 1 unknown', 'Pending 1 unknown'])
  })

  test('audit D-E3: is credited once when a slower worker ends with an older block', async () => {
    const { address } = await world.address('ETHEREUM', lease)
    chain.set(address, E18)
    await check(101)
    await sql`update watch_cursors set final_height = 100`.execute(world.db)
    await compare(100)
    expect(await notified()).toEqual(['Done 1 unknown', 'Pending 1 unknown'])
  })

  test('below the minimum goes to suspense, and the next deposit is only the newer amount', async () => {
    const { address, merchantId } = await world.address('ETHEREUM', lease)
    chain.set(address, 7n)
    await check(100)
    chain.set(address, 7n + E18)
    await check(101)
    expect(await world.balance(merchantId, 'ETH', 'suspense')).toBe(7n)
    expect(await world.balance(merchantId, 'ETH')).toBe((E18 * 99n) / 100n)
  })
})

test('only open rotating addresses are queried, in pages, and none on a node with traces', async () => {
  const open = await Promise.all(Array.from({ length: 450 }, () => world.address('ETHEREUM', lease)))
  const ended = await world.address('ETHEREUM', { untilMs: START, afterMs: 1 })
  const permanent = await world.address('ETHEREUM')
  await check(100)
  expect(asked.map((page) => page.length)).toEqual([200, 200, 50])
  expect(new Set(asked.flat())).toEqual(new Set(open.map(({ address }) => address)))
  expect(asked.flat()).not.toContain(ended.address)
  expect(asked.flat()).not.toContain(permanent.address)
  asked = []
  traces = true
  await check(101)
  expect(asked).toEqual([])
})

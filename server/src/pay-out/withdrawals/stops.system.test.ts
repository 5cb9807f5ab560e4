/**
 * Stops of withdrawals on anvil: the payments that they hold back, those that go on, and that they hold at once in
 * any state of the jobs.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { EvmWorld } from '../../../../test/world/evm-node.ts'
import { useColdOnAnvil, type ColdWorld } from '../../../../test/world/cold.ts'
import { EVM_HOT } from '../../../../test/world/wallet.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { createStop, liftStop, listAllStops, listStops, type NewStop, unlessStopped } from '../../ledger/stops/index.ts'

const E18 = 10n ** 18n
const ROUNDS = 12
const opened = useColdOnAnvil()
let node: EvmWorld
let here: ColdWorld

beforeEach(async () => {
  ;({ node, cold: here } = opened())
  await node.pay(EVM_HOT, 1_000n * E18)
  await node.contracts.payToken(node.contracts.token, EVM_HOT, 10n ** 9n)
  await here.mine(4)
})

const stop = (what: Partial<NewStop>): Promise<void> =>
  inTransaction(here.db, (tx) =>
    createStop(
      tx,
      { asset: null, merchantId: null, reason: 'a test', actor: 'someone', ...what },
      momentOf(here.runtime),
    ),
  )
const lift = async (): Promise<void> => {
  for (const { id } of await listStops(here.db))
    await liftStop(here.db, id, { actor: 'someone else', reason: 'over' }, momentOf(here.runtime).at)
}
const round = async (): Promise<void> => {
  await here.pay()
  await here.send()
  await here.mine(1)
}
const states = (ids: readonly string[]): Promise<string[]> => Promise.all(ids.map((id) => here.withdrawal(id)))
const paid = (state: string): string => (state === 'mined' || state === 'settled' ? 'paid' : state)
const received = async (to: string): Promise<bigint> =>
  BigInt(await node.node.rpc<string>('eth_getBalance', to, 'latest'))
const someone = (): Promise<string> => node.newAddress()

describe('stopped payments', () => {
  const merchant = randomUUID()
  const cases: [string, () => Partial<NewStop>, string[]][] = [
    ['an asset', () => ({ asset: 'ETH' }), ['requested', 'paid', 'requested']],
    ['a merchant', () => ({ merchantId: merchant }), ['paid', 'paid', 'requested']],
    ['an asset of a merchant', () => ({ asset: 'USDT', merchantId: merchant }), ['paid', 'paid', 'paid']],
    ['a network', () => ({ network: 'ETHEREUM' }), ['requested', 'requested', 'requested']],
    ['an asset on a network', () => ({ asset: 'USDT', network: 'ETHEREUM' }), ['paid', 'requested', 'paid']],
    ['another network', () => ({ network: 'BITCOIN' }), ['paid', 'paid', 'paid']],
    ['everything', () => ({}), ['requested', 'requested', 'requested']],
  ]
  test.each(cases)(
    '%s, before it is planned and after; the rest goes on without a gap, and all of it later',
    async (_name, what, expected) => {
      const request = async () => [
        await here.request('ETH', await someone(), E18),
        await here.request('USDT', await someone(), 5_000_000n),
        await here.request('ETH', await someone(), E18, merchant),
      ]
      const planned = await request()
      await here.pay()
      expect(await states(planned)).toEqual(['planned', 'planned', 'planned'])
      await stop(what())
      const waiting = await request()
      for (let times = 0; times < 3; times += 1) await round()
      expect((await states(planned)).map(paid)).toEqual(expected)
      expect((await states(waiting)).map(paid)).toEqual(expected)
      const [stopped] = await listStops(here.db)
      expect(stopped).toMatchObject({ reason: 'a test', createdBy: 'someone' })
      await lift()
      expect(await listStops(here.db)).toEqual([])
      expect((await listAllStops(here.db))[0]).toMatchObject({ liftedBy: 'someone else', liftedReason: 'over' })
      for (let times = 0; times < 4; times += 1) await round()
      await here.mine(4)
      expect(new Set(await states([...planned, ...waiting]))).toEqual(new Set(['settled']))
      const { rows } = await sql<{
        nonce: number
      }>`select nonce from outgoing where state = 'final' order by nonce`.execute(here.db)
      expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, at) => at))
    },
  )
})

test('jobs of the platform itself rest while their network is stopped, and only then', async () => {
  const ran: string[] = []
  const job = unlessStopped(here.db, 'ETHEREUM', { name: 'sweeps', everyMs: 1, run: async () => ran.push('ran') > 0 })
  const runs = async (): Promise<boolean> => {
    const before = ran.length
    await job.run(new AbortController().signal)
    return ran.length > before
  }
  for (const [what, runsOn] of [
    [{ network: 'BITCOIN' }, true],
    [{ asset: 'ETH' }, true],
    [{ merchantId: randomUUID() }, true],
    [{ network: 'ETHEREUM' }, false],
    [{}, false],
  ] as const) {
    await stop(what)
    expect(await runs()).toBe(runsOn)
    await lift()
    expect(await runs()).toBe(true)
  }
})

test('a payment whose signature was requested may be signed, and is followed to its end', async () => {
  const to = await someone()
  const id = await here.request('ETH', to, E18)
  await here.pay()
  here.before.answer = () => Promise.reject(new Error('the answer is lost'))
  await here.send()
  here.before.answer = async () => {}
  await stop({})
  here.later(60_000)
  await round()
  expect(await here.withdrawal(id)).toBe('mined')
  await here.mine(4)
  expect(await here.withdrawal(id)).toBe('settled')
  expect(await received(to)).toBe(E18)
})

test('a stop holds from the moment it is made, also during planning and signing', async () => {
  const orders: { id: string; to: string }[] = []
  for (let attempt = 0; attempt < ROUNDS; attempt += 1) {
    for (let order = 0; order < 5; order += 1) {
      const to = await someone()
      orders.push({ id: await here.request('ETH', to, E18), to })
    }
    let isOver = false
    const busy = async (work: () => Promise<void>): Promise<void> => {
      while (!isOver) await work()
    }
    const stopping = async (): Promise<{ asked: ReadonlySet<string>; planned: ReadonlySet<string>; from: number }> => {
      await sleep((attempt * 7) % 60)
      await stop({})
      const { rows } = await sql<{ id: string }>`select id from withdrawals where state <> 'requested'`.execute(here.db)
      return {
        asked: new Set(here.asked.map(({ transactionId }) => transactionId)),
        planned: new Set(rows.map(({ id }) => id)),
        from: here.asked.length,
      }
    }
    const running = [busy(here.pay), busy(here.send), busy(here.send)]
    const then = await stopping()
    await sleep(60)
    isOver = true
    await Promise.all(running)
    // A request that was noted before the stop may still be on its way: it was never a new one.
    const { rows: noted } = await sql<{
      id: string
    }>`select outgoing_id as id from outgoing_attempts where asked_at <= (select max(created_at) from freezes)`.execute(
      here.db,
    )
    const known = new Set([...then.asked, ...noted.map(({ id }) => id)])
    for (const { transactionId, purpose } of here.asked.slice(then.from))
      expect(purpose === 'filler' || known.has(transactionId)).toBe(true)
    const { rows } = await sql<{ id: string }>`select id from withdrawals where state <> 'requested'`.execute(here.db)
    for (const { id } of rows) expect(then.planned).toContain(id)
    await lift()
    here.later(60_000)
  }
  for (let times = 0; times < 12; times += 1) {
    await round()
    here.later(60_000)
  }
  await here.mine(4)
  expect(new Set(await states(orders.map(({ id }) => id)))).toEqual(new Set(['settled']))
  for (const { to } of orders) expect(await received(to)).toBe(E18)
  for (const line of (await here.reconcile()).lines) expect(line.onChain).toBe(line.booked)
})

/** Withdrawals on TRON: expired ones, ones that fail on the chain, and ones that are paid once in spite of faults. */
import { randomBytes } from 'node:crypto'
import { addressOfEvmForm } from '@bursar/chainkit/tron'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { SOLID, TRON_USDT as USDT } from '../../../../test/world/tron.ts'
import { TRON_HOT as HOT } from '../../../../test/world/wallet.ts'
import { openTronPayouts, type TronPayouts } from './test-tron.ts'

const database = useDatabase({ template: migrated })
const MINUTE = 60_000
let world: TronPayouts
const open = async (wrap?: Parameters<typeof openTronPayouts>[1]): Promise<TronPayouts> => {
  world = await openTronPayouts(database.url, wrap)
  onTestFinished(() => world.close())
  return world
}
const someone = (): string => addressOfEvmForm(randomBytes(20).toString('hex'))
const pending = (): readonly string[] => world.chain.status().pending

test('TRX activates its receiver, USDT is paid beside it, and books and chain agree to the last sun', async () => {
  const { request, work, mine, state, balance, onChain, statuses } = await open()
  const [first, second] = [someone(), someone()]
  const ids = [await request('TRX', first, 5_000_000n), await request('USDT', second, 7_000_001n)]
  await work()
  expect(await statuses()).toEqual(['Pending', 'Pending'])
  await mine(1)
  expect(await Promise.all(ids.map(state))).toEqual(['mined', 'mined'])
  expect(await statuses()).toEqual(['Pending', 'Pending', 'Done', 'Done'])
  await mine(SOLID)
  expect(await Promise.all(ids.map(state))).toEqual(['settled', 'settled'])
  expect(await onChain(first, null)).toBe(5_000_000n)
  expect(await onChain(second, USDT)).toBe(7_000_001n)
  const burnt = -(await balance('TRX', 'network-costs'))
  expect(burnt).toBeGreaterThan(1_000_000n)
  expect(await onChain(HOT, null)).toBe(1_000_000_000n - 5_000_000n - burnt)
  expect(await onChain(HOT, USDT)).toBe(500_000_000n - 7_000_001n)
})

test('row T-24: nothing is planned by a node whose head is older than five minutes, and payouts go on by themselves', async () => {
  const { request, work, state, behind, mine, passTime, alerts } = await open()
  behind(6 * MINUTE)
  const id = await request('USDT', someone(), 7_000_000n)
  await expect(work()).rejects.toMatchObject({ name: 'ChainUnavailable' })
  expect([await state(id), await alerts()]).toEqual(['requested', ['head-old']])
  // The node arrives: its chain's time is ours again.
  await world.chain.advance(6 * MINUTE)
  await mine()
  await passTime(0)
  await work()
  expect([await state(id), await alerts()]).toEqual(['sent', []])
})

test('row T-10: nothing is planned on the balances of a machine that is behind the books', async () => {
  let behind = 0
  const { request, work, state, mine } = await open((adapter) => ({
    ...adapter,
    balancesAtFinal: async (wanted) => {
      const { head, units } = await adapter.balancesAtFinal(wanted)
      return { head: { ...head, height: head.height - behind }, units }
    },
  }))
  await mine(SOLID)
  behind = 1
  const id = await request('USDT', someone(), 7_000_000n)
  await expect(work()).rejects.toMatchObject({ name: 'ChainUnavailable' })
  expect(await state(id)).toBe('requested')
  behind = 0
  await work()
  expect(await state(id)).toBe('sent')
})

test('row T-23: while blocks do not become solid a payment waits with the bytes it has, and is paid once', async () => {
  const { chain, request, work, passTime, mine, state, attempts, onChain } = await open()
  await chain.setNode({ refuses: 'BLOCK_UNSOLIDIFIED' })
  const to = someone()
  const id = await request('USDT', to, 7_000_000n)
  for (let round = 0; round < 3; round += 1) {
    await work()
    await passTime(MINUTE)
  }
  expect([await state(id), await attempts(), pending()]).toEqual(['planned', 1, []])
  await chain.setNode({ refuses: '' })
  await work()
  await mine(1 + SOLID)
  expect([await state(id), await attempts(), await onChain(to, USDT)]).toEqual(['settled', 1, 7_000_000n])
})

test('equal payments of one moment are different transactions', async () => {
  const { request, work, mine, state, onChain } = await open()
  const to = someone()
  const ids = await Promise.all(Array.from({ length: 4 }, () => request('USDT', to, 1_000_000n)))
  await work()
  expect(new Set(pending()).size).toBe(4)
  await mine(1 + SOLID)
  expect(new Set(await Promise.all(ids.map(state)))).toEqual(new Set(['settled']))
  expect(await onChain(to, USDT)).toBe(4_000_000n)
})

test('audit M-B1: payments that the hot wallet can not pay let younger ones pass, however many they are', async () => {
  const { request, work, state, alerts } = await open()
  const large = await Promise.all(Array.from({ length: 20 }, () => request('USDT', someone(), 600_000_000n)))
  const [token, coin] = [await request('USDT', someone(), 7_000_000n), await request('TRX', someone(), 2_000_000n)]
  await work()
  expect([await state(token), await state(coin)]).toEqual(['sent', 'sent'])
  expect(new Set(await Promise.all(large.map(state)))).toEqual(new Set(['requested']))
  expect(await alerts()).toEqual(['hot-wallet-short'])
})

test('alerts about a fee above the cap and a short hot wallet end with their cause', async () => {
  let isDear = true
  const { db, request, work, state, alerts } = await open((adapter) => ({
    ...adapter,
    estimateCost: async (contract) => {
      const cost = await adapter.estimateCost(contract)
      return isDear && cost.ok ? { ...cost, usage: { ...cost.usage, energyLimit: 100_000_000n } } : cost
    },
  }))
  const [dear, large] = [await request('USDT', someone(), 7_000_000n), await request('USDT', someone(), 600_000_000n)]
  await work()
  expect(await alerts()).toEqual(['fee-above-cap', 'hot-wallet-short'])
  isDear = false
  await sql`update withdrawals set not_before = created_at`.execute(db)
  await work()
  expect([await state(dear), await state(large), await alerts()]).toEqual(['sent', 'requested', ['hot-wallet-short']])
  await sql`update withdrawals set state = 'failed', fail_reason = 'ERRROR_CODE_GENERIC' where id = ${large}`.execute(
    db,
  )
  await work()
  expect(await alerts()).toEqual([])
})

test('sweeps on their way leave payouts their places', async () => {
  const { db, request, work, mine, state, onChain } = await open()
  const to = someone()
  const id = await request('TRX', to, 2_000_000n)
  // Raw: forty-eight transactions of sweeps that never move on.
  await sql`insert into outgoing(id, network, purpose, state, senders, keys, attempt, next_step_at, created_at, updated_at)
    select gen_random_uuid(), 'TRON', p, 'broadcast', array['deposit ' || n], '{}', 1, 'infinity', now(), now()
    from generate_series(1, 16) n, unnest(array['sweep', 'gas', 'resources']) p`.execute(db)
  await work()
  await mine(1 + SOLID)
  expect(await state(id)).toBe('settled')
  expect(await onChain(to, null)).toBe(2_000_000n)
})

test('T3 a payment that expires unmined is made anew, once that is proven and the signer allows it, and is paid once', async () => {
  const { chain, request, work, mine, passTime, state, attempts, onChain, alerts } = await open()
  const to = someone()
  const id = await request('USDT', to, 3_000_000n)
  await work()
  expect(pending()).toHaveLength(1)
  await chain.hold(true)
  await chain.forget(pending())
  await passTime(11 * MINUTE)
  await mine(SOLID)
  await work()
  expect(await attempts()).toBe(1)
  await passTime(10 * MINUTE)
  await mine(SOLID)
  await chain.hold(false)
  await work()
  await work()
  expect(await attempts()).toBe(2)
  expect(await alerts()).toEqual([])
  await mine(1 + SOLID)
  expect(await state(id)).toBe('settled')
  expect(await onChain(to, USDT)).toBe(3_000_000n)
})

test('T3 a payment that was mined at the last moment, unseen by us, is never made anew', async () => {
  const { chain, request, work, watcherAway, state, attempts, onChain, mine } = await open()
  const to = someone()
  const id = await request('USDT', to, 3_000_000n)
  await work()
  await chain.mine(1 + SOLID)
  await watcherAway(25 * MINUTE)
  await chain.mine(SOLID)
  await work()
  expect(await attempts()).toBe(1)
  await mine(SOLID)
  expect(await state(id)).toBe('settled')
  expect(await onChain(to, USDT)).toBe(3_000_000n)
})

test('T1 a payment that runs out of energy is mined without effect: Failed, money back, and the burnt TRX is a cost', async () => {
  const { chain, request, work, mine, state, balance, onChain, statuses } = await open()
  const to = someone()
  const id = await request('USDT', to, 3_000_000n)
  await work()
  const held = pending()
  await chain.setParameters({ getEnergyFee: 4_000n })
  await mine(1)
  expect(held).toHaveLength(1)
  await mine(SOLID)
  expect(await state(id)).toBe('failed')
  expect(await statuses()).toEqual(['Pending', 'Failed'])
  expect(await onChain(to, USDT)).toBe(0n)
  expect(await balance('USDT', 'merchant')).toBe(3_001_000n)
  expect(await onChain(HOT, null)).toBe(1_000_000_000n + (await balance('TRX', 'network-costs')))
})

test('T4 a fork takes a payment back and it is mined again with the same bytes', async () => {
  const { chain, request, work, mine, state, attempts, balance, onChain, statuses } = await open()
  const to = someone()
  const id = await request('TRX', to, 4_000_000n)
  await work()
  await mine(2)
  expect(await state(id)).toBe('mined')
  await chain.reorg({ depth: 2, without: [], others: 'forgotten' })
  await mine(1)
  expect(await state(id)).toBe('sent')
  expect(await balance('TRX', 'network-costs')).toBe(0n)
  await work()
  await mine(1 + SOLID)
  expect(await state(id)).toBe('settled')
  expect(await attempts()).toBe(1)
  expect(await onChain(to, null)).toBe(4_000_000n)
  expect(await statuses()).toEqual(['Pending', 'Done'])
})

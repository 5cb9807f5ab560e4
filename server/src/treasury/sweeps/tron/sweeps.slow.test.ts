/**
 * Sweeps on TRON: energy lent and taken back, TRX burnt, and books that agree with the chain to the last sun in
 * every case.
 */
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { ChainUnavailable } from '../../../adapters/chains/port.ts'
import { TRON_HOT as HOT } from '../../../../../test/world/wallet.ts'
import { PLATFORM } from '../../../ledger/postings/index.ts'
import { openTronSweeps, type TronSweeps } from '../../../../../test/world/tron-sweeps.ts'
import { SOLID, TRON_USDT as USDT } from '../../../../../test/world/tron.ts'

const database = useDatabase({ template: migrated })
const MINUTE = 60_000
const TRX = 1_000_000n
let world: TronSweeps

const open = async (given: Parameters<typeof openTronSweeps>[1] = {}): Promise<TronSweeps> => {
  world = await openTronSweeps(database.url, given)
  onTestFinished(() => world.close())
  return world
}
const staked = async (given: Parameters<typeof openTronSweeps>[1] = {}): Promise<TronSweeps> => {
  await open({ trx: '30000', ...given })
  await world.stake({ kind: 'stake', resource: 'ENERGY', sun: 20_000n * TRX })
  return world
}
const states = async (): Promise<string[]> => (await world.sweeps()).map(({ way, state }) => `${way} ${state}`)

test('TRX leaves by itself, for nothing while the day’s bytes last, and the address is empty', async () => {
  const { address, pay, mine, settle, onChain, differences, costOf } = await open()
  const [one, other] = [await address(), await address()]
  await pay('TRX', one.address, '40')
  await pay('TRX', other.address, '7.000001')
  await mine(SOLID)
  await settle()
  expect(await states()).toEqual(['own final', 'own final'])
  expect(await onChain(HOT, null)).toBe(5_047_000_001n)
  expect([await onChain(one.address, null), await costOf(one.merchantId)]).toEqual([0n, 0n])
  expect(await differences()).toEqual([])
})

test('without stake each address is sent exactly the TRX that it burns, and its merchant pays all of it', async () => {
  const { address, pay, mine, settle, onChain, differences, costOf, burnt } = await open()
  // Anyone who is the first to bring the hot address any pays for the storage of its balance.
  await pay('USDT', HOT, '1')
  const all = [await address(), await address(), await address()]
  for (const [at, { address: to }] of all.entries()) await pay('USDT', to, `${100 + at}.5`)
  await mine(SOLID)
  await settle()
  expect(await states()).toEqual(['burn final', 'burn final', 'burn final'])
  expect(await onChain(HOT, USDT)).toBe(305_500_000n)
  for (const { address: one } of all) expect([await onChain(one, USDT), await onChain(one, null)]).toEqual([0n, 0n])
  const costs = await Promise.all(all.map(({ merchantId }) => costOf(merchantId)))
  const { sweep, gas } = await burnt()
  expect(costs.reduce((a, b) => a + b)).toBe(sweep! + gas!)
  expect(Math.max(...costs.map(Number)) - Math.min(...costs.map(Number))).toBeLessThan(2_000_000)
  expect(await costOf(PLATFORM)).toBe(0n)
  expect(await onChain(HOT, null)).toBe(5_000n * TRX - sweep! - gas!)
  expect(await differences()).toEqual([])
})

test('with stake energy is lent for each transfer and comes back: nothing is burnt for energy, nothing stays lent', async () => {
  const { address, pay, mine, settle, onChain, differences, costOf, burnt, adapter, openLoans, outgoing } =
    await staked()
  const stakeCost = await costOf(PLATFORM)
  const all = [await address(), await address()]
  for (const { address: to } of all) {
    await pay('TRX', to, '0.000001')
    await pay('USDT', to, '250')
  }
  await mine(SOLID)
  await settle()
  expect((await states()).filter((one) => one.startsWith('energy'))).toEqual(['energy final', 'energy final'])
  expect(await onChain(HOT, USDT)).toBe(500n * TRX)
  expect((await outgoing('gas')).length).toBe(0)
  expect((await burnt())['sweep']).toBe(0n)
  expect(await openLoans()).toBe(0)
  const stake = await adapter.stakeOf(HOT)
  expect(stake).toMatchObject({ staked: { ENERGY: 20_000n * TRX }, lent: { ENERGY: 0n } })
  expect(await costOf(PLATFORM)).toBe(stakeCost)
  expect((await costOf(all[0]!.merchantId)) + (await costOf(all[1]!.merchantId))).toBe(
    (await burnt())['resources']! - stakeCost,
  )
  expect(await differences()).toEqual([])
})

test('T6 an address that is no account yet is activated first, then lent energy', async () => {
  const { address, pay, mine, settle, onChain, differences, outgoing, adapter } = await staked()
  const one = await address()
  await pay('USDT', one.address, '250')
  await mine(SOLID)
  expect(await adapter.isActivated(one.address)).toBe(false)
  await settle()
  expect(await states()).toEqual(['energy final'])
  // Staked, activated, lent, taken back.
  expect((await outgoing('resources')).map(({ state }) => state)).toEqual(['final', 'final', 'final', 'final'])
  expect([await onChain(HOT, USDT), await onChain(one.address, null)]).toEqual([250n * TRX, 0n])
  expect(await differences()).toEqual([])
})

test('a balance that is not final, or not worth a sweep, stays until it is', async () => {
  const { address, pay, mine, work, settle, sweeps, passTime } = await open({
    kPerMille: 5_000n,
    maxAgeMs: 3 * 86_400_000,
  })
  const one = await address()
  await pay('USDT', one.address, '3')
  await mine(SOLID)
  await work()
  expect(await sweeps()).toEqual([])
  await pay('USDT', one.address, '500')
  await mine(1)
  await work()
  expect(await sweeps()).toEqual([])
  await mine(SOLID)
  await passTime(11 * MINUTE)
  await settle()
  expect(await states()).toEqual(['burn final'])
})

test('a balance of little worth is swept once it has waited too long', async () => {
  const { address, pay, mine, settle, passTime, sweeps, onChain } = await open({
    kPerMille: 50_000n,
    maxAgeMs: 3 * 86_400_000,
  })
  const one = await address()
  await pay('USDT', one.address, '5')
  await mine(SOLID)
  await settle()
  expect(await sweeps()).toEqual([])
  await passTime(3 * 86_400_000)
  await settle()
  expect(await states()).toEqual(['burn final'])
  expect(await onChain(HOT, USDT)).toBe(5n * TRX)
})

test('a stopped asset stays where it is, also when its sweep was prepared already', async () => {
  const { address, pay, mine, work, settle, stop, lift, sweeps, onChain } = await open()
  const one = await address()
  await pay('USDT', one.address, '100')
  await mine(SOLID)
  await work()
  await stop('USDT')
  await mine(SOLID)
  await work()
  await work()
  await mine(SOLID)
  expect((await sweeps()).map(({ state }) => state)).toEqual(['funded'])
  await lift()
  await settle()
  expect(await onChain(HOT, USDT)).toBe(100n * TRX)
})

test('T2 energy that is used up meanwhile: the address is sent the TRX that it still lacks', async () => {
  const { address, pay, mine, work, settle, differences, onChain, chain } = await staked({ trx: '20500' })
  const one = await address()
  await pay('TRX', one.address, '0.000001')
  await pay('USDT', one.address, '250')
  await mine(SOLID)
  await work()
  await work()
  await mine(SOLID)
  // The lent stake is still ours.
  expect((await world.adapter.stakeOf(HOT)).lent.ENERGY).toBeGreaterThan(0n)
  expect(await differences()).toEqual([])
  // The network shares out a thousandth of the energy from now on: the loan is worth next to nothing, and so is the
  // stake.
  await chain.setParameters({ getTotalEnergyCurrentLimit: 180_000_000n })
  await mine(1)
  await settle()
  expect(
    (await world.sweeps()).filter(({ asset }) => asset === 'USDT').map(({ way, state }) => `${way} ${state}`),
  ).toEqual(['burn final'])
  expect((await world.outgoing('gas')).length).toBe(1)
  expect(await onChain(HOT, USDT)).toBe(250n * TRX)
  expect(await world.openLoans()).toBe(0)
  expect(await differences()).toEqual([])
})

test('T1 a transfer that runs out of energy is mined without effect: its fee is a cost, and it is swept later', async () => {
  const { address, pay, mine, work, settle, differences, onChain, chain, passTime } = await open()
  const one = await address()
  await pay('USDT', one.address, '250')
  await mine(SOLID)
  await work()
  await mine(SOLID)
  await work()
  await work()
  // Between the signature and the block energy becomes three times as dear.
  await chain.setParameters({ getEnergyFee: 300n })
  await world.catchUp()
  await settle()
  expect(await states()).toEqual(['burn failed'])
  expect(await onChain(HOT, USDT)).toBe(0n)
  expect(await differences()).toEqual([])
  await passTime(61 * MINUTE)
  await settle()
  expect(await onChain(HOT, USDT)).toBe(250n * TRX)
  expect((await states()).at(-1)).toMatch(/final$/)
  expect(await differences()).toEqual([])
})

test('T4 a fork takes a funding back, and a sweep: both are mined again with the same bytes', async () => {
  const { address, pay, mine, work, settle, differences, onChain, chain, outgoing, sweeps, costOf } = await open()
  const one = await address()
  await pay('USDT', one.address, '250')
  await mine(SOLID)
  await work()
  await mine(2)
  expect((await outgoing('gas'))[0]!.state).toBe('mined')
  expect(await costOf(one.merchantId)).toBeGreaterThan(0n)
  await chain.reorg({ depth: 2, without: [], others: 'forgotten' })
  await mine(1)
  expect((await outgoing('gas'))[0]!.state).toBe('broadcast')
  expect(await costOf(one.merchantId)).toBe(0n)
  expect((await sweeps())[0]!.state).toBe('planned')
  await work()
  await mine(SOLID)
  await work()
  await work()
  await mine(2)
  expect((await sweeps())[0]!.state).toBe('mined')
  await chain.reorg({ depth: 2, without: [], others: 'forgotten' })
  await mine(1)
  expect((await sweeps())[0]!.state).toBe('broadcast')
  await settle()
  expect(await states()).toEqual(['burn final'])
  expect([
    (await outgoing('gas')).length,
    (await outgoing('sweep')).length,
    (await outgoing('sweep'))[0]!.attempts,
  ]).toEqual([1, 1, 1])
  expect(await onChain(HOT, USDT)).toBe(250n * TRX)
  expect(await differences()).toEqual([])
})

test('T3 a sweep that expires unmined is given up once it is proven dead, and another is made: one payment', async () => {
  const { address, pay, mine, work, settle, differences, onChain, chain, outgoing, passTime } = await open()
  const one = await address()
  await pay('TRX', one.address, '60')
  await mine(SOLID)
  await work()
  await work()
  const [first] = await outgoing('sweep')
  await chain.hold(true)
  await chain.forget(chain.status().pending)
  await passTime(11 * MINUTE)
  await work()
  // Expired, but the solidified chain has not passed its end yet.
  expect((await outgoing('sweep'))[0]!.state).toBe('broadcast')
  await mine(SOLID)
  await passTime(MINUTE)
  await work()
  expect((await outgoing('sweep'))[0]).toMatchObject({ id: first!.id, state: 'abandoned' })
  expect(await states()).toEqual(['own replaced'])
  await chain.hold(false)
  await passTime(61 * MINUTE)
  await settle()
  expect(await states()).toEqual(['own replaced', 'own final'])
  expect(await onChain(HOT, null)).toBe(5_060n * TRX)
  expect(await differences()).toEqual([])
})

test('T3 a loan that expires unmined is given up, and nothing is left open', async () => {
  const { address, pay, mine, work, settle, differences, onChain, chain, passTime, openLoans } = await staked()
  const one = await address()
  await pay('TRX', one.address, '0.000001')
  await pay('USDT', one.address, '250')
  await mine(SOLID)
  await work()
  await work()
  await chain.hold(true)
  await chain.forget(chain.status().pending)
  await passTime(11 * MINUTE)
  await mine(SOLID)
  await work()
  expect((await states())[0]).toBe('energy failed')
  await chain.hold(false)
  await work()
  expect(await openLoans()).toBe(0)
  await passTime(61 * MINUTE)
  await settle()
  expect(await onChain(HOT, USDT)).toBe(250n * TRX)
  expect(await differences()).toEqual([])
})

test('a loan that can not be looked at keeps no other one from being taken back, and deposits from being swept', async () => {
  const { address, pay, mine, work, send, passTime, openLoans, adapter, differences, settle } = await staked()
  const [one, other] = [await address(), await address()]
  for (const { address: to } of [one, other]) await pay('TRX', to, '0.000001')
  for (const { address: to } of [one, other]) await pay('USDT', to, '250')
  await mine(SOLID)
  const { loanOf } = adapter
  adapter.loanOf = async (from, to, height) => {
    if (to === one.address) throw new ChainUnavailable('a loan of others')
    return loanOf(from, to, height)
  }
  for (let step = 0; step < 8; step += 1) {
    await work().catch(send)
    await mine(SOLID)
  }
  expect([await openLoans(), await states()]).toEqual([1, ['energy final', 'energy final']])
  const third = await address()
  await pay('TRX', third.address, '60')
  await mine(SOLID)
  await work().catch(send)
  expect((await states()).length).toBe(3)
  adapter.loanOf = loanOf
  await passTime(MINUTE)
  await settle()
  expect([await openLoans(), await differences()]).toEqual([0, []])
})

/** Sweeps on TRON while processes die, where other workers run too, and where money or permission is missing. */
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { TRON_HOT as HOT } from '../../../../../test/world/wallet.ts'
import { PLATFORM } from '../../../ledger/postings/index.ts'
import { Killed, openTronSweeps, type TronSweeps } from '../../../../../test/world/tron-sweeps.ts'
import { SOLID, TRON_USDT as USDT } from '../../../../../test/world/tron.ts'

const database = useDatabase({ template: migrated })
const TRX = 1_000_000n
const MINUTE = 60_000
let world: TronSweeps

const open = async (given: Parameters<typeof openTronSweeps>[1] = {}): Promise<TronSweeps> => {
  world = await openTronSweeps(database.url, given)
  onTestFinished(() => world.close())
  return world
}

const PREPARED = [
  'sweep-step-chosen',
  'sweep-step-planned',
  'before-sign',
  'signed-not-stored',
  'stored-not-broadcast',
  'broadcast-not-recorded',
]
/** Which of the steps (activate, lend, transfer, return) the process dies in. */
const deaths = [
  ...PREPARED.flatMap((name) => [0, 1, 2].map((passes) => ({ name, passes }))),
  ...PREPARED.slice(2).map((name) => ({ name, passes: 3 })),
  { name: 'return-chosen', passes: 0 },
  { name: 'return-planned', passes: 0 },
]

const stepOrDie = async (): Promise<boolean> => {
  try {
    await world.work()
    return false
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    return true
  }
}

test.each(deaths)(
  'killed at $name, pass $passes: one sweep, the energy is back, books and chain agree',
  async ({ name, passes }) => {
    const {
      address,
      pay,
      mine,
      settle,
      killAt,
      restart,
      onChain,
      differences,
      outgoing,
      openLoans,
      adapter,
      passTime,
      isArmed,
    } = await open({ trx: '30000' })
    await world.stake({ kind: 'stake', resource: 'ENERGY', sun: 20_000n * TRX })
    const one = await address()
    await pay('USDT', one.address, '250')
    await mine(SOLID)
    killAt(name, passes)
    for (let step = 0; isArmed(); step += 1) {
      expect(step).toBeLessThan(20)
      if (await stepOrDie()) break
      await passTime(6_000)
      await mine(SOLID)
    }
    restart()
    // The claims of a dead process are free again after its lease.
    await passTime(MINUTE)
    await settle()
    expect((await world.sweeps()).map(({ way, state }) => `${way} ${state}`)).toEqual(['energy final'])
    expect((await outgoing('sweep')).map(({ state }) => state)).toEqual(['final'])
    expect((await outgoing('resources')).map(({ state }) => state)).toEqual(['final', 'final', 'final', 'final'])
    expect([await onChain(HOT, USDT), await onChain(one.address, USDT), await onChain(one.address, null)]).toEqual([
      250n * TRX,
      0n,
      0n,
    ])
    expect([await openLoans(), (await adapter.stakeOf(HOT)).lent.ENERGY]).toEqual([0, 0n])
    expect(await differences()).toEqual([])
  },
)

test('killed between the proof and the record that a sweep is dead: it is given up once', async () => {
  const { address, pay, mine, work, settle, killAt, restart, passTime, chain, onChain, differences, outgoing } =
    await open()
  const one = await address()
  await pay('TRX', one.address, '60')
  await mine(SOLID)
  await work()
  await work()
  await chain.hold(true)
  await chain.forget(chain.status().pending)
  await passTime(11 * MINUTE)
  await mine(SOLID)
  killAt('lapse-proven')
  await stepOrDie()
  restart()
  expect((await outgoing('sweep')).map(({ state }) => state)).toEqual(['broadcast'])
  await chain.hold(false)
  await passTime(61 * MINUTE)
  await settle()
  await passTime(61 * MINUTE)
  await settle()
  expect((await outgoing('sweep')).map(({ state }) => state)).toEqual(['abandoned', 'final'])
  expect(await onChain(HOT, null)).toBe(5_060n * TRX)
  expect(await differences()).toEqual([])
})

test('two workers at once begin one sweep of an address, and lend once', async () => {
  const { address, pay, mine, settle, job, onChain, outgoing, differences } = await open({ trx: '30000' })
  await world.stake({ kind: 'stake', resource: 'ENERGY', sun: 20_000n * TRX })
  const all = await Promise.all(Array.from({ length: 4 }, () => address()))
  for (const { address: to } of all) await pay('USDT', to, '250')
  await mine(SOLID)
  await world.prices()
  const { signal } = new AbortController()
  for (let step = 0; step < 4; step += 1) {
    await Promise.all([job().run(signal), job().run(signal), job().run(signal)])
    await world.work()
    await mine(SOLID)
  }
  await settle()
  expect((await world.sweeps()).map(({ state }) => state)).toEqual(['final', 'final', 'final', 'final'])
  // The stake, and for each address its activation, its loan and its return.
  expect((await outgoing('resources')).length).toBe(1 + 4 * 3)
  expect(await onChain(HOT, USDT)).toBe(1_000n * TRX)
  expect(await differences()).toEqual([])
})

test('two sweeps of one address, token and TRX, go one after the other', async () => {
  const { address, pay, mine, work, settle, onChain, differences, sweeps } = await open()
  const one = await address()
  await pay('USDT', one.address, '250')
  await pay('TRX', one.address, '100')
  await mine(SOLID)
  await work()
  expect((await sweeps()).map(({ asset }) => asset)).toEqual(['USDT'])
  await settle()
  // Its own TRX paid for the token's transfer, and what was left came after it.
  expect((await sweeps()).map(({ asset, way, state }) => `${asset} ${way} ${state}`)).toEqual([
    'USDT own final',
    'TRX own final',
  ])
  expect(await onChain(HOT, USDT)).toBe(250n * TRX)
  expect(await onChain(one.address, null)).toBe(0n)
  expect(await differences()).toEqual([])
})

test('without TRX for a top-up nothing is begun, an alert is raised, and it goes on when there is some', async () => {
  const { address, pay, mine, work, settle, alerts, sweeps, onChain } = await open({ trx: '1' })
  const one = await address()
  await pay('USDT', one.address, '250')
  await mine(SOLID)
  await work()
  expect(await sweeps()).toEqual([])
  expect(await alerts()).toEqual(['hot-wallet-short'])
  await pay('TRX', HOT, '100')
  await mine(SOLID)
  await settle()
  expect(await alerts()).toEqual([])
  expect(await onChain(HOT, USDT)).toBe(250n * TRX)
})

test('a sweep that the signer would refuse is not planned: no lending, no top-up above its cap, no asset switched off', async () => {
  const { address, pay, mine, work, settle, alerts, sweeps, permission, outgoing } = await open({ trx: '30000' })
  await world.stake({ kind: 'stake', resource: 'ENERGY', sun: 20_000n * TRX })
  const one = await address()
  await pay('USDT', one.address, '250')
  await mine(SOLID)
  permission.assets.delete('USDT')
  await work()
  expect(await sweeps()).toEqual([])
  permission.assets.add('USDT')
  permission.mayDelegateEnergy = false
  permission.maxTopUp = TRX
  await work()
  expect([await sweeps(), await alerts()]).toEqual([[], ['fee-above-cap']])
  permission.maxTopUp = 20n * TRX
  await settle()
  expect((await sweeps()).map(({ way, state }) => `${way} ${state}`)).toEqual(['burn final'])
  expect((await outgoing('resources')).length).toBe(1)
  expect(await alerts()).toEqual([])
})

test('a refusal of the signer ends the sweep, which is begun anew later', async () => {
  const { address, pay, mine, work, settle, sweeps, permission, passTime, onChain, chain, alerts } = await open()
  // The signer's own cap is 20 TRX.
  permission.maxTopUp = 1_000n * TRX
  await chain.setParameters({ getEnergyFee: 900n })
  const one = await address()
  await pay('USDT', one.address, '2500')
  await mine(SOLID)
  await work()
  await work()
  expect((await sweeps()).map(({ state }) => state)).toEqual(['failed'])
  expect(await alerts()).toContain('signer-limit')
  await chain.setParameters({ getEnergyFee: 100n })
  await passTime(61 * MINUTE)
  await settle()
  expect(await onChain(HOT, USDT)).toBe(2_500n * TRX)
})

test('a loan that was taken back by hand is closed, not taken back twice', async () => {
  const { address, pay, mine, work, settle, db, openLoans } = await open({ trx: '30000' })
  await world.stake({ kind: 'stake', resource: 'ENERGY', sun: 20_000n * TRX })
  const one = await address()
  await pay('TRX', one.address, '0.000001')
  await pay('USDT', one.address, '250')
  await mine(SOLID)
  await work()
  await work()
  await mine(SOLID)
  expect(await openLoans()).toBe(1)
  await settle()
  // As if the books had not heard of the return.
  await sql`update tron_loans set closed_at = null, return_id = null`.execute(db)
  await settle()
  expect(await openLoans()).toBe(0)
  expect((await world.outgoing('resources')).length).toBe(3)
})

test('TRX that is staked, lent or unfreezing is ours in the books, and no payout is made of it', async () => {
  const { mine, passTime, differences, order, spendable, onChain, adapter, costOf } = await open({ trx: '10000' })
  await world.stake({ kind: 'stake', resource: 'ENERGY', sun: 6_000n * TRX })
  await world.stake({ kind: 'unstake', resource: 'ENERGY', sun: 1_000n * TRX })
  expect(await differences()).toEqual([])
  for (const [wanted, why] of [
    [{ kind: 'stake', resource: 'ENERGY', sun: 4_000n * TRX }, 'can spare'],
    [{ kind: 'stake', resource: 'BANDWIDTH', sun: TRX - 1n }, '1 TRX at least'],
    [{ kind: 'unstake', resource: 'BANDWIDTH', sun: TRX }, '0 sun are staked'],
    [{ kind: 'unstake', resource: 'ENERGY', sun: 5_000n * TRX + 1n }, 'are staked for it'],
    [{ kind: 'withdraw' }, 'long enough'],
  ] as const)
    expect(await order(wanted)).toEqual({ refused: expect.stringContaining(why) })
  const costs = await costOf(PLATFORM)
  expect(await spendable()).toBe(4_000n * TRX - costs)
  expect(await onChain(HOT, null)).toBe(10_000n * TRX - costs)
  await passTime(14 * 86_400_000)
  await mine(SOLID)
  await world.stake({ kind: 'withdraw' })
  expect((await adapter.stakeOf(HOT)).unfreezing).toEqual([])
  expect(await spendable()).toBeGreaterThan(4_999n * TRX)
  expect(await differences()).toEqual([])
})

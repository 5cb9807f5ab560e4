import { burnOf } from '@bursar/chainkit/tron'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../../test/setup/cases.ts'
import { chooseTronSweep, sendableTrx, stakeFor, type TronFigures, type TronWay } from './choice.ts'

const MAIN_NET: TronFigures = {
  prices: { energy: 100n, bandwidth: 1_000n, accountBandwidth: 100_000n, activation: 1_000_000n },
  usage: { bandwidth: 345, energy: 65_000n },
  address: { isActivated: true, resources: { bandwidth: 0n, freeBandwidth: 600n, energy: 0n }, sun: 0n },
  hot: { resources: { bandwidth: 0n, freeBandwidth: 0n, energy: 0n }, lendable: 10n ** 12n },
  supply: { energy: 180_000_000_000n, stakedForEnergy: 18_000_000_000n },
  bytes: { topUp: 268, activate: 270, lend: 280, giveBack: 278 },
}
const units = (max: bigint): fc.Arbitrary<bigint> => fc.bigInt({ min: 0n, max })
const resources = fc.record({ bandwidth: units(2_000n), freeBandwidth: units(600n), energy: units(150_000n) })
const figures: fc.Arbitrary<TronFigures> = fc
  .record({
    usage: fc.record({ bandwidth: fc.integer({ min: 200, max: 500 }), energy: fc.bigInt({ min: 1n, max: 200_000n }) }),
    address: fc.record({ isActivated: fc.boolean(), resources, sun: units(30_000_000n) }),
    hot: fc.record({ resources, lendable: units(40_000_000_000n) }),
    supply: fc.record({
      energy: fc.bigInt({ min: 10n ** 9n, max: 10n ** 12n }),
      stakedForEnergy: fc.bigInt({ min: 10n ** 6n, max: 10n ** 11n }),
    }),
    prices: fc.record({
      energy: units(1_000n),
      bandwidth: units(2_000n),
      accountBandwidth: units(200_000n),
      activation: units(2_000_000n),
    }),
  })
  .map((given) => {
    const { address } = given
    // An account that is not there has nothing, and can not have borrowed energy.
    const unused = { isActivated: false, sun: 0n, resources: { bandwidth: 0n, energy: 0n, freeBandwidth: 600n } }
    return { ...given, bytes: MAIN_NET.bytes, address: address.isActivated ? address : unused }
  })

/** Carries a step out as the chain would; @returns what the hot address burnt */
const carryOut = (f: TronFigures, step: ReturnType<typeof chooseTronSweep>['step']): bigint => {
  const { address, hot, prices, bytes } = f
  const spend = (size: number, activates: boolean): bigint => {
    const burn = burnOf({ bandwidth: size, energy: 0n, activates }, prices, { ...hot.resources, energy: 0n })
    if (burn.bandwidth === 0n) {
      if (BigInt(size) <= hot.resources.bandwidth) hot.resources.bandwidth -= BigInt(size)
      else hot.resources.freeBandwidth -= BigInt(size)
    }
    return burn.total
  }
  if (step.kind === 'send') return 0n
  const activates = step.kind !== 'lend' && !address.isActivated
  const burnt = spend(
    step.kind === 'lend' ? bytes.lend : step.kind === 'activate' ? bytes.activate : bytes.topUp,
    activates,
  )
  address.isActivated = true
  if (step.kind === 'top-up') address.sun += step.sun
  if (step.kind === 'lend') {
    expect(step.stake <= hot.lendable).toBe(true)
    address.resources.energy += ((step.stake / 1_000_000n) * f.supply.energy) / f.supply.stakedForEnergy
    hot.lendable -= step.stake
    return burnt + spend(bytes.giveBack, false)
  }
  return burnt
}

test('from any state few steps lead to a transfer that the address can pay, at the cost named at the start', () => {
  fc.assert(
    fc.property(figures, (given) => {
      const f = structuredClone(given)
      const { cost } = chooseTronSweep(f)
      let burnt = 0n
      for (let steps = 0; ; steps += 1) {
        expect(steps).toBeLessThan(4)
        const { step } = chooseTronSweep(f)
        if (step.kind === 'send') break
        burnt += carryOut(f, step)
      }
      const own = burnOf({ ...f.usage, activates: false }, f.prices, f.address.resources).total
      expect(f.address.isActivated).toBe(true)
      expect(own <= f.address.sun).toBe(true)
      expect(burnt + own <= cost).toBe(true)
    }),
    { numRuns: cases(2_000) },
  )
})

test('a top-up is exactly the burnt amount: nothing is left on the address', () => {
  fc.assert(
    fc.property(figures, (given) => {
      const { way, step } = chooseTronSweep(given)
      if (way !== 'burn' || step.kind !== 'top-up') return
      const { total } = burnOf({ ...given.usage, activates: false }, given.prices, given.address.resources)
      expect(given.address.sun + step.sun).toBe(total > 0n || given.address.isActivated ? total : 1n)
    }),
  )
})

test('more stake never makes a sweep dearer', () => {
  fc.assert(
    fc.property(figures, (given) => {
      const without = chooseTronSweep({ ...given, hot: { ...given.hot, lendable: 0n } })
      expect(chooseTronSweep(given).cost <= without.cost).toBe(true)
    }),
  )
})

test('the stake gives the required energy, and little more', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1_000n, max: 10n ** 7n }),
      fc.bigInt({ min: 10n ** 9n, max: 10n ** 12n }),
      fc.bigInt({ min: 10n ** 6n, max: 10n ** 10n }),
      (energy, total, staked) => {
        const stake = stakeFor(energy, { energy: total, stakedForEnergy: staked })
        expect(((stake / 1_000_000n) * total) / staked >= energy).toBe(true)
        expect(stake <= (energy * staked * 1_020n * 1_000n) / total + 2_000_000n).toBe(true)
      },
    ),
  )
})

const ways: [string, (f: TronFigures) => TronFigures, TronWay, string][] = [
  ['stake is lent', (f) => f, 'energy', 'lend'],
  ['nothing is staked: burnt', (f) => ({ ...f, hot: { ...f.hot, lendable: 0n } }), 'burn', 'top-up'],
  [
    'it has energy left from a loan',
    (f) => ({ ...f, address: { ...f.address, resources: { ...f.address.resources, energy: 65_000n } } }),
    'own',
    'send',
  ],
  [
    'it has TRX, but lending costs less',
    (f) => ({ ...f, address: { ...f.address, sun: 50_000_000n } }),
    'energy',
    'lend',
  ],
  [
    'not activated: created, then lent',
    (f) => ({ ...f, address: { ...f.address, isActivated: false } }),
    'energy',
    'activate',
  ],
  [
    'not activated, nothing staked: the top-up activates',
    (f) => ({ ...f, address: { ...f.address, isActivated: false }, hot: { ...f.hot, lendable: 0n } }),
    'burn',
    'top-up',
  ],
  [
    'its bytes of the day are used',
    (f) => ({ ...f, address: { ...f.address, resources: { ...f.address.resources, freeBandwidth: 100n } } }),
    'energy',
    'top-up',
  ],
  [
    'energy is cheaper than two transactions',
    (f) => ({ ...f, usage: { ...f.usage, energy: 2_000n } }),
    'burn',
    'top-up',
  ],
]
test.each(ways)('%s', (_, change, way, step) => {
  expect(chooseTronSweep(change(MAIN_NET))).toMatchObject({ way, step: { kind: step } })
})

test('TRX leaves the amount that its transfer burns', () => {
  const { prices } = MAIN_NET
  const none = { bandwidth: 0n, freeBandwidth: 0n, energy: 0n }
  expect(sendableTrx({ sun: 5_000_000n, bytes: 268, prices, resources: { ...none, freeBandwidth: 268n } })).toEqual({
    sun: 5_000_000n,
    cost: 0n,
  })
  expect(sendableTrx({ sun: 5_000_000n, bytes: 268, prices, resources: none })).toEqual({
    sun: 4_732_000n,
    cost: 268_000n,
  })
  expect(sendableTrx({ sun: 268_000n, bytes: 268, prices, resources: none }).sun).toBe(0n)
})

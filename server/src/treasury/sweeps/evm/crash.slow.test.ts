/** Sweeps on an EVM chain while workers die, and beside other workers. */
import { describe, expect, test } from 'vitest'
import { useDatabase } from '../../../../../test/setup/database.ts'
import { migrated } from '../../../../../test/setup/migrated.ts'
import { useAnvil } from '../../../../../test/setup/nodes.ts'
import { openEvmSweeps, type EvmSweeps, type SweepOptions } from '../../../../../test/world/evm-sweeps.ts'
import { runAll } from '../../../../../test/world/network.ts'
import { EVM_HOT as HOT } from '../../../../../test/world/wallet.ts'

const database = useDatabase({ template: migrated })
const startNode = useAnvil()
const open = async (policy: NonNullable<SweepOptions['policy']> = {}): Promise<EvmSweeps> =>
  openEvmSweeps(database.url, { node: await startNode(), policy })

describe('killed', () => {
  const POINTS = [
    'sweep-deployment-chosen',
    'sweep-deployment-planned',
    'sweep-chosen',
    'sweep-planned',
    'before-sign',
    'signed-not-stored',
    'stored-not-broadcast',
    'broadcast-not-recorded',
  ]
  test.each(POINTS.flatMap((point) => (['auto', 'off'] as const).map((setCode) => [point, setCode] as const)))(
    'at %s, delegation %s: each asset leaves once',
    async (point, setCode) => {
      if (setCode === 'off' && point.includes('deployment')) return
      const world = await open({ setCode })
      const addresses = await world.holding(3)
      const before = await world.onChain(HOT, 'USDT')
      if (!point.includes('deployment')) await world.deployed()
      world.pauses.at = point
      await world.dying()
      world.pauses.at = null
      // The claims of the dead worker are free again when its lease is over.
      world.later(30_000)
      await world.settle()
      await world.settle()
      expect(await world.leftOf(addresses)).toEqual([0n, 0n, 0n])
      expect(await world.onChain(HOT, 'USDT')).toBe(before + 600_000_000n)
      const states = await world.states()
      expect(states).toEqual(setCode === 'auto' ? { 'delegate final': 3 } : { 'top-up final': 3 })
      expect(await world.differences()).toEqual([])
    },
  )
})

test('C9 two workers at once make one sweep of each asset', async () => {
  const world = await open()
  const addresses = await world.holding(6)
  await world.deployed()
  await Promise.all([runAll(world.sweepJob()), runAll(world.sweepJob()), runAll(world.sweepJob())])
  await Promise.all([runAll(world.sendJob()), runAll(world.sendJob())])
  await world.settle()
  expect(await world.states()).toEqual({ 'delegate final': 6 })
  expect(await world.leftOf(addresses)).toEqual([0n, 0n, 0n, 0n, 0n, 0n])
  expect((await world.sent()).map(({ purpose, state }) => `${purpose} ${state}`)).toEqual(['sweep final'])
  expect(await world.differences()).toEqual([])
})

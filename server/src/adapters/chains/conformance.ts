/** What every chain adapter promises, as tests: against its real node, and against the simulated chain. */
import { beforeAll, describe, expect, test } from 'vitest'
import { describeBlocks, describeFinality } from './conformance/blocks.ts'
import { describeContracts } from './conformance/contracts.ts'
import { describePool } from './conformance/pool.ts'
import { describeBalances, describeBroadcast, describeFees } from './conformance/sending.ts'
import { describeReorganisations, describeStanding } from './conformance/standing.ts'
import type { ChainWorld } from './conformance/world.ts'

export type { ChainWorld, ContractWorld, Rivals, Signed } from './conformance/world.ts'

/** @param has what the world must have, so that a chain does not pass by having nothing */
export const describeChain = (
  name: string,
  has: { contracts: boolean },
  makeWorld: () => Promise<ChainWorld>,
): void => {
  describe(name, () => {
    let started: ChainWorld
    const world = (): ChainWorld => started
    beforeAll(async () => {
      started = await makeWorld()
      expect(started.contracts !== undefined).toBe(has.contracts)
    })

    test('is the chain it is configured to be', async () => {
      expect(await started.adapter.identity()).toBe(started.identity)
    })
    describeBlocks(world)
    describeFinality(world)
    describeStanding(world)
    describeReorganisations(world)
    describeBroadcast(world)
    describePool(world)
    describeFees(world)
    describeBalances(world)
    if (has.contracts) describeContracts(world)
  })
}

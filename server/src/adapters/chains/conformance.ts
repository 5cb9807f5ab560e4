/** Conformance tests for every chain adapter, against its real node and against the simulated chain. */
import { beforeAll, describe, expect, test } from 'vitest'
import { describeBlocks, describeFinality } from './conformance/blocks.ts'
import { describeCalls, describeContracts } from './conformance/contracts.ts'
import { describePool } from './conformance/pool.ts'
import { describeConflicts } from './conformance/conflicts.ts'
import { describeBalances, describeBroadcast, describeFees } from './conformance/sending.ts'
import { describeReorganisations, describeStatus } from './conformance/status.ts'
import type { ChainWorld } from './conformance/world.ts'

export type { CallWorld, ChainWorld, ContractWorld, ConflictingTransactions, Signed } from './conformance/world.ts'

/** @param has features that the world must have, so that a chain can't pass by lacking them */
export const describeChain = (
  name: string,
  has: { contracts: boolean; conflicting: boolean },
  makeWorld: () => Promise<ChainWorld>,
): void => {
  describe(name, () => {
    let started: ChainWorld
    const world = (): ChainWorld => started
    beforeAll(async () => {
      started = await makeWorld()
      expect(started.contracts !== undefined).toBe(has.contracts)
      expect(started.conflicting !== undefined).toBe(has.conflicting)
      if (has.contracts) expect(started.contracts!.calls !== undefined).toBe(has.conflicting)
    })

    test('is the chain it is configured to be', async () => {
      expect(await started.adapter.identity()).toBe(started.identity)
    })
    describeBlocks(world)
    describeFinality(world)
    describeStatus(world)
    describeReorganisations(world)
    describeBroadcast(world)
    if (has.conflicting) describeConflicts(world)
    describePool(world)
    describeFees(world)
    describeBalances(world)
    if (has.contracts) describeContracts(world)
    if (has.contracts && has.conflicting) describeCalls(world)
  })
}

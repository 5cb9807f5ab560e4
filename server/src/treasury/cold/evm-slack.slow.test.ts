/** A transfer of ETH to cold storage that pays its own fee, on anvil: what is left of it, and the slack. */
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import type { EvmWorld } from '../../../../test/world/evm-node.ts'
import { useColdOnAnvil, type ColdWorld } from '../../../../test/world/cold.ts'
import { EVM_HOT } from '../../../../test/world/wallet.ts'

const E18 = 10n ** 18n
const COLD = privateKeyToAccount(`0x${'c0'.repeat(32)}`).address as string
const opened = useColdOnAnvil({ treasury: { hot: { ETH: { cap: '1', target: '0', slack: `${E18}`, cold: COLD } } } })
let node: EvmWorld
let cold: ColdWorld
beforeEach(() => {
  ;({ node, cold } = opened())
})

test.each([
  ['nothing is moved when less than the slack is left after the fee', E18 + 2n, []],
  ['more than the slack is moved, without the fee', 2n * E18, ['offered']],
])('%s', async (_, units, transfers) => {
  await node.pay(EVM_HOT, units)
  await cold.mine(4)
  await cold.offer()
  expect(await cold.transfers()).toEqual(transfers)
  if (transfers.length > 0) expect((await cold.open()).transfer.units).toBeLessThan(units)
})

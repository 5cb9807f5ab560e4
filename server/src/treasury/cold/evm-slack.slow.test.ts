/** The slack of cold transfers of ETH is of all hot addresses together, on anvil. */
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import type { EvmWorld } from '../../../../test/world/evm-node.ts'
import { useColdOnAnvil, type ColdWorld } from '../../../../test/world/cold.ts'
import { WALLET } from '../../../../test/world/wallet.ts'
import { evmHotKeys } from '../../chain/transactions/index.ts'

const E18 = 10n ** 18n
const COLD = privateKeyToAccount(`0x${'c0'.repeat(32)}`).address as string
const opened = useColdOnAnvil({
  hotAddresses: 4,
  treasury: { hot: { ETH: { cap: `${E18}`, target: '0', slack: `${E18}`, cold: COLD } } },
})
let node: EvmWorld
let cold: ColdWorld
beforeEach(() => {
  ;({ node, cold } = opened())
})

test('addresses that have less than the slack each, and together more than the cap and the slack, are emptied', async () => {
  // 3.6 ETH are hot: the cap and the slack allow 2.
  for (const { address } of evmHotKeys(WALLET, 4)) await node.pay(address, (9n * E18) / 10n)
  await cold.mine(4)
  for (let round = 0; round < 5; round += 1) await cold.offer()
  expect(await cold.transfers()).toEqual(['offered'])
})

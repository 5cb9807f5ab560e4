/** A transfer of ETH to cold storage that pays its own fee, on anvil: the slack, and a price of gas that rises. */
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
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
const restores: (() => void)[] = []
afterEach(() => restores.splice(0).forEach((restore) => restore()))

test.each([
  ['nothing is moved, and no alert is raised, when the fee leaves no more than the slack', E18 + 2n, []],
  ['more than the slack is moved, without the fee', 2n * E18, ['offered']],
])('%s', async (_, units, transfers) => {
  await node.pay(EVM_HOT, units)
  await cold.mine(4)
  await cold.offer()
  expect(await cold.transfers()).toEqual(transfers)
  expect(await cold.alerts()).toEqual(transfers.length > 0 ? ['cold-offered'] : [])
  if (transfers.length > 0) expect((await cold.open()).transfer.units).toBeLessThan(units)
})

test('a transfer is not offered when the price of gas rises while its amount is reduced by the fee', async () => {
  const { feeRate } = node.adapter
  restores.push(() => Object.assign(node.adapter, { feeRate }))
  let factor = 1n
  node.adapter.feeRate = async () => {
    const rate = await feeRate()
    if (rate.kind !== 'gas' || rate.legacy) throw new Error('anvil has fees of EIP-1559')
    factor *= 2n
    return { ...rate, maxFeePerGas: rate.maxFeePerGas * factor }
  }
  await node.pay(EVM_HOT, 2n * E18)
  await cold.mine(4)
  await cold.offer()
  expect(await cold.transfers()).toEqual([])
  expect(await cold.alerts()).toEqual(['cold-impossible'])
  node.adapter.feeRate = feeRate
  await cold.offer()
  expect(await cold.transfers()).toEqual(['offered'])
  expect(await cold.alerts()).toEqual(['cold-offered'])
})

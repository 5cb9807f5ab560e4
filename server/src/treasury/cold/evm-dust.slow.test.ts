/** On anvil, a transfer of ETH to cold storage moves more than its fee, also from hot addresses that hold little. */
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { useColdOnAnvil } from '../../../../test/world/cold.ts'
import { WALLET } from '../../../../test/world/wallet.ts'
import { evmHotKeys } from '../../chain/transactions/index.ts'

const COLD = privateKeyToAccount(`0x${'c0'.repeat(32)}`).address as string
// The slack is 0 when the policy does not name it.
const opened = useColdOnAnvil({ hotAddresses: 4, treasury: { hot: { ETH: { cap: '1', target: '0', cold: COLD } } } })

test.each([
  ['is not emptied when it has a few wei more than its fee', (fee: bigint) => fee + 10n, []],
  ['is not emptied when the rest is as much as its fee', (fee: bigint) => 2n * fee, []],
  ['is emptied when the rest is more than its fee', (fee: bigint) => 2n * fee + 1n, ['offered']],
] as const)('a hot address %s', async (_, unitsOf, expected) => {
  const { node, cold } = opened()
  const { feeRate } = node.adapter
  const rate = await feeRate()
  if (rate.kind !== 'gas' || rate.legacy) throw new Error('anvil has fees of EIP-1559')
  node.adapter.feeRate = async () => rate
  try {
    // The plan adds a quarter to the estimate of gas, and doubles the price (PRICE_MARGIN).
    const fee = 26_250n * rate.maxFeePerGas * 2n
    for (const { address } of evmHotKeys(WALLET, 4)) await node.pay(address, unitsOf(fee))
    await cold.mine(4)
    await cold.offer()
    expect(await cold.transfers()).toEqual(expected)
  } finally {
    node.adapter.feeRate = feeRate
  }
})

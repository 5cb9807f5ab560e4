import { describe } from 'vitest'
import { EVM_NODES } from '../../../../../test/setup/nodes.ts'
import { describeChain } from '../conformance.ts'
import { openEvmWorld } from '../../../../../test/world/evm-node.ts'

describe.each(EVM_NODES)('%s', (_name, use) => {
  const ethereum = use()
  describeChain('Ethereum: EIP-1559, the finalized tag', { contracts: true, conflicting: true }, async () =>
    openEvmWorld(await ethereum(), { network: 'ETHEREUM', chainId: 31_337, legacyGas: false, finality: 'finalized' }),
  )

  const bsc = use({ chainId: 31_356, baseFee: 0n })
  describeChain('BSC: legacy gas, no base fee, final by depth', { contracts: true, conflicting: true }, async () =>
    openEvmWorld(await bsc(), { network: 'BINANCE_SMART_CHAIN', chainId: 31_356, legacyGas: true, finality: 4 }),
  )
})

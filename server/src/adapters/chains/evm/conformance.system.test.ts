import { useAnvil } from '../../../../../test/setup/nodes.ts'
import { describeChain } from '../conformance.ts'
import { openEvmWorld } from './test-world.ts'

const ethereum = useAnvil()
describeChain('Ethereum on anvil: EIP-1559, the finalized tag', { contracts: true, rivals: true }, async () =>
  openEvmWorld(await ethereum(), { network: 'ETHEREUM', chainId: 31_337, legacyGas: false, finality: 'finalized' }),
)

const bsc = useAnvil({ chainId: 31_356, baseFee: 0n })
describeChain('BSC on anvil: legacy gas, no base fee, final by depth', { contracts: true, rivals: true }, async () =>
  openEvmWorld(await bsc(), { network: 'BINANCE_SMART_CHAIN', chainId: 31_356, legacyGas: true, finality: 4 }),
)

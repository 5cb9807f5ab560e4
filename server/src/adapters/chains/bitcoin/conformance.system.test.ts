import { describeWithBitcoind, useBitcoind } from '../../../../../test/setup/nodes.ts'
import { describeChain } from '../conformance.ts'
import { openBitcoinWorld } from '../../../../../test/world/bitcoin-node.ts'

describeWithBitcoind('Bitcoin on bitcoind', () => {
  const bitcoind = useBitcoind()
  describeChain('the adapter', { contracts: false, conflicting: true }, async () => openBitcoinWorld(await bitcoind()))
})

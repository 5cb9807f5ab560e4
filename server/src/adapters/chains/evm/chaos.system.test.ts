import { useAnvil } from '../../../../../test/setup/nodes.ts'
import { describeChaos } from '../conformance/chaos.ts'
import { adapterOf, openEvmWorld } from '../../../../../test/world/evm-node.ts'

const KIND = { network: 'ETHEREUM', chainId: 31_337, legacyGas: false, finality: 'finalized' } as const
const anvil = useAnvil()

describeChaos('anvil out of order', async () => {
  const node = await anvil()
  const { newAddress, conflicting, contracts, pay, mine } = await openEvmWorld(node, KIND)
  const { impossible, token } = contracts
  const address = await newAddress()
  const { first } = await conflicting(address, 1n)
  await contracts.payInside([{ to: address, units: 5n }])
  const mined = await pay(address, 5n)
  await mine(1)
  const height = Number(await node.rpc('eth_blockNumber'))
  return {
    nodeUrl: node.url,
    adapterAt: (url, timeoutMs) => adapterOf(url, { ...KIND, tokens: [token], timeoutMs }),
    questions: {
      identity: (adapter) => adapter.identity(),
      capabilities: (adapter) => adapter.capabilities(),
      head: (adapter) => adapter.head(),
      finalized: (adapter) => adapter.finalized(),
      blockAt: (adapter) => adapter.blockAt(height),
      hashAt: (adapter) => adapter.hashAt(height),
      statusOf: (adapter) => adapter.statusOf(mined),
      broadcast: (adapter) => adapter.broadcast(first.raw),
      feeRate: (adapter) => adapter.feeRate(),
      balancesAt: (adapter) =>
        adapter.balancesAt(height, [
          { address, contract: null },
          { address, contract: token },
        ]),
      minedNonce: (adapter) => adapter.minedNonce(address),
      estimateGas: (adapter) => adapter.estimateGas({ ...impossible, to: address, data: '0x' }),
      isContract: (adapter) => adapter.isContract(token),
      codeAt: (adapter) => adapter.codeAt(token),
      callDelegated: (adapter) => adapter.callDelegated({ address, delegate: token, code: '0x00', data: '0x' }),
      isFrozen: (adapter) => adapter.isFrozen(token, address),
      tokenDecimals: (adapter) => adapter.tokenDecimals(token),
    },
  }
})

import { afterAll } from 'vitest'
import { startTronChain, type TronChain } from '../../../../../sandbox/tron/index.ts'
import { describeChaos } from '../conformance/chaos.ts'
import { encodeTokenTransfer } from '@bursar/chainkit/tron'
import { adapterOf, FAUCET, openTronWorld, SOLID_LAG } from '../../../../../test/world/tron-node.ts'

let chain: TronChain
afterAll(() => chain?.stop())

describeChaos('the TRON chain out of order', async () => {
  chain = await startTronChain({ port: 0, solidLag: SOLID_LAG })
  const { newAddress, payment, contracts, pay, mine } = await openTronWorld(chain)
  const { token } = contracts
  const address = await newAddress()
  const { raw } = await payment(address, 1n)
  await contracts.payInside([{ to: address, units: 5n }])
  const mined = await pay(address, 5n)
  await mine(1)
  const height = chain.status().height
  const { solidHeight } = chain.status()
  const call = {
    kind: 'TriggerSmartContract',
    owner: FAUCET,
    contract: token,
    callValue: 0n,
    data: encodeTokenTransfer(address, 1n),
  } as const
  return {
    nodeUrl: chain.url,
    adapterAt: (url, timeoutMs) => adapterOf(url, { tokens: [token], timeoutMs }),
    questions: {
      identity: (adapter) => adapter.identity(),
      head: (adapter) => adapter.head(),
      finalized: (adapter) => adapter.finalized(),
      blockAt: (adapter) => adapter.blockAt(height),
      hashAt: (adapter) => adapter.hashAt(height),
      statusOf: (adapter) => adapter.statusOf(mined),
      broadcast: (adapter) => adapter.broadcast(raw),
      feeRate: (adapter) => adapter.feeRate(),
      balancesAt: (adapter) =>
        adapter.balancesAt(solidHeight, [
          { address: FAUCET, contract: null },
          { address: FAUCET, contract: token },
        ]),
      reference: (adapter) => adapter.reference(),
      resourcesOf: (adapter) => adapter.resourcesOf(address),
      isActivated: (adapter) => adapter.isActivated(FAUCET),
      // Of an address without an account: the node answers with an empty object.
      isNotActivated: async (adapter) => adapter.isActivated(await newAddress()),
      unknownStatus: (adapter) => adapter.statusOf('ab'.repeat(32)),
      estimateCost: (adapter) => adapter.estimateCost(call),
      isProvenDead: (adapter) => adapter.isProvenDead(mined, 1),
      isContract: (adapter) => adapter.isContract(token),
      isFrozen: (adapter) => adapter.isFrozen(token, address),
      tokenDecimals: (adapter) => adapter.tokenDecimals(token),
    },
  }
})

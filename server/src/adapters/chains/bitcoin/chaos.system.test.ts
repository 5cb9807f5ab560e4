import { describeWithBitcoind, useBitcoind } from '../../../../../test/setup/nodes.ts'
import { describeChaos } from '../conformance/chaos.ts'
import { createBitcoinAdapter } from './index.ts'
import { openBitcoinWorld, SETTINGS, urlOf } from '../../../../../test/world/bitcoin-node.ts'

describeWithBitcoind('bitcoind out of order', () => {
  const bitcoind = useBitcoind()
  describeChaos('the adapter', async () => {
    const node = await bitcoind()
    const { newAddress, conflicting, pay, mine } = await openBitcoinWorld(node)
    const address = await newAddress()
    const { first } = await conflicting(address, 100_000n)
    const mined = await pay(address, 50_000n)
    await mine(1)
    await pay(address, 60_000n)
    const height = Number(await node.rpc('getblockcount'))
    return {
      nodeUrl: urlOf(node),
      adapterAt: (url, timeoutMs) => createBitcoinAdapter({ ...SETTINGS, url, timeoutMs, scanTimeoutMs: timeoutMs }),
      questions: {
        identity: (adapter) => adapter.identity(),
        head: (adapter) => adapter.head(),
        finalized: (adapter) => adapter.finalized(),
        blockAt: (adapter) => adapter.blockAt(height),
        hashAt: (adapter) => adapter.hashAt(height),
        mempool: (adapter) => adapter.mempool(new Set()),
        statusOf: (adapter) => adapter.statusOf(mined),
        broadcast: (adapter) => adapter.broadcast(first.raw),
        feeRate: (adapter) => adapter.feeRate(),
        balancesAt: (adapter) => adapter.balancesAt(height, [{ address, contract: null }]),
      },
    }
  })
})

/**
 * TRON of the simulation: the sandbox's chain (sandbox/tron, after java-tron's sources) in this process, behind its
 * HTTP API. It lags by giving its newest blocks back for a while (sandbox/tron/blocks/lag.ts).
 */
import { addressOfEvmForm } from '@bursar/chainkit/tron'
import { openTronApi, type TronBlock, type TronStatus } from '../../../../sandbox/chains/tron-api.ts'
import { openTronFaucet } from '../../../../sandbox/chains/tron-faucet.ts'
import { startTronChain } from '../../../../sandbox/tron/index.ts'
import type { SimulatedChain } from '../chain.ts'
import { exactJson } from '../exact-json.ts'
import type { ChainOptions } from '../evm/index.ts'
import { paths, startNodeFront } from '../front.ts'
import { createSeen } from '../turns.ts'
import { askTron } from './ask.ts'
import { TRON_DIALECTS } from './dialects.ts'
import { deployPayer, payThrough } from './payer.ts'
import { readTruth } from './truth.ts'

const SUN_DECIMALS = 6
const SOLID_LAG = 5
/** With TRON's 3 s, blocks found on demand would put the chain ahead of the clock. */
const SLOT_MS = 1

export const openTronChain = async ({ clock, faults }: ChainOptions): Promise<SimulatedChain> => {
  const node = await startTronChain({ port: 0, clock: clock.now, solidLag: SOLID_LAG, slotMs: SLOT_MS })
  const api = openTronApi(node.url)
  const { faucet: account, tokens } = await api.control<TronStatus>('status')
  const { blockID: genesis } = await api.ask<TronBlock>('wallet/getblockbynum', { num: 0 })
  const faucet = openTronFaucet(api, account, 1)
  const payer = await deployPayer(api, account)
  await node.mine(SOLID_LAG + 1)

  const seen = createSeen((blocks) => node.behind(blocks))
  const { ask, close } = askTron(node.url)
  const front = await startNodeFront({
    name: 'node of TRON',
    faults,
    dialects: TRON_DIALECTS,
    ask: (call, lagBlocks) => seen.behind(lagBlocks, () => ask(call)),
    head: (lagBlocks) => seen.behind(lagBlocks, async () => node.status().height),
    protocol: paths(exactJson),
  })
  const assets = [
    { ticker: 'TRX', decimals: SUN_DECIMALS },
    ...tokens.map(({ ticker, decimals, token }) => ({ ticker, decimals, contract: token })),
  ]
  const tokenOf = (ticker: string): string | undefined => {
    const asset = assets.find((one) => one.ticker === ticker)
    if (asset === undefined) throw new RangeError(`${ticker} is not on TRON`)
    return 'contract' in asset ? asset.contract : undefined
  }
  const truth = readTruth(api, node)
  return {
    network: 'TRON',
    assets,
    front,
    settings: () => ({ url: front.url, genesis, internalTransactions: true }),
    ways: (ticker) => (tokenOf(ticker) === undefined ? ['plain', 'inner', 'destruction'] : ['plain']),
    pay: ({ ticker, to, units, how = 'plain' }) =>
      seen.whole(() => {
        const token = tokenOf(ticker)
        if (how === 'plain') return faucet.pay({ to, units, ...(token !== undefined && { token }) })
        if (token !== undefined) throw new RangeError(`it cannot be paid by ${how}`)
        return faucet.send(payThrough(account.address, payer, { to, units, how }))
      }),
    replace: async () => null,
    mine: (blocks) => seen.whole(async () => (await node.mine(blocks)).height),
    reorganise: (depth, lost, others) =>
      seen.whole(async () => {
        const { height, solidHeight } = node.status()
        await node.reorg({
          depth: Math.min(depth, height - solidHeight),
          without: lost,
          others: others === 'wait' ? 'pending' : 'mined',
        })
      }),
    forgetPool: () => seen.whole(async () => void (await node.forget(node.status().pending))),
    newAddress: async (random) => addressOfEvmForm(random.bytes(20).toString('hex')),
    head: () => seen.whole(truth.head),
    balance: (address, contract) => seen.whole(() => truth.balance(address, contract)),
    received: (addresses, from, to) => seen.whole(() => truth.received(addresses, from, to)),
    transaction: (hash) => seen.whole(() => truth.transaction(hash)),
    isWithin: (hash, depth) => seen.whole(() => truth.isWithin(hash, depth)),
    close: async () => {
      await front.close()
      await close()
      await node.stop()
    },
  }
}

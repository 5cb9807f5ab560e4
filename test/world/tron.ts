/** The sandbox's TRON behind the adapter, with our wallets on it. Blocks come when a test asks for them. */
import { base58Of, startTronChain, tokenAddress, type TronChain } from '../../sandbox/tron/index.ts'
import type { TronChainAdapter } from '../../server/src/adapters/chains/port.ts'
import { createTronAdapter } from '../../server/src/adapters/chains/tron/index.ts'
import { DEFAULT_TRON_POLICY } from '../../server/src/chain/transactions/index.ts'
import { catalogueOn } from './catalogue.ts'
import { openNetwork, type NetworkSetup, type NetworkWorld } from './network.ts'
import { TRON_HOT } from './wallet.ts'

export const TRON_USDT: string = base58Of(tokenAddress('USDT'))
export const tronCatalogue = catalogueOn('TRON', {
  TRX: { decimals: 6 },
  USDT: { contract: TRON_USDT, decimals: 6 },
})
/** Blocks between the head and the solidified one. */
const SOLID_LAG = 3
/** After so many blocks one is final. */
export const SOLID = 1 + SOLID_LAG

export interface TronWorld extends NetworkWorld<TronChainAdapter> {
  chain: TronChain
  /** from the faucet, as decimal text; the payment waits for a block */
  pay(ticker: string, to: string, amount: string): Promise<string>
  /** Moves every clock and the chain's, ms. */
  passTime(ms: number): Promise<void>
  /** sun or token units, of the final block */
  onChain(address: string, contract: string | null): Promise<bigint>
}

export interface TronSetup {
  url: string
  /** decimal texts by ticker */
  hotHas: Readonly<Record<string, string>>
  /** Changes the answers of the node. */
  wrap?(adapter: TronChainAdapter): TronChainAdapter
  signing?: Partial<NetworkSetup<TronChainAdapter>['signing']>
  pause?(name: string): Promise<void>
}

export const openTron = async ({
  url,
  hotHas,
  wrap = (one) => one,
  signing,
  ...more
}: TronSetup): Promise<TronWorld> => {
  const chain = await startTronChain({ port: 0, solidLag: SOLID_LAG })
  const node = createTronAdapter({ url: chain.url, tokens: [TRON_USDT], internalTransactions: true, random: () => 0 })
  const adapter = wrap(node)
  const network = await openNetwork({
    url,
    adapter,
    catalogue: tronCatalogue,
    policy: { ...DEFAULT_TRON_POLICY, rebroadcastEveryMs: 0 },
    signing: { assets: { TRX: {}, USDT: { contract: TRON_USDT } }, ...signing },
    makeBlocks: (count) => chain.mine(count),
    ...more,
  })
  const pay: TronWorld['pay'] = (ticker, to, amount) => chain.fund({ ticker, to, amount })
  for (const [ticker, amount] of Object.entries(hotHas)) await pay(ticker, TRON_HOT, amount)
  await network.mine(SOLID)
  return {
    ...network,
    chain,
    pay,
    passTime: async (ms) => {
      network.later(ms)
      await chain.advance(ms)
      await network.catchUp()
    },
    onChain: async (address, contract) => (await adapter.balancesAtFinal([{ address, contract }])).units[0]!,
    close: async () => {
      await network.close()
      await node.close()
      await chain.stop()
    },
  }
}

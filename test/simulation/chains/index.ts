/** The chains of the simulation, each behind a front of its own. */
import { join } from 'node:path'
import type { Network } from '@bursar/chainkit'
import { openBitcoinChain } from './bitcoin/index.ts'
import type { SimulatedChain } from './chain.ts'
import { openEvmChain, type ChainOptions } from './evm/index.ts'
import { openTronChain } from './tron/index.ts'

export type { SimulatedChain } from './chain.ts'

interface ChainsOptions extends ChainOptions {
  /** an empty folder for what a node writes */
  dir: string
  /** those to open; all when absent */
  networks?: readonly Network[]
}

export const NETWORKS: readonly Network[] = ['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON']

export const openChains = async (options: ChainsOptions): Promise<SimulatedChain[]> => {
  const { random, dir, networks = NETWORKS } = options
  const open = (network: Network): Promise<SimulatedChain> => {
    const own = { ...options, random: random.of(network) }
    if (network === 'BITCOIN') return openBitcoinChain({ ...own, dir: join(dir, 'bitcoin') })
    return network === 'TRON' ? openTronChain(own) : openEvmChain(network, own)
  }
  const opened = await Promise.allSettled(NETWORKS.filter((network) => networks.includes(network)).map(open))
  const chains = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = opened.find((one) => one.status === 'rejected')
  if (failed === undefined) return chains
  for (const chain of chains) await chain.close()
  throw failed.reason
}

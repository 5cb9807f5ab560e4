/** The chains of the simulation, each behind a front of its own. */
import { join } from 'node:path'
import { openBitcoinChain } from './bitcoin/index.ts'
import type { SimulatedChain } from './chain.ts'
import { openEvmChain, type ChainOptions } from './evm/index.ts'
import { openTronChain } from './tron/index.ts'

export type { SimulatedChain } from './chain.ts'

/** @param options `dir`: an empty folder for what a node writes */
export const openChains = async (options: ChainOptions & { dir: string }): Promise<SimulatedChain[]> => {
  const { random, dir } = options
  const opened = await Promise.allSettled([
    openBitcoinChain({ ...options, random: random.of('BITCOIN'), dir: join(dir, 'bitcoin') }),
    openEvmChain('ETHEREUM', { ...options, random: random.of('ETHEREUM') }),
    openEvmChain('BINANCE_SMART_CHAIN', { ...options, random: random.of('BINANCE_SMART_CHAIN') }),
    openTronChain({ ...options, random: random.of('TRON') }),
  ])
  const chains = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = opened.find((one) => one.status === 'rejected')
  if (failed === undefined) return chains
  for (const chain of chains) await chain.close()
  throw failed.reason
}

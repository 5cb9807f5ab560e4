import { createHash } from 'node:crypto'
import type { Block, ChainTransaction } from '@bursar/chainkit'
import type { ChainAdapter } from '../../server/src/adapters/chains/port.ts'

const hex = (text: string): string => createHash('sha256').update(text).digest('hex')
/** An unknown address, in the form adapters give. */
const stranger = (seed: string): string => `0x${hex(seed).slice(0, 40)}`

export interface MadeChain {
  adapter: ChainAdapter
  /** the newest height there is */
  head: number
}

/**
 * An Ethereum without end, made as it is asked for, so that all memory of the process is the watcher's.
 * @param transfers of each block; every `oneIn`th pays one of `ours`
 */
export const makeChain = (
  name: string,
  { transfers, oneIn, ours }: { transfers: number; oneIn: number; ours: readonly string[] },
): MadeChain => {
  const hashAt = (height: number): string => `0x${hex(`${name}/${height}`)}`
  const transaction = (height: number, n: number): ChainTransaction => {
    const seed = `${name}/${height}/${n}`
    const to = n % oneIn === 0 ? ours[(height * 7_919 + n) % ours.length]! : stranger(`to ${seed}`)
    const from = stranger(`from ${seed}`)
    return {
      hash: `0x${hex(seed)}`,
      keys: [`${from}:${height}`],
      succeeded: true,
      fee: 21_000_000_000_000n,
      transfers: [{ index: 'n', contract: null, from: [from], to, units: 1_000_000_000_000_000_000n }],
    }
  }
  const blockAt = (height: number): Block => ({
    height,
    hash: hashAt(height),
    parent: hashAt(height - 1),
    time: Date.now(),
    transactions: Array.from({ length: transfers }, (_, n) => transaction(height, n)),
  })
  const chain = { head: 0 }
  const at = (height: number) => ({ height, hash: hashAt(height) })
  const adapter: Partial<ChainAdapter> = {
    network: 'ETHEREUM',
    identity: async () => name,
    capabilities: async () => ({ mempool: false, traces: true }),
    head: async () => at(chain.head),
    finalized: async () => at(Math.max(0, chain.head - 2)),
    blockAt: async (height) => (height > chain.head ? null : blockAt(height)),
    hashAt: async (height) => (height > chain.head ? null : hashAt(height)),
  }
  return Object.assign(chain, { adapter: adapter as ChainAdapter })
}

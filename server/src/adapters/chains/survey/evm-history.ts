import type { EvmNetwork } from '@bursar/chainkit'
import { readHead } from '../evm/heads.ts'
import { quantity } from '../evm/quantity.ts'
import type { Rpc } from '../rpc.ts'
import { good, poor, type Seen } from './finding.ts'

/** An address whose key is unknown and that is not a precompiled contract; for queries only, never paid. */
export const UNUSED_ADDRESS = `0x${'be'.repeat(20)}`
const STATE_DEPTHS = [16, 64, 120, 500, 1_500, 10_000, 90_000, 1_000_000]
const BLOCK_DEPTHS = [1_000, 10_000, 100_000, 1_000_000]
/**
 * Number of newest blocks whose state Bursar needs. A full node keeps 128: 25 minutes of Ethereum, but less than a
 * minute of BSC, where a ten-minute outage of the node covers 1,330 blocks.
 */
const WANTED: Readonly<Record<EvmNetwork, number>> = { ETHEREUM: 120, BINANCE_SMART_CHAIN: 1_500 }

/** Depth below the head down to which the node answers; the whole chain when that is shorter. Depths are ascending. */
const depthOf = async (
  head: number,
  depths: readonly number[],
  answers: (height: number) => Promise<boolean>,
): Promise<{ depth: number; isAll: boolean }> => {
  let depth = 0
  for (const next of [...depths.filter((one) => one < head), head]) {
    if (!(await answers(head - next))) return { depth, isAll: false }
    depth = next
  }
  return { depth, isAll: true }
}

const described = ({ depth, isAll }: { depth: number; isAll: boolean }): string =>
  isAll ? 'of the whole chain' : `of the newest ${depth} blocks at least`

export const stateHistory = async (rpc: Rpc, network: EvmNetwork): Promise<Seen> => {
  const { height } = await readHead(rpc)
  const found = await depthOf(height, STATE_DEPTHS, async (at) => {
    const answer = await rpc.ask({ method: 'eth_getBalance', params: [UNUSED_ADDRESS, quantity(at)] })
    return answer.ok && answer.result !== null
  })
  if (found.isAll || found.depth >= WANTED[network]) return good(described(found))
  const change =
    network === 'BINANCE_SMART_CHAIN'
      ? 'Use an archive node, or geth with --history.state=90000 (about half a day): after a short stop blocks can be read but not traced'
      : 'Keep at least 128 states (the default of full nodes): balances are read at final blocks'
  return poor(described(found), change)
}

export const blockHistory = async (rpc: Rpc): Promise<Seen> => {
  const { height } = await readHead(rpc)
  const found = await depthOf(height, BLOCK_DEPTHS, async (at) => {
    const answer = await rpc.ask({ method: 'eth_getBlockByNumber', params: [quantity(at), true] })
    return answer.ok && answer.result !== null
  })
  if (found.isAll || found.depth >= BLOCK_DEPTHS[0]!) return good(described(found))
  return poor(
    described(found),
    "Keep more of the chain: missing blocks can't be read after a stop of the watcher, or again by `bursar rescan`",
  )
}

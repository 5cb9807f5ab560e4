import type { FeeRate } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { listOf, objectOf } from '../shape.ts'
import { quantityOf } from './quantity.ts'

/** In wei per unit of gas */
export interface GasSettings {
  /** true: a single gas price, as on BSC; false: EIP-1559 */
  legacyGas: boolean
  /** lowest gas price or priority fee to offer. Nodes report 0 where the base fee is 0 */
  gasPriceFloor: bigint
  /** highest total price to offer */
  gasPriceCap: bigint
}

const BLOCKS = '0x14'
const PERCENTILE = 50

/** The current price to offer, within the limits. */
export const readFeeRate = (rpc: Rpc, settings: GasSettings): Promise<FeeRate> =>
  settings.legacyGas ? readGasPrice(rpc, settings) : readFees(rpc, settings)

const readGasPrice = async (rpc: Rpc, { gasPriceFloor, gasPriceCap }: GasSettings): Promise<FeeRate> => {
  const asked = await rpc.read('eth_gasPrice', [], (result) => quantityOf(result, 'the price'))
  const price = least(most(asked, gasPriceFloor), gasPriceCap)
  return { kind: 'gas', legacy: true, maxFeePerGas: price, maxPriorityFeePerGas: price }
}

/** Offers twice the base fee plus the median tip of the latest blocks. */
const readFees = async (rpc: Rpc, { gasPriceFloor, gasPriceCap }: GasSettings): Promise<FeeRate> => {
  const { base, tip } = await rpc.read('eth_feeHistory', [BLOCKS, 'latest', [PERCENTILE]], decodeHistory)
  const maxPriorityFeePerGas = most(tip, gasPriceFloor)
  const maxFeePerGas = least(2n * base + maxPriorityFeePerGas, gasPriceCap)
  return { kind: 'gas', legacy: false, maxFeePerGas, maxPriorityFeePerGas: least(maxPriorityFeePerGas, maxFeePerGas) }
}

/**
 * The base fee of the next block, and the median of the blocks' median tips. Empty blocks have no median, nor do blocks
 * whose receipts the node lacks (geth).
 */
const decodeHistory = (result: unknown): { base: bigint; tip: bigint } => {
  const { baseFeePerGas, gasUsedRatio, reward } = objectOf(result, 'the history')
  const used = listOf(gasUsedRatio, 'gasUsedRatio')
  const tips = listOf(reward ?? [], 'reward')
    .filter((_, at) => used[at] !== 0)
    .flatMap((tips) => listOf(tips ?? [], 'a reward').slice(0, 1))
    .map((tip) => quantityOf(tip, 'a reward'))
    .toSorted((a, b) => (a < b ? -1 : 1))
  const base = quantityOf(listOf(baseFeePerGas, 'baseFeePerGas').at(-1), 'the base fee')
  return { base, tip: tips[Math.floor(tips.length / 2)] ?? 0n }
}

const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

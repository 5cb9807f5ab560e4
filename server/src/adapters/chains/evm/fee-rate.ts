import type { FeeRate } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { listOf, objectOf } from '../shape.ts'
import { quantityOf } from './quantity.ts'

/** wei for each unit of gas */
export interface GasSettings {
  /** one gas price, as on BSC; else EIP-1559 */
  legacyGas: boolean
  /** the least a block's maker is offered: the gas price, or the priority fee. Nodes name 0 where the base fee is 0 */
  gasPriceFloor: bigint
  /** the most that is ever offered in all */
  gasPriceCap: bigint
}

const BLOCKS = '0x14'
const PERCENTILE = 50

/** What to offer now, within bounds. */
export const readFeeRate = (rpc: Rpc, settings: GasSettings): Promise<FeeRate> =>
  settings.legacyGas ? readGasPrice(rpc, settings) : readFees(rpc, settings)

const readGasPrice = async (rpc: Rpc, { gasPriceFloor, gasPriceCap }: GasSettings): Promise<FeeRate> => {
  const asked = await rpc.read('eth_gasPrice', [], (result) => quantityOf(result, 'the price'))
  const price = least(most(asked, gasPriceFloor), gasPriceCap)
  return { kind: 'gas', legacy: true, maxFeePerGas: price, maxPriorityFeePerGas: price }
}

/** Room for the base fee to double, and the tip that half of what was mined lately gave at most. */
const readFees = async (rpc: Rpc, { gasPriceFloor, gasPriceCap }: GasSettings): Promise<FeeRate> => {
  const { base, tip } = await rpc.read('eth_feeHistory', [BLOCKS, 'latest', [PERCENTILE]], decodeHistory)
  const maxPriorityFeePerGas = most(tip, gasPriceFloor)
  const maxFeePerGas = least(2n * base + maxPriorityFeePerGas, gasPriceCap)
  return { kind: 'gas', legacy: false, maxFeePerGas, maxPriorityFeePerGas: least(maxPriorityFeePerGas, maxFeePerGas) }
}

/**
 * The base fee of the next block, and the median of blocks' median tips; empty blocks have none, nor do blocks whose
 * receipts the node lacks (geth).
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

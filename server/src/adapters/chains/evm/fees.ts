import { ChainUnavailable, type FeeRate } from '../port.ts'
import type { RpcClient } from '../json-rpc.ts'
import { quantity } from './wire.ts'

export interface GasSettings {
  /** true: one gas price (BSC); false: EIP-1559 */
  legacyGas: boolean
  /** wei for each unit of gas: never offer less */
  gasPriceFloor: bigint
  /** wei for each unit of gas: never offer more */
  gasPriceCap: bigint
}

const REWARD_PERCENTILE = 50
const HISTORY_BLOCKS = '0x5'

/** What to offer now: enough for the base fee to double, and the tip that half of recent transactions gave. */
export const readFeeRate = async (rpc: RpcClient, { legacyGas, gasPriceFloor, gasPriceCap }: GasSettings): Promise<FeeRate> => {
  const bounded = (price: bigint): bigint => min(max(price, gasPriceFloor), gasPriceCap)
  if (legacyGas) {
    const price = bounded(quantity(await rpc.call('eth_gasPrice')))
    return { kind: 'gas', legacy: true, maxFeePerGas: price, maxPriorityFeePerGas: price }
  }
  const history = (await rpc.call('eth_feeHistory', HISTORY_BLOCKS, 'latest', [REWARD_PERCENTILE])) as {
    baseFeePerGas?: string[]
    reward?: string[][] | null
  } | null
  const next = history?.baseFeePerGas?.at(-1)
  if (next === undefined) throw new ChainUnavailable('the node has no fee history')
  const tips = (history?.reward ?? []).flatMap((of) => (of[0] === undefined ? [] : [quantity(of[0])])).toSorted((a, b) => (a < b ? -1 : 1))
  const tip = max(tips[Math.floor(tips.length / 2)] ?? 0n, gasPriceFloor)
  const fee = bounded(quantity(next) * 2n + tip)
  return { kind: 'gas', legacy: false, maxFeePerGas: fee, maxPriorityFeePerGas: min(tip, fee) }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

import { satoshiOf } from '@bursar/chainkit/bitcoin'
import type { FeeRate } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { objectOf } from '../shape.ts'
import { amountText } from './block.ts'

/** Rates in thousandths of a satoshi for each virtual byte. */
export interface BitcoinFeeSettings {
  /** within how many blocks the estimate aims to be mined, 1 to 1,008 */
  targetBlocks: number
  /** never less; what is paid while the node has seen too little to estimate, as a fresh one or a test chain has */
  floor: bigint
  /** never more, whatever the node says */
  cap: bigint
}

/** The node's estimate between floor and cap, and at least what the node takes into its pool now. */
export const readFeeRate = async (rpc: Rpc, fees: BitcoinFeeSettings): Promise<FeeRate> => {
  const estimate = await rpc.read('estimatesmartfee', [fees.targetBlocks], (result) =>
    rateIn(objectOf(result, 'the estimate'), 'feerate'),
  )
  const least = await rpc.read('getmempoolinfo', [], (result) => {
    const info = objectOf(result, 'the answer')
    return [rateIn(info, 'mempoolminfee') ?? 0n, rateIn(info, 'minrelaytxfee') ?? 0n]
  })
  const wanted = [estimate ?? fees.floor, fees.floor, ...least].reduce((a, b) => (a > b ? a : b))
  return { kind: 'vbyte', milliSatPerVb: wanted < fees.cap ? wanted : fees.cap }
}

/** BTC for 1,000 vB, in satoshi for 1,000 vB: that is thousandths of a satoshi for each. */
const rateIn = (answer: Record<string, unknown>, field: string): bigint | undefined =>
  answer[field] === undefined ? undefined : satoshiOf(amountText(answer[field], field))

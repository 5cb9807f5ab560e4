import { satoshiOf } from '@bursar/chainkit/bitcoin'
import type { FeeRate } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { listOf, objectOf } from '../shape.ts'
import { amountText } from './block.ts'

/** Rates in thousandths of a satoshi for each virtual byte. */
export interface BitcoinFeeSettings {
  /** within how many blocks the estimate aims to be mined, 1 to 1,008 */
  targetBlocks: number
  /** never less; what is offered while the node has seen too little to estimate, as a fresh one or a test chain has */
  floor: bigint
  /** never more, whatever the node says */
  cap: bigint
}

/** The node's estimate, at least what it takes into its pool now, between floor and cap. */
export const readFeeRate = async (rpc: Rpc, { targetBlocks, floor, cap }: BitcoinFeeSettings): Promise<FeeRate> => {
  const estimate = await rpc.read('estimatesmartfee', [targetBlocks], decodeEstimate)
  const least = await rpc.read('getmempoolinfo', [], (result) => {
    const info = objectOf(result, 'the answer')
    return [rateIn(info, 'mempoolminfee'), rateIn(info, 'minrelaytxfee')]
  })
  const wanted = [estimate ?? 0n, floor, ...least].reduce((a, b) => (a > b ? a : b))
  return { kind: 'vbyte', milliSatPerVb: wanted < cap ? wanted : cap }
}

const decodeEstimate = (result: unknown): bigint | undefined => {
  const estimate = objectOf(result, 'the estimate')
  if (estimate['feerate'] !== undefined) return rateIn(estimate, 'feerate')
  listOf(estimate['errors'], 'errors')
  return undefined
}

/** BTC for 1,000 vB is satoshi for 1,000 vB, and that is thousandths of a satoshi for each. */
const rateIn = (answer: Record<string, unknown>, field: string): bigint => satoshiOf(amountText(answer[field], field))

import { satoshiOf } from '@bursar/chainkit/bitcoin'
import type { Rpc } from '../rpc.ts'
import { listOf, objectOf, wholeOf } from '../shape.ts'
import { amountText } from './block.ts'

const METHOD = 'getmempoolfeeratediagram'
const METHOD_NOT_FOUND = -32_601
const BLOCK_WEIGHT = 4_000_000

/**
 * Lowest rate in the next `blocks` blocks if they were built from the current pool, in thousandths of a satoshi per
 * virtual byte. The node returns cumulative weight and fee of its pool in mining order, starting at (0, 0). Undefined
 * where it can't (before Core 31), 0 when the whole pool fits.
 */
export const rateOfPool = async (rpc: Rpc, blocks: number): Promise<bigint | undefined> => {
  const answer = await rpc.ask({ method: METHOD, params: [] })
  if (!answer.ok) {
    if (answer.code === METHOD_NOT_FOUND) return undefined
    throw rpc.unavailable(METHOD, `refused: ${answer.message} (${answer.code})`)
  }
  return rpc.believe(METHOD, () => {
    const points = listOf(answer.result, 'the diagram').map((one) => {
      const { weight, fee } = objectOf(one, 'a point')
      return { weight: wholeOf(weight, 'weight'), fee: satoshiOf(amountText(fee, 'fee')) }
    })
    const capacity = blocks * BLOCK_WEIGHT
    const at = points.findIndex(({ weight }) => weight > capacity)
    if (at < 1) return 0n
    const [before, after] = [points[at - 1]!, points[at]!]
    return ((after.fee - before.fee) * 4_000n) / BigInt(after.weight - before.weight)
  })
}

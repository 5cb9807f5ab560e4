import { satoshiOf } from '@bursar/chainkit/bitcoin'
import type { Rpc } from '../rpc.ts'
import { listOf, objectOf, wholeOf } from '../shape.ts'
import { amountText } from './block.ts'

const METHOD = 'getmempoolfeeratediagram'
const METHOD_NOT_FOUND = -32_601
const BLOCK_WEIGHT = 4_000_000

/**
 * What the last transactions pay that would be in the next so many blocks if they were made of the pool as it is:
 * thousandths of a satoshi for each virtual byte. The node sums up its pool in the order of mining, weight and fee,
 * from (0, 0) on. Undefined where it can't (before Core 31), 0 where all of the pool fits.
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
    const room = blocks * BLOCK_WEIGHT
    const at = points.findIndex(({ weight }) => weight > room)
    if (at < 1) return 0n
    const [before, after] = [points[at - 1]!, points[at]!]
    return ((after.fee - before.fee) * 4_000n) / BigInt(after.weight - before.weight)
  })
}

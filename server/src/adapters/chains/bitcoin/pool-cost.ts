import { satoshiOf } from '@bursar/chainkit/bitcoin'
import type { PoolCost } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { objectOf, wholeOf } from '../shape.ts'
import { amountText } from './block.ts'
import { isNotFound } from './txindex.ts'

const METHOD = 'getmempoolentry'

/** What a transaction of the pool pays, alone and with its ancestors. Null when it is not there. */
export const readPoolCost = async (rpc: Rpc, hash: string): Promise<PoolCost | null> => {
  const answer = await rpc.ask({ method: METHOD, params: [hash] })
  if (answer.ok) return rpc.believe(METHOD, () => decode(answer.result))
  if (isNotFound(answer)) return null
  throw rpc.unavailable(METHOD, `refused: ${answer.message} (${answer.code})`)
}

/** The node counts the transaction itself among its ancestors. */
const decode = (result: unknown): PoolCost => {
  const entry = objectOf(result, 'the entry')
  const fees = objectOf(entry['fees'], 'fees')
  const vsize = wholeOf(entry['vsize'], 'vsize')
  const fee = satoshiOf(amountText(fees['base'], 'fees.base'))
  const all = satoshiOf(amountText(fees['ancestor'], 'fees.ancestor'))
  return { vsize, fee, ancestors: { vsize: wholeOf(entry['ancestorsize'], 'ancestorsize') - vsize, fee: all - fee } }
}

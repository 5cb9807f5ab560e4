import { satoshiOf } from '@bursar/chainkit/bitcoin'
import type { Coin } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { objectOf } from '../shape.ts'
import { amountText } from './block.ts'

const METHOD = 'gettxout'

/**
 * What unspent outputs of the best chain hold, in satoshi; null for one that is spent there or was never made. The pool
 * does not count.
 */
export const readCoins = async (rpc: Rpc, coins: readonly Coin[]): Promise<(bigint | null)[]> => {
  const answers = await rpc.askAll(
    coins.map(({ transaction, vout }) => ({ method: METHOD, params: [transaction, vout, false] })),
  )
  return answers.map((answer) => {
    if (!answer.ok) throw rpc.unavailable(METHOD, `refused: ${answer.message} (${answer.code})`)
    if (answer.result === null) return null
    return rpc.believe(METHOD, () => satoshiOf(amountText(objectOf(answer.result, 'an output')['value'], 'value')))
  })
}

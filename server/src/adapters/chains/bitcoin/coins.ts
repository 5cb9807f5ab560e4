import { satoshiOf } from '@bursar/chainkit/bitcoin'
import type { Coin } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { objectOf } from '../shape.ts'
import { amountText } from './block.ts'

const METHOD = 'gettxout'

/**
 * Values of unspent outputs on the best chain, in satoshi; null for one that is spent there or does not exist.
 * Transactions in the pool are ignored.
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

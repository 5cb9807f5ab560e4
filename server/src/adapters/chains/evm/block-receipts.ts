import type { Head } from '@bursar/chainkit'
import { NoAnswer, TooLong, TooMuch } from '../exchange.ts'
import { TooFast } from '../pauses.ts'
import { ChainUnavailable } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import type { RpcAnswer } from '../rpc-answer.ts'
import { readHeadAt } from './heads.ts'
import { decodeReceipts, decodeSingleReceipts, type Receipt } from './receipts.ts'

const METHOD = 'eth_getBlockReceipts'

/** Result for receipts longer than the given limit. */
export const LONG = 'long'

/**
 * Reads the receipts of a block by its hash; undefined when it is no longer on the best chain. They are read one by one
 * when the node lacks or fails the block method, when its list is inconsistent, or when the list is too long or takes
 * too long: a block full of empty logs has about a byte of receipts per unit of gas.
 * @param most maximum bytes of the list; a longer one gives `LONG`. When absent, the general limit applies
 */
export const readReceipts = async (
  rpc: Rpc,
  block: Head,
  hashes: readonly string[],
  most?: number,
): Promise<Receipt[] | typeof LONG | undefined> => {
  if (hashes.length === 0) return []
  const whole = await askForAll(rpc, block, hashes, most)
  if (whole === LONG || Array.isArray(whole)) return whole
  if ((await readHeadAt(rpc, block.height))?.hash !== block.hash) return undefined
  const answers = await rpc.askAll(hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })))
  if ((await readHeadAt(rpc, block.height))?.hash !== block.hash) return undefined
  const refused = answers.find((answer) => !answer.ok || answer.result === null)
  if (refused)
    throw rpc.unavailable(METHOD, `${whole}, and of one of its transactions ${wordsOf(refused)}: block ${block.height}`)
  return rpc.believe('eth_getTransactionReceipt', () =>
    decodeSingleReceipts(
      answers.map((answer) => (answer.ok ? answer.result : null)),
      block.hash,
      hashes,
    ),
  )
}

/** The receipts, or why they can't be read as a list. */
const askForAll = async (
  rpc: Rpc,
  { hash }: Head,
  hashes: readonly string[],
  most: number | undefined,
): Promise<Receipt[] | string> => {
  try {
    const answer = await rpc.ask({ method: METHOD, params: [hash] }, most === undefined ? {} : { maxBytes: most })
    if (!answer.ok || answer.result === null) return wordsOf(answer)
    return rpc.believe(METHOD, () => decodeReceipts(answer.result, hash, hashes))
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    const { cause } = error
    if (most !== undefined && cause instanceof TooLong) return LONG
    // Reading one by one would send a hundred requests to a node that asks for fewer.
    if (cause instanceof TooFast || (cause instanceof NoAnswer && !(cause instanceof TooMuch))) throw error
    return error.message
  }
}

const wordsOf = (answer: RpcAnswer): string => (answer.ok ? 'the answer is null' : `${answer.message} (${answer.code})`)

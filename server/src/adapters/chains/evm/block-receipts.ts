import type { Head } from '@bursar/chainkit'
import { NoAnswer, TooLong, TooMuch } from '../exchange.ts'
import { TooFast } from '../pauses.ts'
import { ChainUnavailable } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import type { RpcAnswer } from '../rpc-answer.ts'
import { readHeadAt } from './heads.ts'
import { decodeReceipts, decodeSingleReceipts, type Receipt } from './receipts.ts'

const METHOD = 'eth_getBlockReceipts'

/** The receipts have more bytes than were to be read. */
export const LONG = 'long'

/**
 * The receipts of a block, by its hash; undefined when it is no longer on the best chain. They are asked for one by one
 * where the node has no such method, fails at it, gives a list that does not fit, or where the list is longer than is
 * read or takes too long: a block full of empty logs has about a byte of receipts for each unit of gas.
 * @param most bytes of the list; a longer one is `LONG`. As many as are ever read when absent
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

/** The receipts, or why they can't be had so. */
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
    // To ask for them one by one asks a node that wants fewer questions a hundred.
    if (cause instanceof TooFast || (cause instanceof NoAnswer && !(cause instanceof TooMuch))) throw error
    return error.message
  }
}

const wordsOf = (answer: RpcAnswer): string => (answer.ok ? 'the answer is null' : `${answer.message} (${answer.code})`)

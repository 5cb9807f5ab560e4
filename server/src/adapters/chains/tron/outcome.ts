import { listOf, Malformed, objectOf } from '../shape.ts'
import { amountOf, hashOf, type Fields } from './fields.ts'

/** Answer of `gettransactioninfo…` for a mined transaction. */
export type Info = Fields

/**
 * True only when the block reports SUCCESS and the receipt does not contradict it. Failed transactions are in blocks
 * too, with their fee burnt: REVERT, OUT_OF_ENERGY, OUT_OF_TIME and more (`contractResult` in Tron.proto).
 */
export const succeededBy = (contractRet: unknown, info: Info): boolean => {
  const receipt = objectOf(info['receipt'] ?? {}, 'the receipt')
  const { result } = receipt
  return contractRet === 'SUCCESS' && info['result'] !== 'FAILED' && (result === undefined || result === 'SUCCESS')
}

/** Fee in sun: everything that the transaction burnt, for energy, bandwidth and other reasons. */
export const feeOf = (info: Info): bigint => amountOf(info['fee'], 'fee')

/** Result of a transaction in its block; absent in the oldest blocks. */
export const contractRetOf = (transaction: Fields): unknown => {
  const [first] = listOf(transaction['ret'] ?? [], 'ret')
  return first === undefined ? undefined : objectOf(first, 'ret')['contractRet']
}

/** Decodes a block's infos by transaction. There must be one for each, all of this height. */
export const decodeInfos = (answer: unknown, height: number, hashes: readonly string[]): Map<string, Info> => {
  const infos = listOf(answer, 'the infos').map((one) => objectOf(one, 'an info'))
  const byHash = new Map(infos.map((info) => [hashOf(info['id'], 'the id of an info'), info]))
  for (const hash of hashes) {
    const info = byHash.get(hash)
    if (!info) throw new Malformed(`no info of ${hash}`)
    if (amountOf(info['blockNumber'], 'blockNumber') !== BigInt(height)) throw new Malformed(`an info of another block`)
  }
  return byHash
}

import { listOf, Malformed, objectOf } from '../shape.ts'
import { amountOf, hashOf, type Fields } from './fields.ts'

/** What `gettransactioninfo…` shows of a transaction in a block. */
export type Info = Fields

/**
 * True only when the block says SUCCESS and nothing in the receipt says otherwise. Transactions that failed are in
 * blocks too, with their fee burnt: REVERT, OUT_OF_ENERGY, OUT_OF_TIME and more (`contractResult` in Tron.proto).
 */
export const succeededBy = (contractRet: unknown, info: Info): boolean => {
  const receipt = objectOf(info['receipt'] ?? {}, 'the receipt')
  const { result } = receipt
  return contractRet === 'SUCCESS' && info['result'] !== 'FAILED' && (result === undefined || result === 'SUCCESS')
}

/** sun: energy, bandwidth and whatever else the transaction burnt. */
export const feeOf = (info: Info): bigint => amountOf(info['fee'], 'fee')

/** What the block says came of a transaction; absent on the oldest blocks. */
export const contractRetOf = (transaction: Fields): unknown => {
  const [first] = listOf(transaction['ret'] ?? [], 'ret')
  return first === undefined ? undefined : objectOf(first, 'ret')['contractRet']
}

/** A block's infos by transaction: one for each of them, and of this height. */
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

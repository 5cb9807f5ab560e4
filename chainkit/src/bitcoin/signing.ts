import { SigHash } from '@scure/btc-signer'
import { toTransaction } from './psbt.ts'
import type { Psbt } from './psbt.ts'
import { extract } from './transaction.ts'
import type { FinalTransaction } from './transaction.ts'

/**
 * Signs every input with the key at the same index, over all inputs and outputs (SIGHASH_ALL), deterministically (RFC
 * 6979, low S, low R). The transaction is rebuilt from `psbt`, so that nothing else can be signed. Throws an Error when
 * a key does not belong to its input.
 */
export function signPayout(psbt: Psbt, privateKeys: readonly Uint8Array[]): FinalTransaction {
  if (privateKeys.length !== psbt.inputs.length) throw new RangeError('There must be one key for each input')
  const transaction = toTransaction(psbt)
  privateKeys.forEach((key, at) => transaction.signIdx(key, at, [SigHash.ALL]))
  return extract(transaction)
}

/** Shows blocks and mined transactions in java-tron's JSON. */
import { hexOf } from '../bytes.ts'
import { addressJson } from '../codec/json.ts'
import type { Json } from '../codec/json.ts'
import { transactionJson } from '../codec/transaction-json.ts'
import { blockVersion, headerBytes, transactionRoot } from '../blocks/block.ts'
import type { Block, MinedTransaction } from '../blocks/block.ts'
import { signBytes } from '../blocks/signature.ts'
import { witnessAddress, witnessKey } from '../blocks/witness.ts'

const signatures = new WeakMap<Block, Promise<Uint8Array>>()

/** The witness signs a block when it is first read: most blocks of a sandbox are never read. */
const signatureOf = (block: Block): Promise<Uint8Array> => {
  const known = signatures.get(block) ?? signBytes(headerBytes(block), witnessKey(block.witness))
  signatures.set(block, known)
  return known
}

export const blockJson = async (block: Block | undefined, visible: boolean, detail = true): Promise<Json> => {
  if (block === undefined) return {}
  const signature = await signatureOf(block)
  return {
    blockID: block.id,
    block_header: {
      raw_data: {
        ...(block.number === 0 ? {} : { number: BigInt(block.number) }),
        txTrieRoot: hexOf(transactionRoot(block.transactions)),
        witness_address: addressJson(witnessAddress(block.witness), visible),
        parentHash: block.parent,
        version: blockVersion,
        timestamp: BigInt(block.timestamp),
      },
      witness_signature: hexOf(signature),
    },
    ...(detail && block.transactions.length > 0
      ? { transactions: block.transactions.map((transaction) => minedJson(transaction, visible)) }
      : {}),
  }
}

export const minedJson = (transaction: MinedTransaction, visible: boolean): Json => ({
  ret: [{ contractRet: transaction.receipt.run?.result ?? 'SUCCESS' }],
  ...transactionJson(transaction, visible),
})

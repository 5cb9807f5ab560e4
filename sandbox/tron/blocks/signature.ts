/** Verifies a transaction's signature: recovers the key from the bytes and compares it with the owner. */
import { recoverPublicKey } from 'viem'
import { sign } from 'viem/accounts'
import { addressOfKey, base58Of } from '../address.ts'
import type { Address } from '../address.ts'
import { bytesOf, hexOf, sha256 } from '../bytes.ts'
import type { SignedTransaction } from '../codec/transaction.ts'
import { TransactionRefusal } from './refusal.ts'

/** Owner and the usual active permission have the account's own key; other permissions are not part of this chain. */
const permissions: readonly bigint[] = [0n, 2n]

/** Throws TransactionRefusal. */
export const verifySignature = async (transaction: SignedTransaction): Promise<void> => {
  const { raw, signatures, id } = transaction
  const refuse = (why: string): never => {
    throw new TransactionRefusal('SIGERROR', `Validate signature error: ${why}`)
  }
  if (signatures.length === 0) refuse('miss sig or contract')
  if (!permissions.includes(raw.permissionId)) refuse("permission isn't exit")
  if (signatures.length > 1) refuse(`Signature count is ${signatures.length} more than key counts of permission : 1`)
  const signature = signatures[0] as Uint8Array
  if (signature.length !== 65) refuse(`Signature size is ${signature.length}`)
  const signer = await signerOf(id, signature)
  if (signer !== raw.contract.value.owner_address) {
    const name = signer === undefined ? 'nobody' : base58Of(signer)
    refuse(`${hexOf(signature)} is signed by ${name} but it is not contained of permission.`)
  }
}

const signerOf = async (id: string, signature: Uint8Array): Promise<Address | undefined> => {
  try {
    const bytes = Uint8Array.from(signature)
    bytes[64] = (bytes[64] as number) % 27
    const key = await recoverPublicKey({ hash: `0x${id}`, signature: `0x${hexOf(bytes)}` })
    return addressOfKey(bytesOf(key))
  } catch {
    return undefined
  }
}

/** r, s, v of the sha256 of the bytes. */
export const signBytes = async (bytes: Uint8Array, key: string): Promise<Uint8Array> =>
  bytesOf(await sign({ hash: `0x${hexOf(sha256(bytes))}`, privateKey: `0x${key}`, to: 'hex' }))

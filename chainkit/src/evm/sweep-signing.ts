import { authorizationHash } from './authorization.ts'
import type { Hex } from './hex.ts'
import type { TransferCall } from './relay-call.ts'
import { serializeSignedSetCode, setCodeSigningHash } from './set-code.ts'
import type { SetCodeDraft, SetCodeTransaction } from './set-code.ts'
import { transactionHash } from './signed.ts'
import { signHash } from './signing.ts'
import { transferDigest } from './typed-data.ts'
import type { TokenDomain } from './typed-data.ts'

/**
 * Signs each authorisation with its own key, then the transaction with the sender's. Signatures are deterministic, so
 * that a replacement with the same authorisations has the same ones.
 * @param authorityKeys one per authorisation, in the same order
 */
export const signSetCode = (
  draft: SetCodeDraft,
  authorityKeys: readonly Uint8Array[],
  senderKey: Uint8Array,
): { raw: Uint8Array; hash: Hex } => {
  const authorizations = draft.authorizations.map((authorization, index) => ({
    ...authorization,
    signature: signHash(authorizationHash(authorization), keyAt(authorityKeys, index)),
  }))
  const transaction: SetCodeTransaction = { ...draft, authorizations }
  const raw = serializeSignedSetCode(transaction, signHash(setCodeSigningHash(transaction), senderKey))
  return { raw, hash: transactionHash(raw) }
}

/**
 * Signs transfers to the treasury (EIP-3009).
 * @param keys one per transfer, in the same order
 */
export const signTransfers = (
  call: TransferCall,
  domain: TokenDomain,
  treasury: Hex,
  keys: readonly Uint8Array[],
): TransferCall => ({
  ...call,
  transfers: call.transfers.map((transfer, index) => {
    const digest = transferDigest(domain, { ...transfer, to: treasury, validBefore: call.validBefore })
    return { ...transfer, signature: signHash(digest, keyAt(keys, index)) }
  }),
})

const keyAt = (keys: readonly Uint8Array[], index: number): Uint8Array => {
  const key = keys[index]
  if (!key) throw new RangeError('a key is missing')
  return key
}

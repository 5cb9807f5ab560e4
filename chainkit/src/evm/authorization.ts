import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { addressOfBytes } from './address.ts'
import { fromHex, numberToBytes } from './hex.ts'
import type { Hex } from './hex.ts'
import { encodeRlp } from './rlp.ts'
import type { RlpItem } from './rlp.ts'
import { recoverSigner } from './signed.ts'
import type { Signature } from './signed.ts'
import { number, string } from './transaction.ts'

/**
 * Permission of an account to run the code of another one (EIP-7702). It uses a nonce of the account: it is valid while
 * the account's nonce equals it, and applying it increments the account's nonce.
 */
export interface Authorization {
  /** never 0, which EIP-7702 accepts on every chain, because we use the same keys on several chains */
  chainId: bigint
  /** contract whose code is run; EIP-55 */
  delegate: Hex
  nonce: bigint
}

export interface SignedAuthorization extends Authorization {
  signature: Signature
}

const MAGIC = 0x05
const UINT64 = 2n ** 64n

/**
 * The nonce the next authorisation of an account needs.
 * @param accountNonce nonce of the account before the transaction with the authorisation
 * @param isSender whether the account itself sends that transaction, which increments its nonce first
 * @param before number of authorisations of the same account earlier in the list
 */
export const authorizationNonce = (accountNonce: bigint, isSender: boolean, before = 0): bigint =>
  accountNonce + (isSender ? 1n : 0n) + BigInt(before)

/** The hash the account signs: keccak-256 of 0x05 and RLP of chain id, delegate and nonce. Throws a RangeError. */
export const authorizationHash = (authorization: Authorization): Uint8Array =>
  keccak_256(concatBytes(Uint8Array.of(MAGIC), encodeRlp(authorizationFields(authorization))))

export const authorizationFields = (authorization: Authorization): Uint8Array[] => {
  const { chainId, delegate, nonce } = checked(authorization)
  return [numberToBytes(chainId), fromHex(delegate), numberToBytes(nonce)]
}

export const signedFields = ({ signature: { r, s, yParity }, ...authorization }: SignedAuthorization): Uint8Array[] => [
  ...authorizationFields(authorization),
  ...[BigInt(yParity), r, s].map(numberToBytes),
]

/** Parses an unsigned authorisation. Throws a RangeError for any form that we do not write. */
export const readAuthorization = (item: RlpItem | undefined): Authorization => readFields(listOf(item, 3))

/**
 * Parses a signed authorisation. Throws a RangeError for any form that we do not write, and for an invalid signature.
 */
export const readSignedAuthorization = (item: RlpItem | undefined): SignedAuthorization => {
  const items = listOf(item, 6)
  const [parity, r, s] = items.slice(3).map(number) as [bigint, bigint, bigint]
  if (parity > 1n) throw new RangeError("an authorisation's parity is neither 0 nor 1")
  const signed = { ...readFields(items), signature: { r, s, yParity: Number(parity) as 0 | 1 } }
  authorityOf(signed)
  return signed
}

/**
 * The signer's address (EIP-55). Throws a RangeError for a high s (EIP-2 applies here too), an Error when no key can
 * have made the signature.
 */
export const authorityOf = ({ signature, ...authorization }: SignedAuthorization): Hex =>
  recoverSigner(authorizationHash(authorization), signature)

const readFields = ([chainId, delegate, nonce]: readonly RlpItem[]): Authorization =>
  checked({ chainId: number(chainId), delegate: addressOfBytes(string(delegate)), nonce: number(nonce) })

const listOf = (item: RlpItem | undefined, length: number): readonly RlpItem[] => {
  if (!Array.isArray(item) || item.length !== length) throw new RangeError(`an authorisation has ${length} fields`)
  return item as readonly RlpItem[]
}

const checked = (authorization: Authorization): Authorization => {
  const { chainId, nonce } = authorization
  if (chainId === 0n) throw new RangeError('an authorisation for every chain is never made')
  if (chainId < 0n || chainId >= UINT64) throw new RangeError("an authorisation's chain id is out of range")
  if (nonce < 0n || nonce >= UINT64 - 1n) throw new RangeError("an authorisation's nonce is out of range")
  return authorization
}

import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import {
  authorityOf,
  authorizationFields,
  readAuthorization,
  readSignedAuthorization,
  signedFields,
} from './authorization.ts'
import type { Authorization, SignedAuthorization } from './authorization.ts'
import { numberToBytes } from './hex.ts'
import type { Hex } from './hex.ts'
import { decodeRlp, encodeRlp } from './rlp.ts'
import type { RlpItem } from './rlp.ts'
import { recoverSigner, transactionHash } from './signed.ts'
import type { Signature } from './signed.ts'
import { assertRanges, fieldsOf, number, readEip1559 } from './transaction.ts'
import type { Eip1559Transaction, TransactionRefusal } from './transaction.ts'

/**
 * EIP-7702: a transaction that first sets the delegates of accounts, each by its own signed authorisation, and then
 * makes a call. It is deliberately not part of `UnsignedTransaction`, so that code for payments never receives one.
 */
export interface SetCodeTransaction<Leave = SignedAuthorization> extends Omit<Eip1559Transaction, 'type'> {
  type: 'eip7702'
  /** at least one */
  authorizations: Leave[]
}

/** The signer's input: everything except the signatures. */
export type SetCodeDraft = SetCodeTransaction<Authorization>

export interface SignedSetCode {
  transaction: SetCodeTransaction
  signature: Signature
  /** sender, who pays the gas; EIP-55 */
  from: Hex
  hash: Hex
}

const EIP7702_TYPE = 0x04
const CALL_FIELDS = 9
const SIGNATURE_FIELDS = 3

/** Serialises the draft. No network accepts it, because its authorisations are unsigned. Throws a RangeError. */
export const serializeDraft = (draft: SetCodeDraft): Uint8Array =>
  typed([...callFields(draft), draft.authorizations.map(authorizationFields)])

/** The bytes whose hash the sender signs. Throws a RangeError when a field is out of its range. */
export const serializeUnsignedSetCode = (transaction: SetCodeTransaction): Uint8Array =>
  typed([...callFields(transaction), transaction.authorizations.map(signedFields)])

export const setCodeSigningHash = (transaction: SetCodeTransaction): Uint8Array =>
  keccak_256(serializeUnsignedSetCode(transaction))

export const serializeSignedSetCode = (transaction: SetCodeTransaction, { r, s, yParity }: Signature): Uint8Array =>
  typed([
    ...callFields(transaction),
    transaction.authorizations.map(signedFields),
    ...[BigInt(yParity), r, s].map(numberToBytes),
  ])

/** Parses the encoding that `serializeDraft` writes, and no other. Never throws. */
export const parseDraft = (bytes: Uint8Array): SetCodeDraft | Refused<TransactionRefusal> =>
  reading(bytes, (items) => {
    if (items.length !== CALL_FIELDS + 1) throw new RangeError(`it has ${items.length} fields, not ${CALL_FIELDS + 1}`)
    return readSetCode(items, readAuthorization)
  })

/** Parses a serialised signed transaction and recovers its sender. Never throws. */
export const parseSignedSetCode = (raw: Uint8Array): SignedSetCode | Refused<TransactionRefusal> =>
  reading(raw, (items) => {
    const length = CALL_FIELDS + 1 + SIGNATURE_FIELDS
    if (items.length !== length) throw new RangeError(`it has ${items.length} fields, not ${length}`)
    const transaction = readSetCode(items, readSignedAuthorization)
    const [parity, r, s] = items.slice(-SIGNATURE_FIELDS).map(number) as [bigint, bigint, bigint]
    if (parity > 1n) throw new RangeError('its parity is neither 0 nor 1')
    const signature: Signature = { r, s, yParity: Number(parity) as 0 | 1 }
    const from = recoverSigner(setCodeSigningHash(transaction), signature)
    return { transaction, signature, from, hash: transactionHash(raw) }
  })

/** The accounts that signed the authorisations, in the order of the list; EIP-55. */
export const authoritiesOf = ({ authorizations }: SetCodeTransaction): Hex[] => authorizations.map(authorityOf)

const typed = (fields: readonly RlpItem[]): Uint8Array => concatBytes(Uint8Array.of(EIP7702_TYPE), encodeRlp(fields))

const callFields = ({ authorizations, ...call }: SetCodeTransaction<unknown>): RlpItem[] => {
  if (authorizations.length === 0) throw new RangeError('a transaction of this kind has an authorisation')
  const eip1559 = { ...call, type: 'eip1559' } as const
  assertRanges(eip1559)
  return fieldsOf(eip1559)
}

const readSetCode = <Leave>(
  items: readonly RlpItem[],
  read: (item: RlpItem | undefined) => Leave,
): SetCodeTransaction<Leave> => {
  const list = items[CALL_FIELDS]
  if (!Array.isArray(list) || list.length === 0) throw new RangeError('it has no authorisation')
  const call = readEip1559(items.slice(0, CALL_FIELDS), CALL_FIELDS)
  return { ...call, type: 'eip7702', authorizations: (list as readonly RlpItem[]).map(read) }
}

const reading = <Result>(
  bytes: Uint8Array,
  read: (items: readonly RlpItem[]) => Result,
): Result | Refused<TransactionRefusal> => {
  if (bytes[0] !== EIP7702_TYPE) return refuse('unsupported', 'Not a transaction of EIP-7702')
  try {
    const items = decodeRlp(bytes.slice(1))
    if (items instanceof Uint8Array) throw new RangeError('it is not a list')
    return read(items)
  } catch (error) {
    return refuse('not-parsable', `Not a transaction of EIP-7702: ${(error as Error).message}`)
  }
}

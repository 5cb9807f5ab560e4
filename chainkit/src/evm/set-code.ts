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
 * EIP-7702: a transaction that first lets accounts delegate, each with its own signature, and then calls. It is a kind
 * of its own and not among `UnsignedTransaction`: what reads payments can't meet one.
 */
export interface SetCodeTransaction<Leave = SignedAuthorization> extends Omit<Eip1559Transaction, 'type'> {
  type: 'eip7702'
  /** at least one */
  authorizations: Leave[]
}

/** What the signer is handed: everything but the signatures. */
export type SetCodeDraft = SetCodeTransaction<Authorization>

export interface SignedSetCode {
  transaction: SetCodeTransaction
  signature: Signature
  /** who sends and pays, EIP-55 */
  from: Hex
  hash: Hex
}

const EIP7702_TYPE = 0x04
const CALL_FIELDS = 9
const SIGNATURE_FIELDS = 3

/** The draft as bytes. No network takes it: its authorisations lack their signatures. Throws a RangeError. */
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

/** Reads what `serializeDraft` writes, and no other spelling. Never throws. */
export const parseDraft = (bytes: Uint8Array): SetCodeDraft | Refused<TransactionRefusal> =>
  reading(bytes, (items) => {
    if (items.length !== CALL_FIELDS + 1) throw new RangeError(`it has ${items.length} fields, not ${CALL_FIELDS + 1}`)
    return readSetCode(items, readAuthorization)
  })

/** Reads a signed transaction as it travels, and recovers who sends it. Never throws. */
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

/** Who let themselves be delegated, in the order of the list; EIP-55. */
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

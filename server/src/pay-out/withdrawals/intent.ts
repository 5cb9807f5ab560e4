import { createHash } from 'node:crypto'
import type { NewId } from '../../platform/base/id.ts'
import type { AnswerKey } from '../../platform/api/route.ts'

/**
 * What tells one order of a merchant from every other, the best name first: the `localId`, the Idempotency-Key, the
 * signature.
 */
export interface OrderNames {
  localId: string | null
  answerKeys: readonly Pick<AnswerKey, 'key'>[]
}

/**
 * The id that the signer knows an order's payment by. It is made of what the merchant sent, so that the same order is
 * the same payment for the signer even when this database has forgotten the first one: the signer then refuses to pay
 * it twice.
 */
export const intentOfOrder = (merchantId: string, { localId, answerKeys }: OrderNames, newId: NewId): string => {
  const keyOf = (kind: 'key:' | 'sig:'): string | undefined => answerKeys.find(({ key }) => key.startsWith(kind))?.key
  const name = localId === null ? (keyOf('key:') ?? keyOf('sig:')) : `local:${localId}`
  return name === undefined ? newId() : intentIdOf(merchantId, name)
}

/**
 * The id of the payment that takes the place of one whose id serves no more. It is made of that one, so that every copy
 * of the database gives it the same, and the signer refuses to pay it twice.
 */
export const nextIntentOf = ({ merchantId, intentId }: { merchantId: string; intentId: string }): string =>
  intentIdOf(merchantId, `after:${intentId}`)

/**
 * UUID version 8 (RFC 9562) of a merchant and a name: the same for the same, in every process and after every restore.
 */
export const intentIdOf = (merchantId: string, name: string): string => {
  const bytes = createHash('sha256').update(`bursar intent v1\n${merchantId}\n${name}`).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

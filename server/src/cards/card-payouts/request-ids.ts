/** Ids of payments that are made for a request of a member: the same each time, also in a restored database. */
import { createHash } from 'node:crypto'

/** The id of the payment for a request: a UUID of version 8 (RFC 9562, 5.8), which no other payment has. */
export const idForRequest = (requestId: string): string => {
  const bytes = createHash('sha256').update(`card payout of request ${requestId} 1`).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const VERSION_AT = 14

export const isForRequest = (id: string): boolean => id[VERSION_AT] === '8'

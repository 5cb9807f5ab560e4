/** Ids of payments that are made for a request of a member: the same each time, also in a restored database. */
import { uuidOf } from '../../platform/base/id.ts'

/** The id of the payment for a request: a UUID of version 8, which no other payment has. */
export const idForRequest = (requestId: string): string => uuidOf(`card payout of request ${requestId} 1`)

const VERSION_AT = 14

export const isForRequest = (id: string): boolean => id[VERSION_AT] === '8'

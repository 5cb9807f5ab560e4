import { placedUnder } from '../postings/index.ts'
import { operations } from '@bursar/contract'
import type { Db } from '../../platform/db/index.ts'
import type { Route } from '../../platform/api/route.ts'

/** An order as its newest notification states it; undefined when the module has none with this id. */
export type OrderFinder = (merchantId: string, id: string) => Promise<Record<string, unknown> | undefined>

/**
 * Finds the order that was placed under a localId. An empty answer means that there is none and that it may be placed
 * again. An order that exists but can't be shown is an error, never an empty answer.
 * @param finders by the operation that places; throws an Error unless every operation that moves money has one
 */
export const orderLookupRoutes = (db: Db, finders: Readonly<Record<string, OrderFinder>>): Route[] => {
  const missing = operations.filter(({ id, movesMoney }) => movesMoney && finders[id] === undefined)
  if (missing.length > 0)
    throw new Error(`no lookup finds orders of these operations: ${missing.map(({ id }) => id).join(', ')}`)
  return [
    {
      operation: 'findWithdrawals',
      handle: async ({ merchantId, query }) => {
        const localId = query.localId!
        const placed = await placedUnder(db, merchantId, localId)
        if (!placed) return { status: 200, body: [] }
        const found = await finders[placed.operation]?.(merchantId, placed.objectId)
        if (!found) throw new Error(`${placed.operation} ${placed.objectId} has a localId and is not to be found`)
        return { status: 200, body: [{ ...found, ...failReasonOf(found), localId }] }
      },
    },
  ]
}

/** Gives the field one name: notifications of exchanges and of withdrawals name it differently. */
const failReasonOf = ({ failedReason }: Record<string, unknown>): Record<string, unknown> =>
  failedReason === undefined ? {} : { failReason: failedReason }

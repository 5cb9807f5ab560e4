import { generalErrors } from '@bursar/contract'
import type { Catalogue } from '../../market/assets/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { Db } from '../../platform/db/index.ts'
import { type Route, refusal } from '../../platform/api/route.ts'
import { depositBody } from './notice.ts'
import { findDeposit } from './queries.ts'

/** Lookups of deposits. A deposit of another merchant gets the same answer as one that does not exist. */
export const depositRoutes = ({ db, catalogue }: { db: Db; catalogue: Catalogue }): Route[] => [
  {
    operation: 'getDeposit',
    handle: async ({ merchantId, params }) => {
      const id = params.id!.toLowerCase()
      const deposit = isUuid(id) ? await findDeposit(db, merchantId, id) : undefined
      if (!deposit) {
        throw refusal(generalErrors.notFound, 'no such deposit: check its id')
      }
      return { status: 200, body: depositBody(deposit, catalogue) }
    },
  },
]

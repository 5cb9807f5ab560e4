import { eventPage } from '@bursar/contract'
import type { Db } from '../../platform/db/index.ts'
import type { Route } from '../../platform/api/route.ts'
import { listEvents, type EventRow } from './queries.ts'

/** Operations of the merchant API that this module serves. */
export const webhookRoutes = ({ db }: { db: Db }): Route[] => [
  {
    operation: 'listEvents',
    handle: async ({ merchantId, query }) => {
      const after = Number(query.after)
      const events = await listEvents(db, merchantId, after, Number(query.limit ?? eventPage.default))
      const next = events.at(-1)?.sequence ?? after
      return { status: 200, json: `{"events":[${events.map(eventJson).join(',')}],"next":${next}}` }
    },
  },
]

/** Inserts the stored body unchanged, so that its bytes are those that were signed. */
const eventJson = ({ body, createdAt, ...event }: EventRow): string =>
  `${JSON.stringify({ ...event, createdAt: createdAt.getTime() }).slice(0, -1)},"body":${body}}`

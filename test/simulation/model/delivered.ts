/** Each notification has arrived, or a worker will try it again, once everything has come to rest. */
import { sql } from 'kysely'
import { clientOf } from '../merchants.ts'
import type { Simulation } from '../simulation.ts'
import { recordsOf } from './events.ts'

/** @returns notifications that are lost, in one line each */
export const compareDelivered = async ({ clock, db, merchants, receivers, roles }: Simulation): Promise<string[]> => {
  const { rows } = await sql<{ objectId: string }>`select object_id as "objectId" from event_streams`.execute(db)
  const waiting = new Set(rows.map(({ objectId }) => objectId))
  const problems: string[] = []
  for (const merchant of merchants)
    for (const { id, objectId, kind, status } of await recordsOf(clientOf(roles.get('api')!.api!, merchant, clock.now)))
      if (!receivers.arrivals.has(id) && !waiting.has(objectId))
        problems.push(`${kind} ${objectId}: ${status} never arrived, and no worker will try it again`)
  return problems
}

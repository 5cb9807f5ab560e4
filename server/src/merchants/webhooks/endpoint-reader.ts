import { sql } from 'kysely'
import type { SecretBox } from '../../platform/config/secrets.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { secretOwner } from './endpoints.ts'
import type { Endpoint, EndpointOf } from './signature.ts'

interface Stored {
  id: string
  url: string
  sealed: string
  sealedBefore: string | null
  beforeUntil: Date | null
}

type Waiting = Map<string, ((found: Promise<Stored | undefined>) => void)[]>

/**
 * Creates a function that reads an additional endpoint at each call, so that a change takes effect with the next
 * attempt. Calls of one turn share a statement. Null for an endpoint that is off or removed.
 */
export const createEndpointReader = (
  db: Db,
  box: Pick<SecretBox, 'open'>,
  clock: Pick<Clock, 'business'>,
): EndpointOf => {
  let waiting: Waiting = new Map()
  const find = (id: string): Promise<Stored | undefined> =>
    new Promise((resolve) => {
      if (waiting.size === 0)
        setImmediate(() => {
          const asked = waiting
          waiting = new Map()
          const found = readAll(db, [...asked.keys()])
          for (const [one, resolvers] of asked)
            for (const resolveOne of resolvers) resolveOne(found.then((rows) => rows.get(one)))
        })
      waiting.set(id, [...(waiting.get(id) ?? []), resolve])
    })
  return async (id) => {
    const stored = await find(id)
    return stored === undefined ? null : opened(stored, box, clock.business())
  }
}

const readAll = async (db: Db, ids: readonly string[]): Promise<Map<string, Stored>> => {
  const { rows } =
    await sql<Stored>`select e.id, e.url, e.sealed, e.sealed_before as "sealedBefore", e.before_until as "beforeUntil"
    from webhook_endpoints e
    where e.id = any(${ids}::uuid[]) and e.is_on and e.removed_at is null`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Secrets are newest first, as those of the endpoint of the settings. */
const opened = (
  { id, url, sealed, sealedBefore, beforeUntil }: Stored,
  box: Pick<SecretBox, 'open'>,
  at: number,
): Endpoint => {
  const isBeforeValid = sealedBefore !== null && beforeUntil !== null && beforeUntil.getTime() > at
  const secrets = isBeforeValid ? [sealed, sealedBefore] : [sealed]
  return { url, signingKey: null, webhookSecrets: secrets.map((one) => box.open(one, secretOwner(id))) }
}

/** The events of a merchant by the API: its notifications, delivered or not. */
import type { Bursar } from '@bursar/sdk'

/** The body of a notification, as far as the model reads one. */
export type Notification = { id: string; kind: string; status: string } & Readonly<Record<string, unknown>>

const PAGE = 1_000

/** In the order in which they are sent. */
export const eventsOf = async (client: Bursar): Promise<Notification[]> => {
  const all: Notification[] = []
  for (let after = 0; ;) {
    const { events, next } = await client.events.list({ after, limit: PAGE })
    all.push(...events.map(({ body }) => body as unknown as Notification))
    if (events.length < PAGE) return all
    after = next
  }
}

/** The newest of each object, by its id. */
export const newestOf = (
  events: readonly Notification[],
  kinds: readonly string[],
): ReadonlyMap<string, Notification> =>
  new Map(events.filter(({ kind }) => kinds.includes(kind)).map((notified) => [notified.id, notified]))

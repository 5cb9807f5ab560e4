/** The events of a merchant by the API: its notifications, delivered or not. */
import type { Bursar } from '@bursar/sdk'

/** The body of a notification, as far as the model reads one. */
export type Notification = { id: string; kind: string; status: string } & Readonly<Record<string, unknown>>

const PAGE = 1_000

type EventRecord = Awaited<ReturnType<Bursar['events']['list']>>['events'][number]

/** With their ids, in the order in which they are sent. */
export const recordsOf = async (client: Bursar): Promise<EventRecord[]> => {
  const all: EventRecord[] = []
  for (let after = 0; ;) {
    const { events, next } = await client.events.list({ after, limit: PAGE })
    all.push(...events)
    if (events.length < PAGE) return all
    after = next
  }
}

/** In the order in which they are sent. */
export const eventsOf = async (client: Bursar): Promise<Notification[]> =>
  (await recordsOf(client)).map(({ body }) => body as unknown as Notification)

/** The newest of each object, by its id. */
export const newestOf = (
  events: readonly Notification[],
  kinds: readonly string[],
): ReadonlyMap<string, Notification> =>
  new Map(events.filter(({ kind }) => kinds.includes(kind)).map((notified) => [notified.id, notified]))

/** What the API says happened to a merchant: its notifications, delivered or not. */
import type { Bursar } from '@bursar/sdk'

/** The body of a notification, as far as the model reads one. */
export type Told = { id: string; kind: string; status: string } & Readonly<Record<string, unknown>>

const PAGE = 1_000

/** In the order in which they are sent. */
export const eventsOf = async (client: Bursar): Promise<Told[]> => {
  const all: Told[] = []
  for (let after = 0; ;) {
    const { events, next } = await client.events.list({ after, limit: PAGE })
    all.push(...events.map(({ body }) => body as unknown as Told))
    if (events.length < PAGE) return all
    after = next
  }
}

/** The newest of each object, by its id. */
export const newestOf = (events: readonly Told[], kinds: readonly string[]): ReadonlyMap<string, Told> =>
  new Map(events.filter(({ kind }) => kinds.includes(kind)).map((told) => [told.id, told]))

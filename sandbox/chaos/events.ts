/** The merchants' lists of notifications, and which of them an order of a chaos run has. */
import type { EventRecord } from '@bursar/sdk'
import { patiently } from './asking.ts'
import type { Chaos, ChaosMerchant, Order } from './orders.ts'

/** Returns all notifications of a merchant, oldest first. */
export async function eventsOf(chaos: Chaos, { client }: ChaosMerchant): Promise<EventRecord[]> {
  const all: EventRecord[] = []
  for (let after = 0; ;) {
    const { events, next } = await patiently(chaos, () => client.events.list({ after, limit: 1_000 }))
    if (events.length === 0) return all
    all.push(...events)
    after = next
  }
}

export type Objects = readonly (readonly [id: string, events: readonly EventRecord[]])[]

/** The objects of an order: by its id, its localId, or the hash of a deposit. More than one is an order made twice. */
export function objectsOf(
  { kind, id, name, hash }: Order,
  byObject: ReadonlyMap<string, readonly EventRecord[]>,
): Objects {
  return [...byObject].filter(([objectId, [first]]) => {
    const body = first!.body as { localId?: string; hash?: string }
    return objectId === id || body.localId === name || (kind === 'deposit' && body.hash === hash)
  })
}

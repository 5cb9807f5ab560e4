/** The orders of a chaos run that have not ended, and the reason why each waits. */
import type { EventRecord } from '@bursar/sdk'
import { control } from '../try/running.ts'
import { eventsOf, objectsOf } from './events.ts'
import type { Chaos, Order } from './orders.ts'
import { finalStatuses, webhookKey } from './webhooks.ts'
import type { Webhooks } from './webhooks.ts'

/** Accepted orders whose last notification has not been received. */
export const waitingOrders = ({ orders }: Chaos, webhooks: Pick<Webhooks, 'hasEnded'>): Order[] =>
  orders.filter((order) => order.state === 'accepted' && !webhooks.hasEnded(order))

/** Returns two lines for each waiting order: the order, and the reason why it waits. */
export async function whatWaits(chaos: Chaos, webhooks: Webhooks): Promise<string[]> {
  const lines: string[] = []
  const byMerchant = Map.groupBy(waitingOrders(chaos, webhooks), ({ merchant }) => merchant)
  for (const [merchant, orders] of byMerchant) {
    const byObject = Map.groupBy(await eventsOf(chaos, merchant), ({ objectId }) => objectId)
    for (const order of orders) {
      const events = objectsOf(order, byObject).flatMap(([, its]) => its)
      lines.push(
        `waits: ${order.kind} ${order.name} of ${merchant.name}`,
        `  ${order.id ?? order.hash}: ${await waitsFor(chaos, webhooks, order, events)}`,
      )
    }
  }
  return lines
}

async function waitsFor(
  chaos: Chaos,
  { bodies }: Webhooks,
  { kind, merchant, blockchain, hash, reason }: Order,
  events: readonly EventRecord[],
): Promise<string> {
  const last = events.at(-1)
  if (last === undefined) {
    if (hash === undefined) return reason ?? 'no notification'
    const query = new URLSearchParams({ blockchain: blockchain!, hash })
    const { status, confirmations } = await control<{ status: string; confirmations: number }>(
      chaos.sandbox,
      `/transaction?${query}`,
    )
    return `${status}, ${confirmations} blocks`
  }
  if (!finalStatuses(kind, chaos.sandbox.screening !== undefined).includes(last.status))
    return [last.status, ...(reason === undefined ? [] : [reason])].join(', ')
  const missing = events.filter(({ id }) => !bodies.has(webhookKey(merchant, id))).map(({ status }) => status)
  return `${last.status}, webhooks not received: ${missing.join(', ')}`
}

/**
 * Reads the webhooks that the merchants' inbox received, and verifies them with the SDK, as each merchant's server
 * would.
 */
import { verifyWebhook } from '@bursar/sdk'
import type { Notification } from '@bursar/sdk'
import type { Chaos, ChaosMerchant, Order, OrderKind } from './orders.ts'

interface InboxMessage {
  readonly seq: number
  readonly receivedAt: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** A loaded machine may send a notification long after it signed it. */
const TOLERANCE_MS = 10 * 60_000

export interface Webhooks {
  /** Reads the webhooks that arrived since the last call. */
  read(): Promise<void>
  /** The body of each notification as first received, by merchant and `webhook-id`. */
  readonly bodies: ReadonlyMap<string, string>
  /** Deliveries of a notification that had been delivered. */
  repeated(): number
  /** Whether the notification of an order's final state has been received. */
  hasEnded(order: Order): boolean
  /** Deliveries that no merchant should get: a wrong signature, a repetition with another body. */
  readonly problems: readonly string[]
}

export const webhookKey = (merchant: ChaosMerchant, webhookId: string): string => `${merchant.id} ${webhookId}`

/** The last status of each kind. A screened deposit is credited as `Done` and has ended as `Verified`. */
export const finalStatuses = (kind: OrderKind, isScreened: boolean): readonly string[] => {
  if (kind === 'deposit') return [isScreened ? 'Verified' : 'Done', 'Failed']
  return kind === 'crypto invoice' ? ['DONE', 'EXPIRED'] : ['Done', 'Failed']
}

export function openWebhooks({ sandbox, merchants }: Chaos): Webhooks {
  const read = new Map<ChaosMerchant, number>()
  const bodies = new Map<string, string>()
  const problems: string[] = []
  /** Statuses by the id of an object, and by the hash of a deposit. */
  const statuses = new Map<string, Set<string>>()
  let repeated = 0

  const take = (merchant: ChaosMerchant, message: InboxMessage): void => {
    const key = webhookKey(merchant, String(message.headers['webhook-id']))
    const notice = verified(merchant, message)
    if (typeof notice === 'string') return void problems.push(`webhook ${key}: ${notice}`)
    const before = bodies.get(key)
    if (before !== undefined) {
      repeated += 1
      if (before !== message.body) problems.push(`webhook ${key}: it was repeated with another body`)
      return
    }
    bodies.set(key, message.body)
    const about = [notice.id, ...('hash' in notice && notice.hash ? [notice.hash] : [])]
    for (const name of about) statuses.set(name, (statuses.get(name) ?? new Set()).add(notice.status))
  }
  return {
    bodies,
    problems,
    repeated: () => repeated,
    read: async () => {
      for (const merchant of merchants) {
        const query = new URLSearchParams({ after: String(read.get(merchant) ?? 0), merchantId: merchant.id })
        const messages = (await (await fetch(`${sandbox.inbox}/messages?${query}`)).json()) as InboxMessage[]
        for (const message of messages) take(merchant, message)
        const last = messages.at(-1)
        if (last !== undefined) read.set(merchant, last.seq)
      }
    },
    hasEnded: ({ kind, id, hash }) => {
      const seen = statuses.get(id ?? hash ?? '')
      return seen !== undefined && finalStatuses(kind, sandbox.screening !== undefined).some((one) => seen.has(one))
    },
  }
}

/** @returns the reason if the message is not a right one of this merchant */
function verified({ notificationsUrl, privateKey }: ChaosMerchant, message: InboxMessage): Notification | string {
  const { body, headers, receivedAt } = message
  try {
    const now = (): number => Date.parse(receivedAt)
    const address = { url: notificationsUrl, privateKeys: privateKey, toleranceMs: TOLERANCE_MS, now }
    return verifyWebhook({ headers, rawBody: body, ...address })
  } catch (error) {
    return (error as Error).message
  }
}

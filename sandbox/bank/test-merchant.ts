/** A merchant of the bank, for tests: signs what it asks, and takes callbacks. Only tests of the sandbox use it. */
import { startReceiver } from '../acquirers/receiver.ts'
import type { Receiver } from '../acquirers/receiver.ts'
import type { Account } from './index.ts'
import { isSame, signCallback, signRequest } from './signature.ts'

export interface Merchant {
  readonly receiver: Receiver
  /** HTTP statuses that the next callbacks are answered with; 200 when none are left */
  readonly answers: number[]
  ask(
    method: string,
    path: string,
    body?: unknown,
    more?: { timestamp?: number; secret?: string },
  ): Promise<{ status: number; body: Record<string, unknown> }>
  /** Events that arrived for a reference, with whether they are signed as they should be. */
  events(reference: string): { event: string; signed: boolean }[]
}

export async function openMerchant(bankUrl: () => string, { name, secret }: Account): Promise<Merchant> {
  const answers: number[] = []
  const receiver = await startReceiver(() => ({ status: answers.shift() ?? 200, contentType: 'text/plain', body: '' }))
  return {
    receiver,
    answers,
    ask: async (method, path, body, more = {}) => {
      const target = `/api/v1${path}`
      const text = body === undefined ? '' : JSON.stringify(body)
      const timestamp = String(more.timestamp ?? Date.now())
      const headers = {
        'x-bank-account': name,
        'x-bank-timestamp': timestamp,
        'x-bank-signature': signRequest(more.secret ?? secret, { timestamp, method, target, body: text }),
      }
      const answer = await fetch(bankUrl() + target, { method, headers, ...(body === undefined ? {} : { body: text }) })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
    events: (reference) =>
      receiver.received
        .filter((one) => one.body.includes(reference))
        .map(({ headers, body }) => ({
          event: (JSON.parse(body.toString()) as { event: string }).event,
          signed: isSame(
            headers['x-bank-signature'],
            signCallback(secret, headers['x-bank-timestamp'] ?? '', body.toString()),
          ),
        })),
  }
}

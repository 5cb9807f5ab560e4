/** The merchants' webhook endpoints: they verify, record, and fail at random. */
import { verifyWebhook } from '@bursar/sdk'
import type { Faults } from './faults.ts'
import { startHttpFront, type Exchange, type HttpFront } from './fronts/http.ts'

export interface Received {
  merchantId: string
  /** the `webhook-id` header, the same at each attempt */
  id: string
  objectId: string
  kind: string
  status: string
  body: string
}

export interface Receivers {
  readonly front: HttpFront
  /** the first delivery of each notification, in the order of arrival */
  readonly received: readonly Received[]
  /** how often each notification has arrived, by its id */
  readonly arrivals: ReadonlyMap<string, number>
  /** webhooks that no receiver should ever get: wrong signatures, changed repetitions */
  readonly problems: readonly string[]
  urlOf(merchantId: string): string
  /** adds a merchant whose webhooks are verified with this key */
  add(merchantId: string, privateKey: string): void
}

export const startReceivers = async (faults: Faults, now: () => number): Promise<Receivers> => {
  const keys = new Map<string, string>()
  const received: Received[] = []
  const bodies = new Map<string, string>()
  const arrivals = new Map<string, number>()
  const problems: string[] = []

  const take = ({ path, headers, body }: Exchange): number => {
    const merchantId = path.split('/').at(-1) ?? ''
    const privateKey = keys.get(merchantId)
    if (privateKey === undefined) return 404
    const rawBody = body.toString('utf8')
    try {
      const url = `http://${headers.host}${path}`
      verifyWebhook({
        rawBody,
        headers: headers as Record<string, string>,
        url,
        privateKeys: privateKey,
        now,
        toleranceMs: 600_000,
      })
    } catch (error) {
      problems.push(`a webhook to ${path} could not be verified: ${(error as Error).message}`)
      return 401
    }
    const id = String(headers['webhook-id'])
    arrivals.set(id, (arrivals.get(id) ?? 0) + 1)
    const before = bodies.get(id)
    if (before !== undefined && before !== rawBody) problems.push(`webhook ${id} was repeated with another body`)
    if (before === undefined) {
      bodies.set(id, rawBody)
      const { id: objectId, kind, status } = JSON.parse(rawBody) as { id: string; kind: string; status: string }
      received.push({ merchantId, id, objectId, kind, status, body: rawBody })
    }
    return 200
  }

  const front = await startHttpFront({
    name: 'receivers',
    faults,
    contentOf: ({ path, headers, body }) => `${path} ${String(headers['webhook-id'])} ${body.toString('utf8')}`,
    forward: async (exchange) => ({ status: take(exchange), headers: {}, body: Buffer.from('ok') }),
  })
  return {
    front,
    received,
    arrivals,
    problems,
    urlOf: (merchantId) => `${front.url}/merchants/${merchantId}`,
    add: (merchantId, privateKey) => void keys.set(merchantId, privateKey),
  }
}

/** A real receiver of webhooks and the worker's delivery to it, for the tests of the pages about webhooks. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import type { useDashboard } from '../../../../test/world/dashboard.ts'
import { box } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createDelivery, type Delivery } from '../../merchants/webhooks/index.ts'
import { createOutbound, type Outbound } from '../../platform/outbound/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'

type DeliveryDeps = Parameters<typeof createDelivery>[0]

export interface Hook {
  url: string
  received: { headers: IncomingHttpHeaders; rawBody: string }[]
  /** the answer to the next request; `reset` closes its connection */
  judge: () => number | 'reset'
  delivery: Delivery
  outbound: Outbound
  runtime(): Runtime
}

/**
 * Opens a receiver for the tests of a file. Call it at the top of the file, after `useDashboard`.
 * @param says the texts of its answers, below 300 and from 300 on
 * @param choices of the delivery, made once the receiver has its URL
 */
export const useHook = (
  { edge }: Pick<ReturnType<typeof useDashboard>, 'edge'>,
  says: { good: string; bad: string },
  choices: (hook: Hook) => Pick<DeliveryDeps, 'endpointOf'> & Partial<DeliveryDeps>,
): Hook => {
  const server = createServer(async (incoming, response) => {
    let rawBody = ''
    for await (const chunk of incoming) rawBody += String(chunk)
    hook.received.push({ headers: incoming.headers, rawBody })
    const status = hook.judge()
    if (status === 'reset') return void incoming.socket.resetAndDestroy()
    response.writeHead(status).end(status < 300 ? says.good : says.bad)
  })
  const runtime = (): Runtime => createTestRuntime(edge.db, () => edge.clock.ms)
  const outbound = createOutbound({ allowPrivate: ['127.0.0.0/8'], allowHttp: true })
  const hook = { received: [], judge: () => 200, outbound, runtime } as unknown as Hook
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    hook.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
    hook.delivery = createDelivery({
      runtime: runtime(),
      database: { url: edge.pool.options.connectionString! },
      outbound,
      box,
      ...choices(hook),
    })
  })
  afterAll(async () => {
    await hook.delivery.close()
    await outbound.close()
    server.close()
    server.closeAllConnections()
  })
  return hook
}

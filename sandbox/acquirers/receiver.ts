/** A merchant's callback receiver, for tests: stores callbacks unchanged, and returns the response that a test set. */
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { listenOnLoopback } from '../http/listen.ts'
import type { Listening } from '../http/listen.ts'

export interface Received {
  /** names in lower case */
  readonly headers: Readonly<Record<string, string>>
  readonly url: string
  readonly body: Buffer
}

export interface Receiver extends Listening {
  readonly received: readonly Received[]
}

export async function startReceiver(
  answer: (callback: Received) => { status: number; contentType: string; body: string },
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const callback = await readCallback(request)
      received.push(callback)
      const { status, contentType, body } = answer(callback)
      response.writeHead(status, { 'content-type': contentType }).end(body)
    })()
  })
  return { ...(await listenOnLoopback(server, 0)), received }
}

async function readCallback(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  return { headers, url: request.url ?? '/', body: Buffer.concat(chunks) }
}

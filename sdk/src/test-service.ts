/** A service that checks signatures and answers as a test says. Only tests of the SDK use it. */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const merchantId = '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10'
export const privateKey = 'bd4c0f27382cbdf0c52318a99308fc6d'

/** A request as it came over the wire. */
export interface Seen {
  readonly method: string
  readonly target: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Answer {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string
}

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The signature as `contract.md` section 2 has it, over the bytes that came: none of the client's code. */
const isSigned = ({ method, url, headers }: IncomingMessage, body: Buffer): boolean => {
  const message = Buffer.concat([Buffer.from(method! + url!), body, Buffer.from(String(headers['timestamp']))])
  const expected = createHmac('sha256', privateKey).update(message).digest('hex')
  return headers['merchant-id'] === merchantId && headers['signature'] === expected
}

const unauthorized: Answer = { status: 401, body: JSON.stringify({ code: -1, description: 'Invalid signature' }) }

/**
 * A server on a free loopback port that refuses wrong signatures, records its requests, and gives the test's answers.
 * @param answer may take its time, or destroy the response
 */
export const startService = async (answer: (seen: Seen, response: ServerResponse) => Answer | Promise<Answer>) => {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const body = await read(request)
      const { method, url, headers } = request
      const one = { method: method!, target: url!, headers, body: body.toString() }
      seen.push(one)
      const refused = !url!.endsWith('/form') && !isSigned(request, body)
      const told = refused ? unauthorized : await answer(one, response)
      if (!response.destroyed) response.writeHead(told.status ?? 200, told.headers ?? {}).end(told.body)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

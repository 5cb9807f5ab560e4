/**
 * An HTTP server on loopback in front of a counterparty. It forwards each request and returns the answer, unless a
 * fault is decided for it.
 */
import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Faults } from '../faults.ts'

export interface Exchange {
  method: string
  /** with its query */
  path: string
  headers: IncomingMessage['headers']
  body: Buffer
}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

export interface HttpFront {
  /** origin, without a slash at the end */
  readonly url: string
  /** while true, no request is answered */
  silent: boolean
  close(): Promise<void>
}

export interface HttpFrontOptions {
  /** by which faults are decided and counted */
  name: string
  faults: Faults
  forward(exchange: Exchange): Promise<Answer>
  /** path of a socket to listen on; a port of loopback when absent */
  socketPath?: string
  /** the part of an exchange that its fault depends on; method, path and body when absent */
  contentOf?(exchange: Exchange): string
}

export const startHttpFront = async ({
  name,
  faults,
  forward,
  socketPath,
  contentOf = ({ method, path, body }) => `${method} ${path} ${body.toString('latin1')}`,
}: HttpFrontOptions): Promise<HttpFront> => {
  const enter = async (content: string, response: ServerResponse): Promise<(() => void) | undefined> => {
    const end = await faults.gate?.enter(`${name} ${content}`)
    // The program has given the exchange up meanwhile.
    if (response.closed) end?.()
    return end
  }
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const exchange: Exchange = {
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: request.headers,
      body: await bodyOf(request),
    }
    if (front.silent) {
      faults.note(`${name} silent`)
      return void request.socket.destroy()
    }
    const content = contentOf(exchange)
    let end = await enter(content, response)
    response.once('close', () => end?.())
    const stand = async (): Promise<void> => {
      const wait = faults.waits(name, content)
      if (wait === undefined) return
      // Others go on meanwhile.
      end?.()
      await wait
      end = await enter(content, response)
    }
    await stand()
    const fault = faults.decide(name, content)
    if (fault === 'lose-request') return void request.socket.destroy()
    if (fault === 'http-500') return write(response, page(500, 'Internal Server Error'))
    if (fault === 'http-429') return write(response, page(429, 'Too Many Requests'))
    if (fault === 'http-503') return write(response, page(503, 'Service Unavailable', { 'retry-after': '1' }))
    if (fault === 'repeat') await forward(exchange)
    const answer = await forward(exchange)
    await stand()
    if (fault === 'lose-answer') return void request.socket.destroy()
    if (fault === 'garbage') return write(response, page(200, '<html><body>Please wait</body></html>'))
    if (fault === 'empty') return write(response, { ...answer, body: Buffer.alloc(0) })
    if (fault === 'broken-off') return breakOff(response, answer)
    if (fault === 'half') return write(response, { ...answer, body: answer.body.subarray(0, answer.body.length >> 1) })
    write(response, answer)
  }
  const server = createServer({ keepAlive: true }, (request, response) => {
    serve(request, response).catch(() => request.socket.destroy())
  })
  const url = await listen(server, socketPath)
  const front: HttpFront = {
    url,
    silent: false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return front
}

/**
 * Forwards to an HTTP server by its origin or by the path of its socket.
 * @param keepAlive false: each exchange has a connection of its own, and is never tried again
 */
export const forwardTo = (
  place: string | { socketPath: string },
  { keepAlive = true }: { keepAlive?: boolean } = {},
): ((exchange: Exchange) => Promise<Answer>) => {
  const agent = new Agent({ keepAlive })
  const url = typeof place === 'string' ? new URL(place) : undefined
  const to = url ? { host: url.hostname, port: url.port } : (place as { socketPath: string })
  const ask = ({ method, path, headers, body }: Exchange): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { host: _host, connection: _connection, 'transfer-encoding': _coding, ...rest } = headers
      const forwarded = send({
        ...to,
        agent,
        method,
        path,
        headers: { ...rest, host: url?.host ?? 'localhost', 'content-length': body.length },
      })
      forwarded.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection before it read the request.
        if (forwarded.reusedSocket && error.code === 'ECONNRESET') resolve(ask({ method, path, headers, body }))
        else reject(error)
      })
      forwarded.on('response', (response) => {
        bodyOf(response).then(
          (received) => resolve({ status: response.statusCode ?? 502, headers: response.headers, body: received }),
          reject,
        )
      })
      forwarded.end(body)
    })
  return ask
}

const page = (status: number, text: string, headers: Answer['headers'] = {}): Answer => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: Buffer.from(text),
})

const writeHead = (response: ServerResponse, { status, headers, body }: Answer): ServerResponse => {
  const { 'transfer-encoding': _coding, connection: _connection, 'keep-alive': _alive, ...rest } = headers
  return response.writeHead(status, { ...rest, 'content-length': body.length })
}

const write = (response: ServerResponse, answer: Answer): void => {
  writeHead(response, answer).end(answer.body)
}

/** Promises the whole body, and ends the connection after the half of it. */
const breakOff = (response: ServerResponse, answer: Answer): void => {
  writeHead(response, answer).write(answer.body.subarray(0, answer.body.length >> 1), () => response.destroy())
}

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** @returns its origin; of a socket, the path */
const listen = (server: ReturnType<typeof createServer>, socketPath: string | undefined): Promise<string> =>
  new Promise((resolve) => {
    if (socketPath !== undefined) return void server.listen(socketPath, () => resolve(socketPath))
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })

import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { MAX_REQUEST_BYTES } from './protocol.ts'
import { REFUSALS, Refusal } from './refusal.ts'
import { readSignRequest } from './request.ts'
import type { Signer } from './signer.ts'

/** PEM texts of the signer's own certificate and key, and of the authority that must have signed the caller's. */
export interface TlsFiles {
  cert: string
  key: string
  ca: string
}

export interface HttpEvents {
  refused(code: string, message: string): void
  /** A fault of ours. After a LogFailed the process must end and read its log again. */
  failed(error: Error): void
}

interface Answer {
  status: number
  body: object
  fault?: Error
}

/** A caller sends its request within this time or is cut off. */
const REQUEST_TIMEOUT_MS = 10_000

/** The signer's API. Over TLS only callers with a certificate of the authority get as far as a request. */
export function createHttpServer(signer: Signer, events: HttpEvents, tls?: TlsFiles): Server {
  const listener: RequestListener = (request, response) => {
    void serve(request, response, signer, events)
  }
  const server = tls
    ? createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' }, listener)
    : createServer(listener)
  server.headersTimeout = REQUEST_TIMEOUT_MS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  return server
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  signer: Signer,
  events: HttpEvents,
): Promise<void> {
  const { status, body, fault } = await answerTo(request, signer, events)
  if (fault) response.on('close', () => events.failed(fault))
  send(response, status, body)
}

async function answerTo(request: IncomingMessage, signer: Signer, events: HttpEvents): Promise<Answer> {
  try {
    return await route(request, signer)
  } catch (error) {
    if (error instanceof Refusal) {
      events.refused(error.code, error.message)
      return { status: REFUSALS[error.code].status, body: { refused: error.code, message: error.message } }
    }
    if (error instanceof ConnectionLost) return { status: 400, body: { error: 'the request was cut off' } }
    return { status: 500, body: { error: 'the signer failed; ask again later' }, fault: error as Error }
  }
}

async function route(request: IncomingMessage, signer: Signer): Promise<Answer> {
  const asked = `${request.method} ${request.url}`
  if (asked === 'GET /health') return { status: 200, body: { ok: true } }
  if (asked === 'GET /status') return { status: 200, body: signer.status() }
  if (asked === 'POST /sign') {
    const body = await readBody(request)
    return { status: 200, body: await signer.sign(readSignRequest(body)) }
  }
  return { status: 404, body: { error: 'there are POST /sign, GET /status and GET /health' } }
}

class ConnectionLost extends Error {}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > MAX_REQUEST_BYTES) {
        throw new Refusal('bad-request', `A request has at most ${MAX_REQUEST_BYTES} bytes`)
      }
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new ConnectionLost()
  }
  return Buffer.concat(chunks).toString('utf8')
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  response.setHeader('content-type', 'application/json')
  response.setHeader('content-length', Buffer.byteLength(text))
  // What is left of a request that was too long is not read.
  if (!response.req.complete) response.setHeader('connection', 'close')
  response.writeHead(status)
  response.end(text)
}

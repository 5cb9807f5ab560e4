import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import {
  LOG_HEADER,
  MAX_REQUEST_BYTES,
  readLogEnd,
  TIME_HEADER,
  writeLogEnd,
  writeSigningTime,
} from '../protocol/protocol.ts'
import { REFUSALS, Refusal } from '../protocol/refusal.ts'
import { UUID, readCheckRequest, readGivenApproval, readSignRequest } from '../protocol/request.ts'
import type { Signer } from './signer.ts'
import { isAmong } from './tls-clients.ts'
import type { ClientIdentity } from './tls-clients.ts'

/** PEM texts: the signer's certificate and key, and the authority that issues the callers' certificates. */
export interface TlsFiles {
  cert: string
  key: string
  ca: string
  /** PEM: certificates that the authority has revoked */
  crl?: string
  /** The clients that may connect: a certificate of the authority alone is not enough */
  clients: readonly ClientIdentity[]
}

export interface SignerServer {
  server: Server
  /**
   * Validates new certificates and a new list of clients. Throws when one is not valid.
   * @returns a function that applies them and closes all existing connections
   */
  prepareTls(tls: TlsFiles): () => void
}

export interface HttpEvents {
  refused(code: string, message: string): void
  /** An internal error. After a LogFailed the process must end and read its log again. */
  failed(error: Error): void
}

interface Answer {
  status: number
  body: object
  fault?: Error
}

/** A connection whose request is not complete within this time is closed. */
const REQUEST_TIMEOUT_MS = 10_000

/**
 * Creates the server of the signer's API. Over TLS, a caller needs a certificate of the authority and an entry in the
 * list of clients.
 */
export function createHttpServer(signer: Signer, events: HttpEvents, tls?: TlsFiles): SignerServer {
  const listener: RequestListener = (request, response) => {
    void serve(request, response, signer, events)
  }
  const made = tls ? createMutualServer(tls, listener, events) : { server: createServer(listener), prepareTls: noTls }
  made.server.headersTimeout = REQUEST_TIMEOUT_MS
  made.server.requestTimeout = REQUEST_TIMEOUT_MS
  return made
}

function noTls(): never {
  throw new Error('The signer listens on a socket: it has no certificates')
}

function createMutualServer(first: TlsFiles, listener: RequestListener, events: HttpEvents): SignerServer {
  let tls = first
  const open = new Set<TLSSocket>()
  const server = createTlsServer({ ...optionsOf(tls), requestCert: true, rejectUnauthorized: true }, listener)
  server.on('secureConnection', (socket) => {
    const certificate = socket.getPeerX509Certificate()
    if (certificate && isAmong(tls.clients, certificate)) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      return
    }
    events.refused(
      'tls-client',
      `${certificate?.subject ?? 'no certificate'} (${certificate?.fingerprint256 ?? ''}) is not in the list of clients`,
    )
    socket.destroy()
  })
  const prepareTls = (next: TlsFiles) => {
    createSecureContext(optionsOf(next))
    return (): void => {
      server.setSecureContext(optionsOf(next))
      tls = next
      // Clients that are still allowed reconnect and repeat their requests.
      for (const socket of open) socket.destroy()
    }
  }
  return { server, prepareTls }
}

function optionsOf({ cert, key, ca, crl }: TlsFiles): {
  cert: string
  key: string
  ca: string
  crl?: string
  minVersion: 'TLSv1.3'
} {
  return { cert, key, ca, ...(crl !== undefined && { crl }), minVersion: 'TLSv1.3' }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  signer: Signer,
  events: HttpEvents,
): Promise<void> {
  const since = performance.now()
  const { status, body, fault } = await answerTo(request, signer, events)
  if (fault) response.on('close', () => events.failed(fault))
  response.setHeader(LOG_HEADER, writeLogEnd(signer.logEnd))
  response.setHeader(
    TIME_HEADER,
    writeSigningTime({ startedAt: performance.timeOrigin + since, ms: performance.now() - since }),
  )
  send(response, status, body)
}

async function answerTo(request: IncomingMessage, signer: Signer, events: HttpEvents): Promise<Answer> {
  try {
    return await route(request, signer)
  } catch (error) {
    if (error instanceof Refusal) {
      events.refused(error.code, error.message)
      const { code, message, intents } = error
      return { status: REFUSALS[code].status, body: { refused: code, message, ...(intents && { intents }) } }
    }
    if (error instanceof ConnectionLost) return { status: 400, body: { error: 'the request was cut off' } }
    return { status: 500, body: { error: 'the signer failed; ask again later' }, fault: error as Error }
  }
}

async function route(request: IncomingMessage, signer: Signer): Promise<Answer> {
  const asked = `${request.method} ${request.url}`
  if (asked === 'GET /health') return { status: 200, body: { ok: true } }
  if (asked === 'GET /status') return { status: 200, body: signer.status() }
  judgeLog(request, signer)
  if (asked === 'POST /sign') {
    const body = await readBody(request)
    return { status: 200, body: await signer.sign(readSignRequest(body)) }
  }
  if (asked === 'POST /check')
    return { status: 200, body: { refusals: await signer.check(readCheckRequest(await readBody(request))) } }
  if (asked === 'GET /approvals') return { status: 200, body: { waiting: signer.approvals.list() } }
  if (asked === 'POST /approvals') {
    await signer.approvals.approveBySignature(readGivenApproval(await readBody(request)))
    return { status: 200, body: { approved: true } }
  }
  const [, from] = /^GET \/log\?from=(0|[1-9][0-9]{0,14})$/.exec(asked) ?? []
  if (from !== undefined) return { status: 200, body: { lines: await signer.logLines(Number(from)) } }
  const [, method, intentId, close] = /^(GET|POST) \/intents\/([^/?]+)(\/close)?$/.exec(asked) ?? []
  if (intentId !== undefined && (method === 'POST') === (close !== undefined)) {
    if (!UUID.test(intentId)) throw new Refusal('bad-request', 'An intent is named by its id, a UUID in lower case')
    return {
      status: 200,
      body: { transactions: await (close ? signer.closeIntent(intentId) : signer.transactionsOf(intentId)) },
    }
  }
  return {
    status: 404,
    body: {
      error:
        'there are POST /sign, POST /check, GET /intents/ID, POST /intents/ID/close, GET and POST /approvals, GET /log?from=LINE, GET /status and GET /health',
    },
  }
}

/**
 * Refuses a request if the log lacks the line that the caller has seen: then nothing that the log says about signatures
 * is reliable.
 */
function judgeLog({ headers }: IncomingMessage, signer: Signer): void {
  const given = headers[LOG_HEADER]
  if (given === undefined) return
  const seen = readLogEnd(given)
  if (!seen) throw new Refusal('bad-request', `${LOG_HEADER} is a length and a head`)
  signer.requireLog(seen)
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
  // The rest of a request that was too long is not read.
  if (!response.req.complete) response.setHeader('connection', 'close')
  response.writeHead(status)
  response.end(text)
}

import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Server as TlsServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import { CONTENT_SECURITY_POLICY } from './page-assets.ts'
import { faultPage } from './pages.ts'
import { limitConnections } from './page-connections.ts'
import { languageOf } from './page-words.ts'
import { answerPage } from './page-routes.ts'
import type { PageAnswer, PageWorld } from './page-routes.ts'

/** PEM texts: the certificate and key of the page. Browsers show it to people, so callers have no certificates. */
export interface PageTls {
  cert: string
  key: string
}

export interface PageServer {
  server: Server
  /** Validates a new certificate. Throws when it is not valid. @returns a function that applies it */
  prepareTls(tls: PageTls): () => void
}

/** Largest form: the attestation of a new passkey, with the certificates of its maker. */
const MAX_FORM_BYTES = 64 * 1024
const TIMEOUT_MS = 10_000
const MOST_CONNECTIONS = 64
/** A connection without a TLS handshake in this time is closed: it takes the place of an approver's. */
const HANDSHAKE_MS = 5_000
/** How often connections whose time is over are looked for. */
const CONNECTIONS_CHECKED_MS = 2_000
const TIMES = {
  headersTimeout: TIMEOUT_MS,
  requestTimeout: TIMEOUT_MS,
  connectionsCheckingInterval: CONNECTIONS_CHECKED_MS,
}

/** Creates the server of the signer's own page. Without a certificate it is for tests on this machine. */
export function createPageServer(world: PageWorld, tls?: PageTls): PageServer {
  const listener: RequestListener = (request, response) => {
    void serve(request, response, world)
  }
  const made = tls ? createTls(tls, listener) : { server: createServer(TIMES, listener), prepareTls: noTls }
  made.server.maxConnections = MOST_CONNECTIONS
  limitConnections(made.server)
  return made
}

function createTls(tls: PageTls, listener: RequestListener): PageServer {
  const optionsOf = ({ cert, key }: PageTls): PageTls & { minVersion: 'TLSv1.3' } => ({
    cert,
    key,
    minVersion: 'TLSv1.3',
  })
  const server: TlsServer = createTlsServer({ ...optionsOf(tls), ...TIMES, handshakeTimeout: HANDSHAKE_MS }, listener)
  const prepareTls = (next: PageTls) => {
    createSecureContext(optionsOf(next))
    return (): void => server.setSecureContext(optionsOf(next))
  }
  return { server, prepareTls }
}

function noTls(): never {
  throw new Error('The page for approvals has no certificate')
}

async function serve(request: IncomingMessage, response: ServerResponse, world: PageWorld): Promise<void> {
  const language = languageOf(request.headers['accept-language'])
  const answer = await answerTo(request, world).catch((error: Error): PageAnswer => {
    if (!(error instanceof FormRefused)) response.on('close', () => world.events.failed(error))
    return { status: error instanceof FormRefused ? 400 : 500, page: faultPage(language, 'answer') }
  })
  const { status, page = '', headers = {} } = answer
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(page),
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(world.origin.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
    // The rest of a form that was too long is not read.
    ...(!request.complete && { connection: 'close' }),
    ...headers,
  })
  response.end(request.method === 'HEAD' ? undefined : page)
}

async function answerTo(request: IncomingMessage, world: PageWorld): Promise<PageAnswer> {
  const { method = '', url = '', headers } = request
  const language = languageOf(headers['accept-language'])
  const place = new URL(world.origin)
  // Another host name that leads here is not this page.
  if (headers.host !== place.host || !URL.canParse(url, world.origin))
    return { status: 404, page: faultPage(language, 'code') }
  const { pathname, searchParams } = new URL(url, world.origin)
  const form = method === 'POST' ? await readForm(request, world.origin) : new URLSearchParams()
  const asked = { route: `${method} ${pathname}`, query: searchParams, form, cookie: headers.cookie ?? '', language }
  return answerPage(asked, world)
}

/** A form that is not read. */
class FormRefused extends Error {}

/** Reads a form that a page of this origin sent. Throws FormRefused. */
async function readForm(request: IncomingMessage, origin: string): Promise<URLSearchParams> {
  if (request.headers.origin !== origin) throw new FormRefused('the form is from another origin')
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > MAX_FORM_BYTES) throw new FormRefused('the form is too long')
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof FormRefused ? error : new FormRefused('the form was cut off')
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

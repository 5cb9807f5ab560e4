/**
 * A small loopback-only server for the sandbox's own tools. It sends JSON, with errors as `{code, description}`, unless
 * a route returns a text or no response.
 */
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { requireFreePort } from '../process/port.ts'
import { listenOnLoopback } from './listen.ts'
import type { Listening } from './listen.ts'
import { Refusal } from './refusal.ts'

export interface SandboxRequest {
  /** The target as received: path and query. */
  readonly target: string
  /** The values that the route's pattern captured. */
  readonly parameters: readonly string[]
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  /** As received, decoded as UTF-8. */
  readonly rawBody: string
  /** The body as JSON. Throws a Refusal when it is none. */
  json(): unknown
}

export interface Route {
  readonly method: string
  /** Must match the whole path. */
  readonly path: RegExp
  /** For the list of operations, such as `POST /pay`. */
  readonly name: string
  /** Its result is sent with status 200, unless it is an Answer, a TextAnswer or a NoAnswer. */
  readonly handle: (request: SandboxRequest) => Promise<unknown>
}

export type SandboxServer = Listening

export interface ServerOptions {
  /** For messages. */
  readonly name: string
  /** 0: any free port. */
  readonly port: number
  readonly portSetting?: string
  readonly routes: readonly Route[]
  /** Called with failures that are the sandbox's own. */
  readonly log?: (line: string) => void
}

const mostBytes = 8 * 1024 * 1024

/** Returned by a route to send a status other than 200. */
export class Answer {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    this.status = status
    this.body = body
  }
}

/** Returned by a route to send content other than JSON, such as a page or a redirect. */
export class TextAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string | Buffer

  constructor(status: number, headers: Readonly<Record<string, string>>, text: string | Buffer) {
    this.status = status
    this.headers = headers
    this.text = text
  }
}

/**
 * Returned by a route to send nothing. `cut` closes the connection; `held` leaves it open until the client gives up.
 */
export class NoAnswer {
  readonly how: 'cut' | 'held'

  constructor(how: 'cut' | 'held') {
    this.how = how
  }
}

/** Throws PortInUse. */
export async function serve(options: ServerOptions): Promise<SandboxServer> {
  if (options.port !== 0) await requireFreePort(options.port, options.name, options.portSetting)
  const server = createServer((request, response) => void respond(options, request, response))
  return listenOnLoopback(server, options.port)
}

async function respond(options: ServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await handle(options, request).catch((error: unknown) => failure(options, error))
  if (answer instanceof NoAnswer) {
    if (answer.how === 'cut') response.destroy()
    return
  }
  const { status, headers, text } = answer instanceof TextAnswer ? answer : jsonOf(answer)
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text)
}

function jsonOf({ status, body }: Answer): TextAnswer {
  return new TextAnswer(status, { 'content-type': 'application/json' }, body === undefined ? '' : JSON.stringify(body))
}

const LOCAL = ['127.0.0.1', 'localhost', '[::1]']

const isLocal = (origin: string): boolean => URL.canParse(origin) && LOCAL.includes(new URL(origin).hostname)

/**
 * Accepts requests of this machine's tools and pages only. A web page that a developer has open can send requests here,
 * and can read the responses if its host name resolves to 127.0.0.1. Origin reveals the first case, Host the second.
 */
function checkWhoAsks({ headers: { host, origin } }: IncomingMessage): void {
  if (host !== undefined && !isLocal(`http://${host}`))
    throw new Refusal(`the sandbox is at 127.0.0.1, not at ${host}`, { status: 403, code: 100 })
  if (origin !== undefined && !isLocal(origin))
    throw new Refusal(`the sandbox takes no requests of pages of ${origin}`, { status: 403, code: 100 })
}

async function handle({ routes }: ServerOptions, request: IncomingMessage): Promise<Answer | TextAnswer | NoAnswer> {
  checkWhoAsks(request)
  const url = new URL(request.url ?? '/', 'http://sandbox')
  const rawBody = await readBody(request)
  const route = routes.find(({ method, path }) => method === request.method && path.test(url.pathname))
  if (route === undefined) {
    const known = routes.map(({ name }) => name).join(', ')
    throw new Refusal(`there is no ${request.method} ${url.pathname}; there is ${known}`, { status: 404, code: 101 })
  }
  const result = await route.handle({
    target: request.url ?? '/',
    parameters: (route.path.exec(url.pathname) ?? []).slice(1).map((part) => decodeURIComponent(part ?? '')),
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    rawBody,
    json: () => parse(rawBody),
  })
  const isAnswer = result instanceof Answer || result instanceof TextAnswer || result instanceof NoAnswer
  return isAnswer ? result : new Answer(200, result)
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Refusal(`send at most ${mostBytes} bytes`, { status: 413, code: 104 })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(rawBody: string): unknown {
  try {
    return JSON.parse(rawBody)
  } catch {
    throw new Refusal('send a JSON body')
  }
}

function failure({ name, log }: ServerOptions, error: unknown): Answer {
  if (error instanceof Refusal) return new Answer(error.status, { code: error.code, description: error.message })
  log?.(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  const description = `the sandbox failed: ${error instanceof Error ? error.message : String(error)}`
  return new Answer(500, { code: 107, description })
}

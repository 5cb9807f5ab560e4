/**
 * Serves java-tron's HTTP API on loopback: /wallet, /walletsolidity, and the sandbox's controls. No request can end the
 * process.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Turns } from '../../chains/turns.ts'
import { listenOnLoopback } from '../../http/listen.ts'
import type { Listening } from '../../http/listen.ts'
import { Refusal } from '../../http/refusal.ts'
import { JsonError } from '../codec/json.ts'
import { CodecError } from '../codec/wire.ts'
import type { Chain } from '../blocks/chain.ts'
import type { Machine } from '../vm/machine.ts'
import { broadcastRoutes } from './broadcast.ts'
import { buildRoutes } from './build.ts'
import { callRoutes } from './call.ts'
import { parseJson, printJson } from './json.ts'
import { accountRoutes } from './read-accounts.ts'
import { blockRoutes, pendingRoutes } from './read-blocks.ts'
import { networkRoutes } from './read-network.ts'
import { JavaError, readRequest } from './request.ts'
import type { Routes } from './routes.ts'
import { withheld } from './settings.ts'
import type { NodeState } from './settings.ts'
import { signWeightRoutes } from './sign-weight.ts'
import { openView } from './view.ts'

export interface TronServerOptions {
  /** 0: any free port. */
  readonly port: number
  readonly chain: Chain
  readonly machine: Machine
  readonly node: NodeState
  readonly inTurn: Turns
  /** Called after a transaction was accepted. */
  readonly taken: () => Promise<unknown>
  /** `/sandbox/...`, by the rest of the path. */
  readonly controls: Readonly<Record<string, (body: unknown) => Promise<unknown>>>
  readonly log: (line: string) => void
}

const full: Routes = {
  ...blockRoutes,
  ...accountRoutes,
  ...networkRoutes,
  ...callRoutes,
  ...pendingRoutes,
  ...buildRoutes,
  ...broadcastRoutes,
  ...signWeightRoutes,
}
/** java-tron's requests on solid blocks that this chain supports: not resources, parameters or contracts. */
const solid: Routes = pick(full, [
  'getnowblock',
  'getblock',
  'getblockbynum',
  'getblockbyid',
  'getblockbylimitnext',
  'getblockbylatestnum',
  'gettransactionbyid',
  'gettransactioninfobyid',
  'gettransactioninfobyblocknum',
  'gettransactioncountbyblocknum',
  'getaccount',
  'getdelegatedresourcev2',
  'getdelegatedresourceaccountindexv2',
  'getcandelegatedmaxsize',
  'getavailableunfreezecount',
  'getcanwithdrawunfreezeamount',
  'triggerconstantcontract',
  'estimateenergy',
  'getnodeinfo',
  'getbandwidthprices',
  'getenergyprices',
])
function pick(routes: Routes, names: readonly string[]): Routes {
  return Object.fromEntries(names.map((name) => [name, routes[name] as Routes[string]]))
}

const mostBytes = 4 * 1024 * 1024

export const serveTron = async (options: TronServerOptions): Promise<Listening> => {
  const server = createServer((request, response) => void respond(options, request, response))
  return listenOnLoopback(server, options.port)
}

const respond = async (
  options: TronServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { status, text } = await answer(options, request).catch((error: unknown) => {
    options.log(`tron: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return { status: 500, text: printJson({ Error: `class java.lang.Exception : ${String(error)}` }) }
  })
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text)
}

interface Answer {
  readonly status: number
  readonly text: string
}

const answer = async (options: TronServerOptions, request: IncomingMessage): Promise<Answer> => {
  const url = new URL(request.url ?? '/', 'http://tron')
  const body = await readBody(request)
  if (body === undefined)
    return {
      status: 413,
      text: printJson({ Error: `class java.lang.Exception : body size is too big, the limit is ${mostBytes}` }),
    }
  const [prefix = '', name = '', ...more] = url.pathname.split('/').slice(1)
  if (prefix === 'sandbox') return control(options, name, body, request.method === 'GET')
  const routes = prefix === 'wallet' ? full : prefix === 'walletsolidity' ? solid : {}
  const route = Object.hasOwn(routes, name.toLowerCase()) && more.length === 0 ? routes[name.toLowerCase()] : undefined
  // Jetty's own page, which is no JSON (row T-34).
  if (route === undefined) return { status: 404, text: '<html><body><h2>HTTP ERROR 404 Not Found</h2></body></html>' }
  const answer = withheld(options.node.settings(), name.toLowerCase())
  if (answer !== undefined) return { status: 200, text: answer }
  const query = Object.fromEntries(url.searchParams)
  try {
    const fields = readRequest(
      request.method === 'GET' || body.trim() === '' ? query : { ...query, ...(parseBody(body, request) as object) },
    )
    const result = await options.inTurn(async () =>
      route(openView(options.chain, options.machine, prefix === 'walletsolidity', options.node), fields),
    )
    if (Object.hasOwn(broadcastRoutes, name.toLowerCase()) && (result as { result?: unknown }).result === true)
      await options.taken()
    return { status: 200, text: printJson(result, request.method === 'GET' && fields.flag('int64_as_string')) }
  } catch (error) {
    return { status: 200, text: printJson({ Error: errorText(error) }) }
  }
}

const parseBody = (body: string, request: IncomingMessage): unknown =>
  (request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded') &&
  !body.trimStart().startsWith('{')
    ? Object.fromEntries(new URLSearchParams(body))
    : readObject(parseJson(body))

const readObject = (value: unknown): object => readRequest(value).all

/** Returns the error of an invalid request in java-tron's form; other errors are the sandbox's. */
const errorText = (error: unknown): string => {
  if (error instanceof JavaError) return `class ${error.exception} : ${error.message}`
  if (error instanceof JsonError)
    return `class org.tron.core.services.http.JsonFormat$ParseException : ${error.message}`
  if (error instanceof CodecError) return `class com.google.protobuf.InvalidProtocolBufferException : ${error.message}`
  if (error instanceof SyntaxError) return `class com.alibaba.fastjson.JSONException : ${error.message}`
  throw error
}

const control = async (
  { controls }: TronServerOptions,
  name: string,
  body: string,
  isGet: boolean,
): Promise<Answer> => {
  try {
    const act = Object.hasOwn(controls, name) ? controls[name] : undefined
    if (act === undefined)
      throw new Refusal(`there is no /sandbox/${name}; there is ${Object.keys(controls).join(', ')}`, {
        status: 404,
        code: 101,
      })
    return { status: 200, text: printJson(await act(isGet || body.trim() === '' ? {} : parseJson(body))) }
  } catch (error) {
    if (error instanceof Refusal)
      return { status: error.status, text: printJson({ code: error.code, description: error.message }) }
    if (error instanceof SyntaxError)
      return { status: 400, text: printJson({ code: 100, description: 'send a JSON body' }) }
    throw error
  }
}

/**
 * Returns undefined for a body that is too long. The body is always read to its end: closing a half-read connection
 * would lose the response.
 */
const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= mostBytes) chunks.push(chunk)
  }
  return bytes > mostBytes ? undefined : Buffer.concat(chunks).toString('utf8')
}

/** A proxy between an adapter and its node that answers wrongly, late, by half or not at all, as a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import { parseRpcJson } from '@bursar/chainkit/bitcoin'

interface Call {
  /** of JSON-RPC; of an API of paths, the path without its first slash */
  method: string
  params: unknown[]
}

export type Behaviour =
  | 'pass'
  /** the node never hears of it */
  | 'hang'
  | 'reset'
  | { status: number; body: string }
  /** the node does it, and its answer is lost, or cut in the middle */
  | 'lose'
  | 'half'
  /** the node's result, changed; or a refusal of its own */
  | { change: (result: unknown) => unknown }
  | { refuse: { code: number; message: string } }

export interface TestProxy {
  url: string
  /** what becomes of a call; of a batch, what its first call that does not pass says */
  behave: (call: Call) => Behaviour
  /** methods asked for, in order */
  asked: string[]
  close(): Promise<void>
}

export const startProxy = async (nodeUrl: string): Promise<TestProxy> => {
  const proxy: TestProxy = { url: '', behave: () => 'pass', asked: [], close: async () => {} }
  const server = createServer((incoming, outgoing) => {
    serve(proxy, nodeUrl, incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const target = new URL(nodeUrl)
  target.port = String((server.address() as AddressInfo).port)
  proxy.url = target.href
  proxy.close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return proxy
}

const serve = async (
  proxy: TestProxy,
  nodeUrl: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  const below = (incoming.url ?? '/').slice(1)
  const asked = [JSON.parse(body) as Partial<Call> | Partial<Call>[]].flat()
  const calls = asked.map(({ method = below, params = [] }): Call => ({ method, params }))
  proxy.asked.push(...calls.map(({ method }) => method))
  const behaviours = calls.map((call) => proxy.behave(call))
  const behaviour = behaviours.find((one) => one !== 'pass') ?? 'pass'
  if (behaviour === 'hang') return
  if (behaviour === 'reset') return void incoming.socket.resetAndDestroy()
  if (typeof behaviour === 'object' && 'status' in behaviour)
    return void outgoing.writeHead(behaviour.status).end(behaviour.body)
  const { status, text } = await forward(nodeUrl, incoming, body)
  if (behaviour === 'lose') return void incoming.socket.resetAndDestroy()
  if (behaviour === 'half') return void outgoing.writeHead(status).end(text.slice(0, Math.floor(text.length / 2)))
  outgoing.writeHead(status).end(behaviour === 'pass' ? text : changed(text, behaviours))
}

const forward = async (
  nodeUrl: string,
  incoming: IncomingMessage,
  body: string,
): Promise<{ status: number; text: string }> => {
  const { origin, pathname } = new URL(nodeUrl)
  const path = incoming.url === pathname || incoming.url === undefined ? pathname : incoming.url
  const { authorization } = incoming.headers
  const headers = { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) }
  const answer = await request(origin + path, { method: 'POST', headers, body })
  return { status: answer.statusCode, text: await answer.body.text() }
}

/** Fractions become text in passing, as adapters read them anyway. */
const changed = (text: string, behaviours: readonly Behaviour[]): string => {
  const answers = parseRpcJson(text) as object
  if (!Array.isArray(answers) && !Object.hasOwn(answers, 'jsonrpc'))
    return JSON.stringify(changedWhole(answers, behaviours[0]))
  const change = (answer: { id?: unknown; result?: unknown }, behaviour: Behaviour | undefined): unknown => {
    if (typeof behaviour !== 'object') return answer
    if ('change' in behaviour) return { jsonrpc: '2.0', id: answer.id, result: behaviour.change(answer.result) }
    return 'refuse' in behaviour ? { jsonrpc: '2.0', id: answer.id, error: behaviour.refuse } : answer
  }
  return JSON.stringify(
    Array.isArray(answers)
      ? answers.map((one: object, at) => change(one, behaviours[at]))
      : change(answers, behaviours[0]),
  )
}

/** An API without envelopes: the answer is the result, and a refusal is java-tron's. */
const changedWhole = (answer: object, behaviour: Behaviour | undefined): unknown => {
  if (typeof behaviour !== 'object') return answer
  if ('change' in behaviour) return behaviour.change(answer)
  return 'refuse' in behaviour ? { Error: behaviour.refuse.message } : answer
}

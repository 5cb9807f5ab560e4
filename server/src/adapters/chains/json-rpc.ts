import { Pool } from 'undici'
import { ChainUnavailable } from './port.ts'

/** An answer of the node's own: it understood, and refused. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export interface RpcCall {
  method: string
  params: readonly unknown[]
}

/** JSON-RPC over HTTP. What can't be believed becomes `ChainUnavailable`; what the node refuses becomes `RpcError`. */
export interface RpcClient {
  call(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** Answers in the order asked; each may be an RpcError of its own. */
  batch(calls: readonly RpcCall[]): Promise<unknown[]>
}

const MOST_BYTES = 256 * 1024 * 1024
const MOST_IN_BATCH = 200

/**
 * @param settings.url may carry user and password, sent as Basic authentication
 * @param settings.parse how bodies are read: Bitcoin amounts need their digits as written
 */
export const createRpc = (settings: {
  network: string
  url: string
  timeoutMs?: number
  parse?: (text: string) => unknown
}): RpcClient => {
  const { network, timeoutMs = 20_000, parse = JSON.parse } = settings
  const url = new URL(settings.url)
  const pool = new Pool(url.origin, { connections: 8, bodyTimeout: timeoutMs, headersTimeout: timeoutMs })
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (url.username !== '') {
    const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    headers.authorization = `Basic ${Buffer.from(login).toString('base64')}`
  }
  const path = url.pathname + url.search
  let id = 0

  const send = async (what: string, body: unknown): Promise<unknown> => {
    const unavailable = (why: string, cause?: unknown): ChainUnavailable =>
      new ChainUnavailable(`${network} ${what}: ${why}`, { cause })
    let status: number
    let text: string
    try {
      const answer = await pool.request({
        method: 'POST', path, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(timeoutMs),
      })
      status = answer.statusCode
      text = await readText(answer.body)
    } catch (error) {
      throw unavailable((error as Error).message, error)
    }
    try {
      return parse(text)
    } catch (error) {
      throw unavailable(`answer ${status} is not JSON`, error)
    }
  }

  return {
    call: async (method, ...params) => resultOf(network, method, await send(method, { jsonrpc: '2.0', id: (id += 1), method, params })),
    batch: async (calls) => {
      const results: unknown[] = []
      for (let start = 0; start < calls.length; start += MOST_IN_BATCH) {
        const part = calls.slice(start, start + MOST_IN_BATCH)
        const first = id + 1
        const body = part.map(({ method, params }) => ({ jsonrpc: '2.0', id: (id += 1), method, params }))
        results.push(...resultsOf(network, part, first, await send(`batch of ${part[0]!.method}`, body)))
      }
      return results
    },
  }
}

const readText = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > MOST_BYTES) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

interface Envelope {
  id?: unknown
  result?: unknown
  error?: { code?: unknown; message?: unknown } | null
}

/** The result of one call. Throws RpcError for the node's refusal, ChainUnavailable for what is no JSON-RPC answer. */
const resultOf = (network: string, method: string, answer: unknown): unknown => {
  const envelope = answer as Envelope | null
  if (typeof envelope !== 'object' || envelope === null || Array.isArray(envelope)) {
    throw new ChainUnavailable(`${network} ${method}: not a JSON-RPC answer`)
  }
  const { error } = envelope
  if (error !== undefined && error !== null) {
    if (typeof error.code !== 'number') throw new ChainUnavailable(`${network} ${method}: an error without a code`)
    throw new RpcError(error.code, String(error.message))
  }
  if (!('result' in envelope)) throw new ChainUnavailable(`${network} ${method}: an answer without a result`)
  return envelope.result
}

const resultsOf = (network: string, calls: readonly RpcCall[], first: number, answer: unknown): unknown[] => {
  // A node that refuses the whole batch answers with one error.
  if (!Array.isArray(answer)) throw new ChainUnavailable(`${network} batch of ${calls[0]!.method}: ${JSON.stringify(answer).slice(0, 200)}`)
  const byId = new Map((answer as Envelope[]).map((envelope) => [envelope.id, envelope]))
  return calls.map(({ method }, i) => {
    try {
      return resultOf(network, method, byId.get(first + i))
    } catch (error) {
      if (error instanceof RpcError) return error
      throw error
    }
  })
}

/** A result that must be there; null stands for a node that lost what it had. */
export const present = <T>(value: unknown, what: string): T => {
  if (value === null || value === undefined) throw new ChainUnavailable(`the node has no ${what}`)
  return value as T
}

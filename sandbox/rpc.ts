/** A small JSON-RPC client for the local nodes. */

export class RpcError extends Error {
  readonly method: string
  /** The node's own error code. */
  readonly code: number

  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message}`)
    this.name = 'RpcError'
    this.method = method
    this.code = code
  }
}

export type Rpc = <T>(method: string, ...params: unknown[]) => Promise<T>

export interface RpcOptions {
  /** The value of an `authorization` header. */
  readonly authorization?: string
  /** 'text' keeps every number as it was written, for nodes that send amounts as JSON numbers. Default: 'number'. */
  readonly numbers?: 'number' | 'text'
  readonly timeoutMs?: number
}

/** Throws RpcError for the node's errors, and the error of `fetch` when no node answers. */
export function rpcClient(url: string, options: RpcOptions = {}): Rpc {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (options.authorization !== undefined) headers['authorization'] = options.authorization
  return async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(options.timeoutMs ?? 120_000),
    })
    const text = await response.text()
    if (text === '') throw new RpcError(method, response.status, `HTTP ${response.status}`)
    const answer = (options.numbers === 'text' ? parseKeepingNumbers(text) : JSON.parse(text)) as {
      result?: T
      error?: { code: number | string; message: string } | null
    }
    const { error, result } = answer
    if (error !== undefined && error !== null) throw new RpcError(method, Number(error.code), error.message)
    return result as T
  }
}

type SourceReviver = (key: string, value: unknown, context: { source: string }) => unknown

/** Floats lose satoshis: every JSON number becomes its own source text. */
function parseKeepingNumbers(text: string): unknown {
  const reviver: SourceReviver = (_key, value, context) => (typeof value === 'number' ? context.source : value)
  return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1])
}

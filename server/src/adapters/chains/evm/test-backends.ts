/**
 * One address before machines at different heads, as hosted nodes have it (tidx#264, and providers' documents): each
 * question goes to one of them. The machine that lags is a node of geth's words (`internal/ethapi/api.go`,
 * `eth/api_backend.go`): `latest` is its own head, a block above it is null, and state of a block that it does not
 * have is refused with "header not found". Double of row E-7. Only tests of these adapters use it.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Anvil } from '../../../../../sandbox/anvil/index.ts'

interface Question {
  id: number
  method: string
  params: unknown[]
}

export interface Backends {
  url: string
  /** true: the machine that lags answers */
  lags: (method: string) => boolean
  close(): Promise<void>
}

const NOT_FOUND = { code: -32000, message: 'header not found' }

/** @param behind blocks that one of them lacks */
export const startBackends = async ({ rpc }: Pick<Anvil, 'rpc'>, behind: number): Promise<Backends> => {
  const backends: Backends = { url: '', lags: () => false, close: async () => {} }
  const answer = async ({ id, method, params }: Question, lags: boolean): Promise<object> => {
    try {
      const asked = lags
        ? await asLagging(rpc, { method, params }, Number(await rpc<string>('eth_blockNumber')) - behind)
        : params
      if (asked === 'null') return { jsonrpc: '2.0', id, result: null }
      if (asked === 'unknown') return { jsonrpc: '2.0', id, error: NOT_FOUND }
      return { jsonrpc: '2.0', id, result: await rpc(method, ...asked) }
    } catch (error) {
      return { jsonrpc: '2.0', id, error: { code: -32000, message: (error as Error).message } }
    }
  }
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Question | Question[]
      const lags = backends.lags([body].flat()[0]!.method)
      const said = Array.isArray(body) ? Promise.all(body.map((one) => answer(one, lags))) : answer(body, lags)
      void said.then((value) => outgoing.end(JSON.stringify(value)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  backends.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  backends.close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return backends
}

/** Where the name of a block stands among the parameters. */
const PLACE: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getCode: 1,
  eth_call: 1,
  eth_estimateGas: 1,
}

/** The request to the node with which it answers as one at `head` would. */
const asLagging = async (
  rpc: Anvil['rpc'],
  { method, params }: Omit<Question, 'id'>,
  head: number,
): Promise<unknown[] | 'null' | 'unknown'> => {
  const place = PLACE[method]
  if (place === undefined) return params
  const named = params[place] ?? 'latest'
  const height = named === 'latest' ? head : await heightOf(rpc, named)
  if (height > head) return method === 'eth_getBlockByNumber' ? 'null' : 'unknown'
  return typeof named === 'object'
    ? params
    : [...params.slice(0, place), `0x${height.toString(16)}`, ...params.slice(place + 1)]
}

const heightOf = async (rpc: Anvil['rpc'], named: unknown): Promise<number> =>
  typeof named === 'string'
    ? Number(named)
    : Number(
        (await rpc<{ number: string }>('eth_getBlockByHash', (named as { blockHash: string }).blockHash, false)).number,
      )

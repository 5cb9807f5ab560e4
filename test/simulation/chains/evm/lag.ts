/**
 * An EVM node that lags: it answers as of some blocks ago. Words of go-ethereum for what it does not have
 * (internal/ethapi/api.go, eth/api_backend.go, eth/tracers/api.go): row E-7 of docs/dialects.md.
 */
import { keccak256 } from 'viem'
import { refuse, type NodeCall, type Said } from '../dialect.ts'

/** Where the name of a block stands among the parameters. */
const PLACE: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_feeHistory: 1,
}
/** Answers that name their block: of a newer one nothing is known. */
const NAMES_BLOCK: ReadonlySet<string> = new Set(['eth_getBlockByHash', 'eth_getTransactionReceipt'])
const NULL_IF_UNKNOWN: ReadonlySet<string> = new Set(['eth_getBlockByNumber', 'eth_getBlockReceipts'])
const NOT_MINED = { blockHash: null, blockNumber: null, transactionIndex: null }

export interface Lag {
  ask(call: NodeCall, lagBlocks: number): Promise<Said>
  /** height that a node so many blocks behind shows */
  head(lagBlocks: number): Promise<number>
}

export const createLag = (whole: (call: NodeCall) => Promise<Said>, slotsInEpoch: number): Lag => {
  const read = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const said = await whole({ method, params })
    if (!('result' in said)) throw new Error(`${method}: ${JSON.stringify(said)}`)
    return said.result as T
  }
  const head = async (lagBlocks: number): Promise<number> =>
    Math.max(0, Number(await read<string>('eth_blockNumber')) - lagBlocks)
  const heightOf = async (hash: string): Promise<number | undefined> => {
    const block = await read<{ number: string } | null>('eth_getBlockByHash', hash, false)
    return block === null ? undefined : Number(block.number)
  }

  /** A place as the node that lags understands it; undefined: a block that it does not have. */
  const placeAt = async (place: unknown, latest: number): Promise<unknown> => {
    if (place === 'latest' || place === undefined) return hex(latest)
    if (place === 'safe') return hex(Math.max(0, latest - slotsInEpoch))
    if (place === 'finalized') return hex(Math.max(0, latest - 2 * slotsInEpoch))
    if (place === 'earliest' || place === 'pending') return place
    const { blockHash, blockNumber } =
      typeof place === 'string' ? asPlace(place) : (place as { blockHash?: string; blockNumber?: string })
    const height = blockHash === undefined ? Number(blockNumber) : await heightOf(blockHash)
    return height !== undefined && height > latest ? undefined : place
  }

  const ask = async (call: NodeCall, latest: number): Promise<Said> => {
    const { method, params } = call
    const at = PLACE[method]
    if (method === 'eth_blockNumber') return { result: hex(latest) }
    if (at !== undefined) {
      const place = await placeAt(params[at], latest)
      if (place !== undefined) return whole({ method, params: Object.assign([...params], { [at]: place }) })
      return NULL_IF_UNKNOWN.has(method) ? { result: null } : refuse(-32_000, 'header not found')
    }
    if (method.startsWith('debug_traceBlockBy')) {
      if ((await placeAt(params[0], latest)) !== undefined) return whole(call)
      return refuse(-32_000, `block ${String(params[0])} not found`)
    }
    if (method === 'eth_sendRawTransaction') {
      // What a newer block holds still waits in its pool.
      const found = await read<{ blockNumber: string | null } | null>(
        'eth_getTransactionByHash',
        keccak256(params[0] as `0x${string}`),
      ).catch(() => null)
      if (found !== null && isNewer(found.blockNumber, latest)) return refuse(-32_000, 'already known')
    }
    const said = await whole(call)
    if (!('result' in said) || said.result === null) return said
    const shown = said.result as { number?: string; blockNumber?: string | null }
    if (NAMES_BLOCK.has(method) && isNewer(shown.number ?? shown.blockNumber, latest)) return { result: null }
    if (method === 'eth_getTransactionByHash' && isNewer(shown.blockNumber, latest))
      return { result: { ...shown, ...NOT_MINED } }
    return said
  }
  return { head, ask: async (call, lagBlocks) => (lagBlocks === 0 ? whole(call) : ask(call, await head(lagBlocks))) }
}

const hex = (height: number): string => `0x${height.toString(16)}`
const isNewer = (height: string | null | undefined, latest: number): boolean =>
  height !== null && height !== undefined && Number(height) > latest
const asPlace = (place: string): { blockHash?: string; blockNumber?: string } =>
  place.length === 66 ? { blockHash: place } : { blockNumber: place }

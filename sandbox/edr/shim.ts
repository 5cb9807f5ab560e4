/**
 * Adds requests that tests need and EDR lacks: receipts and traces of whole blocks, a final block below the head, raw
 * bytes by hash, and reorganisations, which use a snapshot of the state before each block. All other responses are
 * EDR's own.
 */
import { privateKeyToAccount } from 'viem/accounts'
import { deployerKey, faucetKey } from '../anvil/transactions.ts'
import type { Provider } from './binding.ts'

interface Question {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

interface Block {
  readonly number: string
  readonly timestamp: string
  readonly baseFeePerGas: string
  readonly transactions: string[]
}

class Refused extends Error {
  readonly error: NonNullable<Answer['error']>

  constructor(error: NonNullable<Answer['error']>) {
    super(error.message)
    this.error = error
  }
}

const gwei = 1_000_000_000n
const accounts = ([faucetKey, deployerKey] as const).map((key) => privateKeyToAccount(key))
/** The same hands on the node under another name. */
const RENAMED: Readonly<Record<string, string>> = {
  anvil_setBalance: 'hardhat_setBalance',
  anvil_setCode: 'hardhat_setCode',
  anvil_setNextBlockBaseFeePerGas: 'hardhat_setNextBlockBaseFeePerGas',
}
const hex = (value: number | bigint): `0x${string}` => `0x${value.toString(16)}`

type Methods = Readonly<Record<string, (params: readonly unknown[]) => Promise<unknown>>>

interface ShimOptions {
  readonly chainId: number
  readonly slotsInEpoch: number
  readonly ownReads?: boolean
  readonly clock?: () => number
}

/** Handles one request at a time, because a reorganisation consists of many. */
export function createShim(
  provider: Provider,
  { chainId, slotsInEpoch, ownReads = false, clock }: ShimOptions,
): (question: unknown) => Promise<unknown> {
  /** By height: the state with that block as the head. */
  const snapshots = new Map<number, string>()
  const raws = new Map<string, string>()
  let coinbase: unknown

  const ask = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = (typeof data === 'string' ? JSON.parse(data) : data) as Answer
    if (error !== undefined) throw new Refused({ code: error.code, message: error.message })
    return result as T
  }
  const head = async (): Promise<number> => Number(await ask<string>('eth_blockNumber'))
  const blockOf = (place: unknown): Promise<Block | null> =>
    typeof place === 'string' && place.length === 66
      ? ask('eth_getBlockByHash', place, false)
      : ask('eth_getBlockByNumber', place, false)

  const mine = async (): Promise<null> => {
    const { number, timestamp } = (await blockOf('latest'))!
    snapshots.set(Number(number), await ask<string>('evm_snapshot'))
    if (clock !== undefined)
      await ask('evm_setNextBlockTimestamp', Math.max(Number(timestamp) + 1, Math.floor(clock() / 1_000)))
    await ask('evm_mine')
    return null
  }
  const send = async (raw: unknown): Promise<string> => {
    const hash = await ask<string>('eth_sendRawTransaction', raw)
    raws.set(hash, String(raw))
    return hash
  }
  /** EDR keeps no raw bytes: transactions of its own accounts are signed here. */
  const sign = async (given: Readonly<Record<string, string>>): Promise<unknown> => {
    const { from, to, data = '0x', value = '0x0', gas } = given
    const account = accounts.find(({ address }) => address.toLowerCase() === from?.toLowerCase())
    if (account === undefined) return ask('eth_sendTransaction', given)
    const limit =
      gas ?? (await ask<string>('eth_estimateGas', { from, data, value, ...(to === undefined ? {} : { to }) }))
    const { baseFeePerGas } = (await blockOf('latest'))!
    const fields = {
      chainId,
      nonce: Number(await ask<string>('eth_getTransactionCount', from, 'pending')),
      gas: BigInt(limit),
      value: BigInt(value),
      data: data as `0x${string}`,
    }
    return send(
      await account.signTransaction({
        ...fields,
        ...(to === undefined ? {} : { to: to as `0x${string}` }),
        type: 'eip1559',
        maxFeePerGas: 2n * BigInt(baseFeePerGas) + gwei,
        maxPriorityFeePerGas: gwei,
      }),
    )
  }
  const pending = async (): Promise<string[]> =>
    (await ask<{ hash: string }[]>('eth_pendingTransactions')).map(({ hash }) => hash)

  /**
   * A snapshot is used up by going back to it, with all later ones; the pool comes back as it was then, and is emptied.
   * Returns the transactions that waited before, raw.
   */
  const rewind = async (depth: number): Promise<string[]> => {
    const waiting = (await pending()).flatMap((hash) => raws.get(hash) ?? [])
    const height = (await head()) - depth
    const snapshot = snapshots.get(height)
    if (snapshot === undefined || !(await ask<boolean>('evm_revert', snapshot)))
      throw new Refused({ code: -32_000, message: `the state of block ${height} was discarded` })
    for (const at of snapshots.keys()) if (at >= height) snapshots.delete(at)
    for (const hash of await pending()) await ask('hardhat_dropTransaction', hash)
    // It went back too, and the same transactions in the same second would make the same blocks.
    if (coinbase !== undefined) await ask('hardhat_setCoinbase', coinbase)
    return waiting
  }
  const reorganise = async (
    depth: number,
    remaining: readonly (readonly [raw: string, block: number])[],
  ): Promise<null> => {
    const waiting = await rewind(depth)
    for (let block = 0; block < depth; block += 1) {
      for (const [raw, at] of remaining) if (at === block) await send(raw)
      await mine()
    }
    for (const raw of waiting) await send(raw).catch(ignoreRefused)
    return null
  }

  const ofEach = async <T>(place: unknown, one: (hash: string) => Promise<T>): Promise<T[] | null> => {
    const block = await blockOf(place)
    if (block === null) return null
    const all: T[] = []
    for (const hash of block.transactions) all.push(await one(hash))
    return all
  }
  const reads: Methods = {
    eth_getBlockReceipts: ([place]) => ofEach(place, (hash) => ask('eth_getTransactionReceipt', hash)),
    // go-ethereum 1.16 refuses a block that it does not know (eth/tracers/api.go blockByHash).
    debug_traceBlockByHash: async ([hash, given]) => {
      const { tracer, tracerConfig } = given as { tracer?: string; tracerConfig?: object }
      const traces = await ofEach(hash, async (txHash) => ({
        txHash,
        result: await ask('debug_traceTransaction', txHash, { tracer, tracerConfig }),
      }))
      if (traces === null) throw new Refused({ code: -32_000, message: `block ${String(hash)} not found` })
      return traces
    },
    eth_getBlockByNumber: async ([place, whole]) => {
      const below = place === 'finalized' ? 2 * slotsInEpoch : place === 'safe' ? slotsInEpoch : 0
      return ask('eth_getBlockByNumber', below === 0 ? place : hex(Math.max(0, (await head()) - below)), whole)
    },
  }
  const own: Methods = {
    evm_mine: mine,
    anvil_mine: async ([count = '0x1']) => {
      for (let left = Number(count); left > 0; left -= 1) await mine()
      return null
    },
    anvil_setCoinbase: async ([address]) => {
      coinbase = address
      return ask('hardhat_setCoinbase', address)
    },
    // Takes the newest blocks away and leaves the pool empty; the branch is the caller's to make.
    sandbox_rewind: ([depth]) => rewind(Number(depth)),
    anvil_reorg: ([depth, remaining]) => reorganise(Number(depth), remaining as [string, number][]),
    eth_sendRawTransaction: ([raw]) => send(raw),
    eth_sendTransaction: ([given]) => sign(given as Record<string, string>),
    eth_getRawTransactionByHash: async ([hash]) => raws.get(String(hash)) ?? null,
    txpool_status: async () => ({ pending: hex((await pending()).length), queued: '0x0' }),
    ...(ownReads ? {} : reads),
  }

  const answer = async ({ id, method, params = [] }: Question): Promise<unknown> => {
    try {
      const result = await (own[method]?.(params) ?? ask(RENAMED[method] ?? method, ...params))
      return { jsonrpc: '2.0', id, result: result ?? null }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return { jsonrpc: '2.0', id, error: error.error }
    }
  }
  let last: Promise<unknown> = Promise.resolve()
  return (question) => {
    const next = last.then(() => answer(question as Question))
    last = next.catch(() => undefined)
    return next
  }
}

/** Ignores a refusal, because the coins of a pool transaction may be spent in the branch. */
function ignoreRefused(error: unknown): void {
  if (!(error instanceof Refused)) throw error
}

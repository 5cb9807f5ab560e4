import type { EvmNetwork } from '@bursar/chainkit'
import { decodeUint, DECIMALS_CALL, encodeBalanceOf } from '@bursar/chainkit/evm'
import { ChainUnavailable, type AccountChainAdapter, type Head } from '../port.ts'
import { createRpc, present, RpcError, type RpcClient } from '../json-rpc.ts'
import { probeTraces, readBlock, type TraceMode } from './blocks.ts'
import { broadcast } from './broadcast.ts'
import { readFeeRate, type GasSettings } from './fees.ts'
import { headOf, hexQuantity, quantity, safeNumber, type WireBlock, type WireReceipt } from './wire.ts'

export interface EvmSettings extends GasSettings {
  network: EvmNetwork
  url: string
  /** contracts whose transfers are looked at, in lowercase */
  tokens: readonly string[]
  /** `finalized`: the node's tag; a number: so many blocks at and above a block make it final */
  finality: 'finalized' | number
  /** off: a node without tracing is asked nothing of it */
  traces: 'auto' | 'off'
  timeoutMs?: number
}

/** A node of Ethereum or a chain like it, over JSON-RPC. */
export const createEvmAdapter = (settings: EvmSettings): AccountChainAdapter => {
  const rpc = createRpc({ network: settings.network, url: settings.url, ...(settings.timeoutMs ? { timeoutMs: settings.timeoutMs } : {}) })
  const tokens = new Set(settings.tokens.map((token) => token.toLowerCase()))
  let probing: Promise<TraceMode> | undefined
  const traceMode = (): Promise<TraceMode> => {
    if (settings.traces === 'off') return Promise.resolve('none')
    probing ??= probeTraces(rpc).catch((error: unknown) => {
      probing = undefined
      throw error
    })
    return probing
  }
  const blockHead = async (tag: string): Promise<Head | null> => {
    const block = (await rpc.call('eth_getBlockByNumber', tag, false)) as WireBlock | null
    return block && headOf(block)
  }
  const head = async (): Promise<Head> => present(await blockHead('latest'), 'newest block')
  return {
    network: settings.network,
    identity: async () => quantity(await rpc.call('eth_chainId')).toString(),
    capabilities: async () => ({ mempool: false, traces: (await traceMode()) !== 'none' }),
    head,
    finalized: async () => {
      if (settings.finality === 'finalized') return present(await blockHead('finalized'), 'finalized block')
      const { height } = await head()
      return present(await blockHead(hexQuantity(Math.max(0, height - settings.finality + 1))), 'final block')
    },
    blockAt: async (height) => readBlock(rpc, height, tokens, await traceMode()),
    hashAt: async (height) => (await blockHead(hexQuantity(height)))?.hash ?? null,
    mempool: async () => ({ hashes: new Set(), added: [] }),
    statusOf: (hash) => statusOf(rpc, hash),
    broadcast: (raw) => broadcast(rpc, raw.startsWith('0x') ? raw : `0x${raw}`),
    feeRate: () => readFeeRate(rpc, settings),
    balancesAt: (height, wanted) => balancesAt(rpc, height, wanted),
    minedNonce: async (address) => safeNumber(await rpc.call('eth_getTransactionCount', address, 'latest')),
    estimateGas: async (call) => {
      try {
        const request = { from: call.from, to: call.to, value: hexQuantity(call.value), data: call.data }
        return { ok: true, gas: quantity(await rpc.call('eth_estimateGas', request)) }
      } catch (error) {
        if (error instanceof RpcError) return { ok: false, message: error.message }
        throw error
      }
    },
    isContract: async (address) => present<string>(await rpc.call('eth_getCode', address, 'latest'), 'code') !== '0x',
    tokenDecimals: async (contract) => {
      const answer = decodeUint(present<string>(await rpc.call('eth_call', { to: contract, data: DECIMALS_CALL }, 'latest'), 'answer'))
      if (answer === undefined || answer > 36n) throw new ChainUnavailable(`${contract} is no ERC-20 token: it answers no decimals()`)
      return Number(answer)
    },
  }
}

const statusOf = async (rpc: RpcClient, hash: string): ReturnType<AccountChainAdapter['statusOf']> => {
  const receipt = (await rpc.call('eth_getTransactionReceipt', hash)) as WireReceipt | null
  if (receipt === null) {
    return { kind: (await rpc.call('eth_getTransactionByHash', hash)) === null ? 'unknown' : 'mempool' }
  }
  // A receipt of a lost block says nothing: the block at its height must be its block.
  const block = (await rpc.call('eth_getBlockByNumber', receipt.blockNumber, false)) as WireBlock | null
  if (block?.hash !== receipt.blockHash) return { kind: 'unknown' }
  return {
    kind: 'mined',
    height: safeNumber(receipt.blockNumber),
    blockHash: receipt.blockHash,
    succeeded: receipt.status === '0x1',
    fee: quantity(receipt.gasUsed) * quantity(receipt.effectiveGasPrice),
  }
}

const balancesAt = async (
  rpc: RpcClient,
  height: number,
  wanted: readonly { address: string; contract: string | null }[],
): Promise<bigint[]> => {
  const at = hexQuantity(height)
  const answers = await rpc.batch(
    wanted.map(({ address, contract }) =>
      contract === null
        ? { method: 'eth_getBalance', params: [address, at] }
        : { method: 'eth_call', params: [{ to: contract, data: encodeBalanceOf(address) }, at] },
    ),
  )
  return answers.map((answer, i) => {
    if (answer instanceof RpcError) throw new ChainUnavailable(`no balance of ${wanted[i]!.address} at ${height}: ${answer.message}`)
    if (wanted[i]!.contract === null) return quantity(answer)
    const units = typeof answer === 'string' ? decodeUint(answer) : undefined
    if (units === undefined) throw new ChainUnavailable(`${wanted[i]!.contract} answers no balance: is it a token?`)
    return units
  })
}

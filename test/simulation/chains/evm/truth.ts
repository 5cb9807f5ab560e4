/** What an EVM chain really holds, read one transaction at a time: the adapters read whole blocks, and other traces. */
import { decodeEventLog, encodeFunctionData, erc20Abi } from 'viem'
import { RpcError, type Rpc } from '../../../../sandbox/rpc.ts'
import type { Received, SimulatedChain, TransactionState } from '../chain.ts'

interface Receipt {
  status: string
  blockNumber: string
  logs: { address: string; topics: [`0x${string}`, ...`0x${string}`[]]; data: `0x${string}`; logIndex: string }[]
}

interface Frame {
  type: string
  from: string
  to?: string
  value?: string
  error?: string
  calls?: Frame[]
}

const hex = (height: number): string => `0x${height.toString(16)}`
/** keccak256 of `Transfer(address,address,uint256)` */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Frames that show the value of another one, or none. */
const MOVES_NOTHING: ReadonlySet<string> = new Set(['STATICCALL', 'DELEGATECALL', 'CALLCODE'])

export const readTruth = (
  rpc: Rpc,
  contracts: readonly string[],
): Pick<SimulatedChain, 'head' | 'balance' | 'received' | 'attemptsTo' | 'transaction' | 'isWithin'> => {
  const receiptOf = (hash: string): Promise<Receipt | null> => rpc('eth_getTransactionReceipt', hash)
  const head = async () => {
    const { number, hash, timestamp } = await rpc<Record<'number' | 'hash' | 'timestamp', string>>(
      'eth_getBlockByNumber',
      'latest',
      false,
    )
    return { height: Number(number), hash, time: Number(timestamp) }
  }
  return {
    head,
    balance: async (address, contract) => {
      if (contract === null) return BigInt(await rpc<string>('eth_getBalance', address, 'latest'))
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address as `0x${string}`] })
      return BigInt(await rpc<string>('eth_call', { to: contract, data }, 'latest'))
    },
    transaction: async (hash): Promise<TransactionState> => {
      const receipt = await receiptOf(hash)
      if (receipt !== null) return BigInt(receipt.status) === 1n ? 'mined' : 'failed'
      return (await rpc('eth_getTransactionByHash', hash)) === null ? 'unknown' : 'pool'
    },
    isWithin: async (hash, depth) => {
      const receipt = await receiptOf(hash)
      return receipt !== null && Number(receipt.blockNumber) > (await head()).height - depth
    },
    attemptsTo: async (address, from, to) => {
      let attempts = 0
      for (let height = from; height <= to; height += 1) {
        const block = await rpc<{ transactions: { to: string | null }[] }>('eth_getBlockByNumber', hex(height), true)
        attempts += block.transactions.filter((one) => one.to?.toLowerCase() === address.toLowerCase()).length
      }
      return attempts
    },
    received: async (addresses, from, to) => {
      const wanted = new Map([...addresses].map((address) => [address.toLowerCase(), address]))
      const found: Received[] = []
      for (let height = from; height <= to; height += 1) {
        const block = await rpc<{ transactions: string[] } | null>('eth_getBlockByNumber', hex(height), false)
        for (const hash of block?.transactions ?? []) {
          const receipt = (await receiptOf(hash))!
          if (BigInt(receipt.status) !== 1n) continue
          for (const moved of [...tokensIn(receipt, contracts), ...coinsIn(await traceOf(rpc, hash))]) {
            const address = wanted.get(moved.to.toLowerCase())
            if (address !== undefined) found.push({ ...moved, hash, to: address, height })
          }
        }
      }
      return found
    },
  }
}

type Moved = Pick<Received, 'index' | 'to' | 'contract' | 'units'>

const tokensIn = ({ logs }: Receipt, contracts: readonly string[]): Moved[] =>
  logs.flatMap(({ address, topics, data, logIndex }) => {
    const contract = contracts.find((one) => one.toLowerCase() === address.toLowerCase())
    if (contract === undefined || topics[0] !== TRANSFER) return []
    const { args } = decodeEventLog({ abi: erc20Abi, eventName: 'Transfer', topics, data })
    return [{ index: `log ${Number(logIndex)}`, to: args.to, contract, units: args.value }]
  })

const traceOf = async (rpc: Rpc, hash: string): Promise<Frame> => {
  try {
    return await rpc<Frame>('debug_traceTransaction', hash, { tracer: 'callTracer' })
  } catch (error) {
    if (error instanceof RpcError) throw new Error(`the trace of ${hash}: ${error.message}`, { cause: error })
    throw error
  }
}

/** Calls that moved coins, those below them included. */
const coinsIn = (frame: Frame, index = '0'): Moved[] => {
  if (frame.error !== undefined) return []
  const units = MOVES_NOTHING.has(frame.type) ? 0n : BigInt(frame.value ?? '0x0')
  const own =
    units > 0n && frame.to !== undefined ? [{ index: `call ${index}`, to: frame.to, contract: null, units }] : []
  return [...own, ...(frame.calls ?? []).flatMap((call, at) => coinsIn(call, `${index}.${at}`))]
}

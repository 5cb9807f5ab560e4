/**
 * The true contents of the Bitcoin chain: whole blocks without the spent outputs, and scans, by a client of the
 * sandbox's.
 */
import { RpcError, type Rpc } from '../../../../sandbox/rpc.ts'
import type { Received, SimulatedChain, TransactionState } from '../chain.ts'

interface Block {
  tx: { txid: string; vout: { value: string; n: string; scriptPubKey: { address?: string } }[] }[]
}

export const satoshisOf = (bitcoins: string): bigint => BigInt(bitcoins.replace('.', ''))

type Truth = Pick<SimulatedChain, 'head' | 'balance' | 'received' | 'transaction' | 'isWithin'>

const unlessRefused = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof RpcError) return undefined
    throw error
  }
}

export const readTruth = (rpc: Rpc): Truth => {
  /** The index also finds transactions of blocks that are no longer in the chain; the header shows this. */
  const heightOf = async (hash: string): Promise<number | undefined> => {
    const found = await unlessRefused(rpc<{ blockhash?: string }>('getrawtransaction', hash, 1))
    if (found?.blockhash === undefined) return undefined
    const header = await rpc<{ height: string; confirmations: string }>('getblockheader', found.blockhash)
    return Number(header.confirmations) > 0 ? Number(header.height) : undefined
  }
  return {
    head: async () => {
      const hash = await rpc<string>('getbestblockhash')
      const { height, time } = await rpc<{ height: string; time: string }>('getblockheader', hash)
      return { height: Number(height), hash, time: Number(time) }
    },
    balance: async (address) => {
      const { total_amount: total } = await rpc<{ total_amount: string }>('scantxoutset', 'start', [`addr(${address})`])
      return satoshisOf(total)
    },
    transaction: async (hash): Promise<TransactionState> => {
      if ((await heightOf(hash)) !== undefined) return 'mined'
      return (await unlessRefused(rpc('getmempoolentry', hash))) === undefined ? 'unknown' : 'pool'
    },
    isWithin: async (hash, depth) => {
      const height = await heightOf(hash)
      return height !== undefined && height > Number(await rpc<string>('getblockcount')) - depth
    },
    received: async (addresses, from, to) => {
      const found: Received[] = []
      for (let height = from; height <= to; height += 1) {
        const { tx } = await rpc<Block>('getblock', await rpc('getblockhash', height), 2)
        for (const { txid, vout } of tx)
          for (const { value, n, scriptPubKey } of vout) {
            const { address } = scriptPubKey
            if (address !== undefined && addresses.has(address))
              found.push({ hash: txid, index: n, to: address, contract: null, units: satoshisOf(value), height })
          }
      }
      return found
    },
  }
}

import { parseSigned } from '@bursar/chainkit/evm'
import { isRefused } from '@bursar/chainkit'
import type { BroadcastResult } from '../port.ts'
import { RpcError, type RpcClient } from '../json-rpc.ts'

/** What nodes say (geth, reth, anvil, bsc), by what it means. Text is all there is to go by: codes are the same for most. */
const MEANINGS: { says: RegExp; means: 'known' | 'nonce' | 'fee-too-low' | 'insufficient-funds' }[] = [
  { says: /already known|already imported|known transaction|already exists/i, means: 'known' },
  { says: /nonce too low|nonce is too low|invalid nonce|old nonce/i, means: 'nonce' },
  { says: /underpriced|fee too low|less than block base fee|max fee per gas less|gas price too low|tip.*too low/i, means: 'fee-too-low' },
  { says: /insufficient funds|insufficient balance/i, means: 'insufficient-funds' },
]

/** Hands over signed bytes. Safe to repeat: what the node has, in its pool or a block, it has taken. */
export const broadcast = async (rpc: RpcClient, raw: string): Promise<BroadcastResult> => {
  try {
    await rpc.call('eth_sendRawTransaction', raw)
    return { kind: 'accepted' }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return judge(rpc, raw, error.message)
  }
}

const judge = async (rpc: RpcClient, raw: string, message: string): Promise<BroadcastResult> => {
  const meaning = MEANINGS.find(({ says }) => says.test(message))?.means
  if (meaning === 'known') return { kind: 'accepted' }
  if (await isThere(rpc, raw)) return { kind: 'accepted' }
  if (meaning === 'nonce') return { kind: 'conflict', message }
  return { kind: 'refused', reason: meaning ?? 'invalid', message }
}

/** A used-up nonce may be used up by this very transaction. */
const isThere = async (rpc: RpcClient, raw: string): Promise<boolean> => {
  const parsed = parseSigned(Buffer.from(raw.replace(/^0x/, ''), 'hex'))
  if (isRefused(parsed)) return false
  return (await rpc.call('eth_getTransactionByHash', parsed.hash)) !== null
}

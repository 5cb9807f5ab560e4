/** What the TRON chain really holds, read one transaction at a time: the adapter reads whole blocks. */
import { addressOfHex, addressOfEvmForm } from '@bursar/chainkit/tron'
import { tronTokenBalance } from '../../../../sandbox/chains/tron-faucet.ts'
import type { TronApi, TronBlock } from '../../../../sandbox/chains/tron-api.ts'
import type { TronControls } from '../../../../sandbox/tron/controls.ts'
import type { Received, SimulatedChain, TransactionState } from '../chain.ts'

interface Info {
  id?: string
  blockNumber?: number
  result?: 'FAILED'
  log?: { address: string; topics: string[]; data?: string }[]
  internal_transactions?: {
    transferTo_address?: string
    callValueInfo?: { callValue?: number; tokenId?: string }[]
    rejected?: boolean
    note?: string
  }[]
}

interface Shown {
  txID: string
  raw_data: {
    contract: [
      {
        type: string
        parameter: { value: { to_address?: string; contract_address?: string; amount?: number; call_value?: number } }
      },
    ]
  }
}

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

type Truth = Pick<SimulatedChain, 'head' | 'balance' | 'received' | 'transaction' | 'isWithin'>

export const readTruth = (api: TronApi, node: TronControls): Truth => {
  const infoOf = (hash: string): Promise<Info> => api.ask('wallet/gettransactioninfobyid', { value: hash })
  return {
    head: async () => {
      const { height, id, timestamp } = node.status()
      return { height, hash: id, time: Math.floor(timestamp / 1_000) }
    },
    balance: async (address, contract) => {
      if (contract !== null) return tronTokenBalance(api, contract, address)
      const { balance = 0 } = await api.ask<{ balance?: number }>('wallet/getaccount', { address })
      return BigInt(balance)
    },
    transaction: async (hash): Promise<TransactionState> => {
      const { id, result } = await infoOf(hash)
      if (id !== undefined) return result === 'FAILED' ? 'failed' : 'mined'
      return node.status().pending.includes(hash) ? 'pool' : 'unknown'
    },
    isWithin: async (hash, depth) => {
      const { id, blockNumber = 0 } = await infoOf(hash)
      return id !== undefined && blockNumber > node.status().height - depth
    },
    received: async (addresses, from, to) => {
      const found: Received[] = []
      for (let num = from; num <= to; num += 1) {
        const { transactions = [] } = await api.ask<TronBlock>('wallet/getblockbynum', { num })
        for (const shown of transactions as unknown as Shown[]) {
          const info = await infoOf(shown.txID)
          if (info.result === 'FAILED') continue
          for (const moved of [...outermost(shown), ...inner(info), ...logged(info)])
            if (addresses.has(moved.to)) found.push({ ...moved, hash: shown.txID, height: num })
        }
      }
      return found
    },
  }
}

type Moved = Pick<Received, 'index' | 'to' | 'contract' | 'units'>

const outermost = ({ raw_data: { contract } }: Shown): Moved[] => {
  const { type, parameter } = contract[0]
  const { to_address: receiver, contract_address: called, amount = 0, call_value: value = 0 } = parameter.value
  if (type === 'TransferContract' && receiver !== undefined)
    return [{ index: 'transfer', to: receiver, contract: null, units: BigInt(amount) }]
  if (type !== 'TriggerSmartContract' || called === undefined || value === 0) return []
  return [{ index: 'call', to: called, contract: null, units: BigInt(value) }]
}

/** Of calls, creations and destructions; others are about stake. */
const inner = ({ internal_transactions: list = [] }: Info): Moved[] =>
  list.flatMap(({ transferTo_address: to, callValueInfo = [], rejected, note = '' }, at) => {
    const units = callValueInfo.find(({ tokenId }) => tokenId === undefined)?.callValue ?? 0
    const kind = Buffer.from(note, 'hex').toString()
    if (to === undefined || rejected === true || units === 0 || !['call', 'create', 'suicide'].includes(kind)) return []
    return [{ index: `inner ${at}`, to: readable(to), contract: null, units: BigInt(units) }]
  })

const logged = ({ log = [] }: Info): Moved[] =>
  log.flatMap(({ address, topics, data = '' }, at) => {
    if (topics[0] !== TRANSFER || topics.length !== 3) return []
    const to = addressOfEvmForm(topics[2]!.slice(-40))
    return [{ index: `log ${at}`, to, contract: readable(address), units: BigInt(`0x${data.slice(0, 64) || '0'}`) }]
  })

/** Some addresses stay hexadecimal though the request asks for base58 (java-tron, Util.java). */
const readable = (address: string): string =>
  address.startsWith('T') ? address : address.length === 42 ? addressOfHex(address) : addressOfEvmForm(address)

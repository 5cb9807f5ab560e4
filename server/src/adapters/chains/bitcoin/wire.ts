import { satoshiOf } from '@bursar/chainkit/bitcoin'
import type { ChainTransaction, Transfer } from '../port.ts'

/** Bitcoin Core's JSON as far as it is read; amounts are the digits as written (`parseRpcJson`). */
export interface WireTransaction {
  txid: string
  vin: { coinbase?: string; txid?: string; vout?: number; prevout?: { scriptPubKey: WireScript } }[]
  vout: WireOutput[]
  /** BTC; in blocks, absent for the coinbase */
  fee?: string | number
}

export interface WireOutput {
  n: number
  value: string | number
  scriptPubKey: WireScript
}

export interface WireScript {
  /** absent for scripts that have none: OP_RETURN, bare multisig, unknown witness versions */
  address?: string
}

export interface WireBlock {
  hash: string
  height: number
  confirmations: number
  previousblockhash?: string
  time: number
  tx: WireTransaction[]
}

/** The satoshi of an amount as Core printed it. */
export const satoshi = (btc: string | number): bigint => satoshiOf(String(btc))

/**
 * What a transaction uses up and pays. Scripts without an address pay nobody that can be named.
 * @param senders addresses of the outputs it spends, where they are known
 */
export const transactionOf = (wire: WireTransaction, senders: readonly string[], fee: bigint | null): ChainTransaction => ({
  hash: wire.txid,
  keys: wire.vin.flatMap((input) => (input.txid === undefined ? [] : [`${input.txid}:${input.vout}`])),
  succeeded: true,
  fee,
  transfers: wire.vout.flatMap((output): Transfer[] => {
    const { address } = output.scriptPubKey
    const units = satoshi(output.value)
    if (address === undefined || units === 0n) return []
    return [{ index: `o:${output.n}`, contract: null, from: [...senders], to: address, units }]
  }),
})

/** Addresses of the outputs a transaction in a block spends, each once. */
export const sendersOf = ({ vin }: WireTransaction): string[] => [
  ...new Set(vin.flatMap((input) => input.prevout?.scriptPubKey.address ?? [])),
]

import type { KeyOrigin } from './derivation.ts'

/** A spendable unspent output. Callers may add fields of their own, which are returned unchanged. */
export interface Coin {
  /** As nodes print it */
  txid: string
  vout: number
  /** satoshi */
  units: bigint
  script: Uint8Array
}

/** A coin with the key that spends it, so that a signer finds it in the PSBT. */
export interface SpendableCoin extends Coin {
  origin?: KeyOrigin
}

export interface Output {
  script: Uint8Array
  /** satoshi */
  units: bigint
}

export function sumOf(items: readonly { units: bigint }[]): bigint {
  return items.reduce((sum, { units }) => sum + units, 0n)
}

/** `TXID:VOUT`, which identifies an output uniquely. */
export function outpointOf({ txid, vout }: { txid: string; vout: number }): string {
  return `${txid}:${vout}`
}

export function compareOutpoints(a: Coin, b: Coin): number {
  if (a.txid !== b.txid) return a.txid < b.txid ? -1 : 1
  return a.vout - b.vout
}

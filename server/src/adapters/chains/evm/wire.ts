import { ChainUnavailable, type Head } from '../port.ts'

/** What the node's JSON looks like, as far as it is read. Numbers are hex quantities. */
export interface WireBlock {
  number: string
  hash: string
  parentHash: string
  timestamp: string
  transactions: WireTransaction[]
}

export interface WireTransaction {
  hash: string
  from: string
  to: string | null
  nonce: string
  value: string
  input: string
  gas: string
}

export interface WireReceipt {
  transactionHash: string
  blockHash: string
  blockNumber: string
  status: string
  gasUsed: string
  effectiveGasPrice: string
  logs: WireLog[]
}

export interface WireLog {
  address: string
  topics: string[]
  data: string
  logIndex: string
}

/** A frame of the node's call tracer. */
export interface WireFrame {
  type: string
  from: string
  to?: string
  value?: string
  error?: string
  calls?: WireFrame[]
}

const QUANTITY = /^0x[0-9a-f]{1,64}$/i

/** A hex quantity as bigint; anything else can't be believed. */
export const quantity = (text: unknown): bigint => {
  if (typeof text !== 'string' || !QUANTITY.test(text)) throw new ChainUnavailable(`the node answered ${JSON.stringify(text)} for a number`)
  return BigInt(text)
}

export const safeNumber = (text: unknown): number => {
  const value = quantity(text)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ChainUnavailable(`the node answered ${value} for a height or count`)
  return Number(value)
}

export const hexQuantity = (value: number | bigint): string => `0x${value.toString(16)}`

export const headOf = (block: Pick<WireBlock, 'number' | 'hash'>): Head => ({ height: safeNumber(block.number), hash: block.hash })

import type { HotKey, NonceLine } from '../../chain/transactions/index.ts'
import type { HotBalance } from './hot-balance.ts'

/** One hot address while payouts are planned. */
export interface Member {
  key: HotKey
  /** transactions it may still send before a block shows any */
  slots: number
  hotBalance: HotBalance
  /** the nonces it has next, read before its balance: what took one of them meanwhile spends the same balance */
  nonces: NonceLine
}

export interface Part {
  ticker: string
  /** ledger units */
  units: bigint
}

/**
 * The address that pays: of those that can, the one with the most room, so that all of them work. Undefined when none
 * can.
 */
export const choosePayer = (members: readonly Member[], parts: readonly Part[]): Member | undefined => {
  const able = members.filter(({ slots, hotBalance }) => slots > 0 && hotBalance.hasAll(parts))
  return able.toSorted((a, b) => b.slots - a.slots || a.key.index - b.key.index)[0]
}

/** What all members together have too little of; undefined when it only lies in too many places. */
export const lackingOf = (members: readonly Member[], parts: readonly Part[]): string | undefined => {
  const wanted = new Map<string, bigint>()
  for (const { ticker, units } of parts) wanted.set(ticker, (wanted.get(ticker) ?? 0n) + units)
  return [...wanted].find(([ticker, units]) => sumOf(members, ticker) < units)?.[0]
}

const sumOf = (members: readonly Member[], ticker: string): bigint =>
  members.reduce((sum, { hotBalance }) => sum + (hotBalance.left(ticker) > 0n ? hotBalance.left(ticker) : 0n), 0n)

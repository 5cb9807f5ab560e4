import type { Transfer } from '@bursar/chainkit'
import type { ChainKind, Names } from './names.ts'
import type { SimulatedTransaction } from './transaction.ts'

/** A payment from outside, whose coins are created for it. */
export interface OutsidePayment {
  to: string
  units: bigint
  /** a token's contract in lower case, listed or not; null for the native coin */
  contract?: string | null
  /** by a call within the transaction, on a chain of accounts */
  inner?: boolean
}

export const OUTSIDE_PRICE = 2_000n
const OUTSIDE_FEE = 300n

/** Visible transfers of payments from outside: listed tokens, and native coin above 0. */
export const outsideTransaction = (
  payments: readonly OutsidePayment[],
  { kind, tokens, names }: { kind: ChainKind; tokens: ReadonlySet<string>; names: Names },
  { sender, keys, price }: { sender: string; keys: string[]; price: bigint },
): SimulatedTransaction => {
  const transfers = payments.flatMap(({ to, units, contract = null, inner = false }, at): Transfer[] => {
    if (units === 0n || (contract !== null && !tokens.has(contract))) return []
    const native = inner || at > 0 ? `t:${at}` : 'n'
    const index = kind === 'coins' ? `o:${at}` : contract === null ? native : `l:${at}`
    return [{ index, contract, from: [sender], to, units }]
  })
  return { hash: names.hash(), keys, succeeded: true, fee: OUTSIDE_FEE, transfers, debits: [], turn: null, price }
}

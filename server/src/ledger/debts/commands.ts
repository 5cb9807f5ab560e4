import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { balancesOf, lockAccounts } from '../postings/index.ts'
import { createStop, liftStopsOf } from '../stops/index.ts'

/** A merchant's accounts in one asset. */
export interface Pair {
  merchantId: string
  asset: string
}

export const pairText = ({ merchantId, asset }: Pair): string => `${merchantId}/${asset}`

/** The reason of a stop that a debt causes; the stop is lifted when the debt is repaid. */
const STOP_REASON = 'receivable'

const unique = (pairs: readonly Pair[]): Pair[] => [...new Map(pairs.map((pair) => [pairText(pair), pair])).values()]

/**
 * Returns merchants' debts by `pairText`, without those that owe nothing. Locks the accounts that owe until the
 * transaction ends, so that no debt is repaid twice. A debt that another transaction is creating is repaid by a later
 * credit.
 */
export const lockDebts = async (tx: Tx, pairs: readonly Pair[]): Promise<Map<string, bigint>> => {
  const seen = await balancesOf(tx, 'receivable', unique(pairs))
  const owed = seen.filter(({ posted }) => posted < 0n)
  if (owed.length === 0) return new Map()
  const locked = await lockAccounts(tx, owed, ['receivable'])
  return new Map(locked.filter(({ posted }) => posted < 0n).map((account) => [pairText(account), -account.posted]))
}

/** Returns available amounts of merchants, by `pairText`, and locks the accounts until the transaction ends. */
export const lockAvailable = async (tx: Tx, pairs: readonly Pair[]): Promise<Map<string, Available>> => {
  const none = (pair: Pair): [string, Available] => [pairText(pair), { merchant: 0n, suspense: 0n, quarantine: 0n }]
  const available = new Map(unique(pairs).map(none))
  for (const { kind, posted, held, ...pair } of await lockAccounts(tx, unique(pairs), [
    'merchant',
    'suspense',
    'quarantine',
  ])) {
    available.get(pairText(pair))![kind] = posted - held
  }
  return available
}

/** The available amounts of a merchant's accounts in one asset. */
export interface Available {
  merchant: bigint
  suspense: bigint
  quarantine: bigint
}

/** Stops withdrawals of merchants that owe, until they repay. Waits for transactions that plan withdrawals. */
export const stopDebtors = async (tx: Tx, pairs: readonly Pair[], moment: Moment): Promise<void> => {
  for (const { merchantId, asset } of unique(pairs))
    await createStop(tx, { asset, merchantId, reason: STOP_REASON }, moment)
}

export const liftDebtorStops = async (tx: Tx, pairs: readonly Pair[], { at }: Moment): Promise<void> => {
  if (pairs.length === 0) return
  await liftStopsOf(tx, pairs, STOP_REASON, at)
}

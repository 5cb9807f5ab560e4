/** Withdrawals as the api leaves them: the row and its hold, in one statement. */
import { sql } from 'kysely'
import { applyAll } from '../../server/src/ledger/postings/index.ts'
import { holdItem } from '../../server/src/pay-out/withdrawals/placing.ts'
import { attach } from '../../server/src/pay-out/withdrawals/index.ts'
import type { Withdrawal } from '../../server/src/pay-out/withdrawals/withdrawal.ts'
import { inTransaction, type Db, type Tx } from '../../server/src/platform/db/index.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { grantCapital } from '../../server/src/treasury/reconciliation/index.ts'

/** Units are ledger units. */
export type Wanted = Pick<Withdrawal, 'merchantId' | 'ticker' | 'blockchain' | 'to' | 'units'> & Partial<Withdrawal>

const FEE = 1_000n

/** A withdrawal that is not stored. */
export const newWithdrawal = (runtime: Runtime, wanted: Wanted): Withdrawal => {
  const { at, newId } = momentOf(runtime)
  const id = wanted.id ?? newId()
  return {
    id,
    intentId: id,
    fee: FEE,
    localId: null,
    meta: null,
    state: 'requested',
    failReason: null,
    internal: false,
    holdId: newId(),
    outgoingId: null,
    doneSent: false,
    notifiedAs: null,
    createdAt: at,
    ...wanted,
  }
}

/** A withdrawal of a merchant that has the money. */
export const placeWithdrawal = async (runtime: Runtime, wanted: Wanted): Promise<Withdrawal> => {
  const withdrawal = newWithdrawal(runtime, wanted)
  await inTransaction(runtime.db, (tx) => applyAll(tx, [holdItem(withdrawal, null)]))
  return withdrawal
}

/**
 * A withdrawal of a merchant that has the money, attached to a planned transaction as the jobs do.
 * @throws when it is stopped
 */
export const planWithdrawal = async (tx: Tx, runtime: Runtime, wanted: Wanted, outgoingId: string): Promise<void> => {
  const withdrawal = newWithdrawal(runtime, wanted)
  await applyAll(tx, [holdItem(withdrawal, null)])
  if (!(await attach(tx, [withdrawal], outgoingId, momentOf(runtime)))) throw new Error(`${withdrawal.id} is stopped`)
}

/** The same as `placeWithdrawal`. @returns its id */
export const requestWithdrawal = async (runtime: Runtime, wanted: Wanted): Promise<string> =>
  (await placeWithdrawal(runtime, wanted)).id

/** A withdrawal of a merchant that is given the money first. @returns its id */
export const fundWithdrawal = async (runtime: Runtime, wanted: Wanted): Promise<string> => {
  const { merchantId, ticker: asset, units, fee = FEE } = wanted
  await inTransaction(runtime.db, (tx) =>
    grantCapital(tx, { merchantId, asset, units: units + fee }, momentOf(runtime)),
  )
  return requestWithdrawal(runtime, wanted)
}

export const withdrawalState = async (db: Db, id: string): Promise<string> =>
  (await sql<{ state: string }>`select state from withdrawals where id = ${id}`.execute(db)).rows[0]!.state

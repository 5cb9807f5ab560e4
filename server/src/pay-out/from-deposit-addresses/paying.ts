import type { Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { attach, type Withdrawal } from '../withdrawals/index.ts'
import { payersFor, takeAddress, type Need, type Payer } from './store.ts'

/** The parts of paying from deposit addresses that differ by chain. */
export interface Way<Plan> {
  network: Network
  /** the balance that an address needs for each of these withdrawals of one asset */
  needsOf(ticker: string, all: readonly Withdrawal[]): Promise<Need[]>
  /** undefined if that address can't pay, or should not */
  planFrom(withdrawal: Withdrawal, payer: Payer): Promise<Plan | undefined>
  /** Until the transaction ends, excludes operations on deposit addresses other than sweeps and payments. */
  lock?(tx: Tx): Promise<void>
  /** Stores the planned transaction of the claimed address, and returns its id. */
  insert(tx: Tx, plan: Plan, payer: Payer, moment: Moment): Promise<string>
}

interface PayingDeps {
  runtime: Runtime
  pause(name: string): Promise<void>
}

/**
 * Pays those waiting withdrawals that deposit addresses can pay; an address pays at most one of each asset. Returns the
 * ids of the planned withdrawals.
 */
export const payFrom = async <Plan>(
  deps: PayingDeps,
  waiting: readonly Withdrawal[],
  way: Way<Plan>,
): Promise<Set<string>> => {
  const paid = new Set<string>()
  for (const [ticker, all] of Map.groupBy(waiting, (withdrawal) => withdrawal.ticker)) {
    const used = new Set<string>()
    for (const payer of await payersFor(deps.runtime.db, way.network, ticker, await way.needsOf(ticker, all))) {
      if (paid.has(payer.withdrawalId) || used.has(payer.address)) continue
      const withdrawal = all.find(({ id }) => id === payer.withdrawalId)!
      if (!(await payOne(deps, withdrawal, payer, way))) continue
      used.add(payer.address)
      paid.add(withdrawal.id)
    }
  }
  return paid
}

const payOne = async <Plan>(
  deps: PayingDeps,
  withdrawal: Withdrawal,
  payer: Payer,
  way: Way<Plan>,
): Promise<boolean> => {
  const plan = await planOrNot(deps, payer, () => way.planFrom(withdrawal, payer))
  if (plan === undefined) return false
  await deps.pause('direct-chosen')
  return store(deps, withdrawal, payer, plan, way)
}

/** A failed request about one address delays no withdrawal: another address or the hot wallet pays it. */
const planOrNot = async <Plan>(
  { runtime }: PayingDeps,
  { address }: Payer,
  plan: () => Promise<Plan | undefined>,
): Promise<Plan | undefined> => {
  try {
    return await plan()
  } catch (err) {
    runtime.log.warn({ err, address }, 'a deposit address can not pay now; another one or the hot wallet pays')
    return undefined
  }
}

const store = async <Plan>(
  { runtime }: PayingDeps,
  withdrawal: Withdrawal,
  payer: Payer,
  plan: Plan,
  way: Way<Plan>,
): Promise<boolean> => {
  class Taken extends Error {}
  try {
    await inTransaction(runtime.db, async (tx) => {
      await way.lock?.(tx)
      if (!(await takeAddress(tx, way.network, payer.address))) throw new Taken()
      const moment = momentOf(runtime)
      const id = await way.insert(tx, plan, payer, moment)
      if (!(await attach(tx, [withdrawal], id, moment))) throw new Taken()
    })
    return true
  } catch (error) {
    if (error instanceof Taken) return false
    throw new Error(`planning a payment from ${payer.address} failed`, { cause: error })
  }
}

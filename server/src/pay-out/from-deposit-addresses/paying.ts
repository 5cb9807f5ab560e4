import type { Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { attach, type Withdrawal } from '../withdrawals/index.ts'
import { payersFor, takeAddress, type Need, type Payer } from './store.ts'

/** What differs by chain about paying from deposit addresses. */
export interface Way<Plan> {
  network: Network
  /** what an address has to hold for each of some withdrawals of one asset */
  needsOf(ticker: string, all: readonly Withdrawal[]): Promise<Need[]>
  /** undefined when that address can't, or had better not */
  planFrom(withdrawal: Withdrawal, payer: Payer): Promise<Plan | undefined>
  /** Keeps from an address, until the transaction ends, what else than a sweep or a payment could be begun there. */
  lock?(tx: Tx): Promise<void>
  /** Stores the planned transaction of an address that is now taken; its id. */
  insert(tx: Tx, plan: Plan, payer: Payer, moment: Moment): Promise<string>
}

interface PayingDeps {
  runtime: Runtime
  pause(name: string): Promise<void>
}

/** Pays of waiting withdrawals those that deposit addresses can pay, each address one of an asset; the ids of those. */
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

/** What can't be learnt of one address keeps no withdrawal waiting: another pays it, or the hot wallet. */
const planOrNot = async <Plan>(
  { runtime }: PayingDeps,
  { address }: Payer,
  plan: () => Promise<Plan | undefined>,
): Promise<Plan | undefined> => {
  try {
    return await plan()
  } catch (err) {
    runtime.log.warn({ err, address }, 'a deposit address can not pay now: another does, or the hot wallet')
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

import type { Contract } from '@bursar/chainkit/tron'
import { inTransaction } from '../../../platform/db/index.ts'
import { forEachIsolated } from '../../../platform/jobs/index.ts'
import { insertPlanned, recentReference } from '../../../chain/transactions/index.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import type { TronSweepDeps } from './deps.ts'
import { closeLoans, idleBorrowers, lockTronSweeps, noteReturn, type Borrower } from './loans.ts'
import { byHot } from './plans.ts'

const MOST_RETURNS = 50

/**
 * Takes back the energy that deposit addresses have borrowed once their sweeps have ended, with any outcome. The amount
 * is the amount that the chain shows as lent, not the plan. A return that is lost or fails is planned again.
 */
export const returnLoans = async (deps: TronSweepDeps): Promise<void> => {
  const { db } = deps.runtime
  await closeLoans(db, momentOf(deps.runtime).at)
  const borrowers = await idleBorrowers(db, MOST_RETURNS)
  if (borrowers.length === 0) return
  const { height: final } = await deps.adapter.finalized()
  const [prices, reference] = await Promise.all([deps.adapter.feeRate(), recentReference(deps)])
  if (prices.kind !== 'resources') throw new Error('the fee rate of TRON must consist of resource prices')
  // A node that lags does not know the loan yet and would report that nothing is lent.
  await forEachIsolated(
    borrowers.filter(({ height }) => height <= final),
    (borrower) => takeBack(deps, { prices, reference }, borrower),
  )
}

const takeBack = async (
  deps: TronSweepDeps,
  view: Parameters<typeof byHot>[1],
  { address, height }: Borrower,
): Promise<void> => {
  const { runtime, adapter, hotAddress } = deps
  const amount = await adapter.loanOf(hotAddress, address, height)
  await deps.pause('return-chosen')
  const contract: Contract = {
    kind: 'UnDelegateResourceContract',
    owner: hotAddress,
    resource: 'ENERGY',
    amount,
    receiver: address,
  }
  const outgoing = amount === 0n ? null : byHot(deps, view, contract, 'resources')
  await inTransaction(runtime.db, async (tx) => {
    await lockTronSweeps(tx)
    const moment = momentOf(runtime)
    if (!outgoing) return void (await noteReturn(tx, address, { closedAt: moment.at }))
    await insertPlanned(tx, outgoing, moment)
    if (!(await noteReturn(tx, address, { returnId: outgoing.id }))) throw new NotIdle()
  }).catch((error: unknown) => {
    if (!(error instanceof NotIdle)) throw error
  })
  await deps.pause('return-planned')
}

/** Thrown when a sweep of the address was started meanwhile. */
class NotIdle extends Error {}

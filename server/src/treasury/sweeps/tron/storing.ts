import { inTransaction } from '../../../platform/db/index.ts'
import { insertPlanned, isPlannedStill } from '../../../chain/transactions/index.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import { insertSweeps, moveSweeps } from '../store.ts'
import type { Sweep } from '../sweep.ts'
import type { TronWay } from './choice.ts'
import type { TronSweepDeps } from './deps.ts'
import { insertLoan, lockTronSweeps, quietAmong } from './loans.ts'
import type { TronPlanned } from './plans.ts'

/** One asset of one address to be swept, by a sweep that is started or is to be started. */
export interface TronTarget extends Pick<Sweep, 'asset' | 'address' | 'merchantId' | 'derivationIndex' | 'units'> {
  /** null: not started */
  sweepId: string | null
}

/** Thrown when another process was faster. */
class Taken extends Error {}

/** Thrown when another job has planned from the hot address since its figures were read: they are read again. */
export class Overtaken extends Error {
  override name = 'Overtaken'
}

/**
 * Stores a transaction and its effect on the sweep, all or nothing. False when another process was faster. Throws
 * `Overtaken` if the transaction is the hot address's and its figures are out of date.
 * @param planned number of transactions planned from the hot address at the reading of its figures
 */
export const storeStep = async (
  deps: TronSweepDeps,
  target: TronTarget,
  way: TronWay,
  { outgoing, lends }: TronPlanned,
  planned: number,
): Promise<boolean> => {
  const { runtime } = deps
  const isTransfer = outgoing.purpose === 'sweep'
  try {
    await inTransaction(runtime.db, async (tx) => {
      await lockTronSweeps(tx)
      if (!isTransfer && !(await isPlannedStill(tx, 'TRON', deps.hotAddress, planned))) throw new Overtaken()
      const moment = momentOf(runtime)
      await insertPlanned(tx, outgoing, moment)
      const { sweepId, ...rest } = target
      if (sweepId !== null) {
        // The transfer uses the way for which it was prepared.
        const more = isTransfer ? { outgoingId: outgoing.id } : { fundingId: outgoing.id, way }
        const moved = await moveSweeps(tx, { ids: [sweepId] }, isTransfer ? 'attached' : 'needs-more', moment.at, more)
        if (moved.length === 0) throw new Taken()
      } else {
        if (!(await quietAmong(tx, [target.address])).has(target.address)) throw new Taken()
        const ids = isTransfer
          ? ({ state: 'carried', outgoingId: outgoing.id, fundingId: null } as const)
          : ({ state: 'planned', outgoingId: null, fundingId: outgoing.id } as const)
        if (!(await insertSweeps(tx, [{ ...rest, id: runtime.newId(), network: 'TRON', way, ...ids }], moment)))
          throw new Taken()
      }
      if (lends === null) return
      const { address, merchantId, derivationIndex } = target
      await insertLoan(
        tx,
        { id: runtime.newId(), address, merchantId, derivationIndex, stake: lends },
        outgoing.id,
        moment,
      )
    })
    return true
  } catch (error) {
    if (error instanceof Taken) return false
    throw error
  }
}

/** Ends a sweep that can't be prepared or sent at present. */
export const dropSweep = async ({ runtime }: TronSweepDeps, { sweepId }: TronTarget): Promise<void> => {
  if (sweepId === null) return
  await inTransaction(runtime.db, (tx) => moveSweeps(tx, { ids: [sweepId] }, 'dropped', momentOf(runtime).at))
}

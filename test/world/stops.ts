/** Stops of money that leaves, as operators make and lift them. */
import { createStop, liftStop, listStops, type NewStop } from '../../server/src/ledger/stops/index.ts'
import { inTransaction } from '../../server/src/platform/db/index.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'

/** Stops everything, or what all members of `stop` have in common. */
export const stopMoney = (runtime: Runtime, stop: Partial<NewStop> = {}): Promise<void> =>
  inTransaction(runtime.db, (tx) =>
    createStop(tx, { asset: null, merchantId: null, reason: 'test', actor: 'test', ...stop }, momentOf(runtime)),
  )

/** Lifts every stop. */
export const liftStops = async (runtime: Runtime): Promise<void> => {
  for (const { id } of await listStops(runtime.db))
    await liftStop(runtime.db, id, { actor: 'test', reason: null }, momentOf(runtime).at)
}

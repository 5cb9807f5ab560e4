/** Stops of money that leaves, as operators make and lift them. */
import { createStop, liftStop, listStops, type NewStop } from '../../server/src/ledger/stops/index.ts'
import { inTransaction, type Db } from '../../server/src/platform/db/index.ts'
import { momentOf } from '../../server/src/platform/runtime/runtime.ts'
import { createTestRuntime } from './runtime.ts'

/** Stops everything, or the payments that match all members of `stop`. */
export const stopMoney = (db: Db, stop: Partial<NewStop> = {}): Promise<void> =>
  inTransaction(db, (tx) =>
    createStop(
      tx,
      { asset: null, merchantId: null, reason: 'test', actor: 'test', ...stop },
      momentOf(createTestRuntime(db)),
    ),
  )

/** Lifts every stop. */
export const liftStops = async (db: Db): Promise<void> => {
  for (const { id } of await listStops(db)) await liftStop(db, id, { actor: 'test', reason: null }, new Date())
}

/** Commands of operators: stops, money that they give, and adjustments that two people sign. */
import { createStop, liftStop, listStops } from '../../../server/src/ledger/stops/index.ts'
import { inTransaction } from '../../../server/src/platform/db/index.ts'
import { momentOf } from '../../../server/src/platform/runtime/runtime.ts'
import { grantCapital } from '../../../server/src/treasury/reconciliation/index.ts'
import { adjust } from '../adjusting.ts'
import { AMOUNT } from '../scene.ts'
import type { Operation } from './operation.ts'

export const controlOperations: readonly Operation[] = [
  {
    name: 'stop',
    changes: ['stops'],
    run: ({ runtime }, { merchantId }) =>
      inTransaction(runtime.db, (tx) =>
        createStop(tx, { asset: null, merchantId, reason: 'a check', actor: 'test' }, momentOf(runtime)),
      ),
  },
  {
    name: 'lift-stop',
    changes: ['stops'],
    isStopped: true,
    run: async ({ runtime }) => {
      const at = new Date(runtime.clock.now())
      for (const { id } of await listStops(runtime.db))
        await liftStop(runtime.db, id, { actor: 'test', reason: null }, at)
    },
  },
  {
    name: 'grant',
    changes: ['USDT'],
    run: ({ runtime }, { merchantId }) =>
      inTransaction(runtime.db, (tx) =>
        grantCapital(tx, { merchantId, asset: 'USDT', units: AMOUNT }, momentOf(runtime)),
      ),
  },
  { name: 'adjust', changes: ['USDT'], run: (process, { adjustment }) => adjust(process, adjustment) },
]

import { awaitedPayments } from '../../cards/acquiring/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { runOut } from './payment-subscriber.ts'
import type { FiatInvoiceSettings } from './settings.ts'
import { findRunOut } from './store.ts'

const MOST_AT_ONCE = 100

/** Ends expired invoices, by the business clock. */
export const createFiatExpiryJob = (
  deps: {
    runtime: Runtime
    settings: Pick<FiatInvoiceSettings, 'catalogue' | 'publicUrl' | 'table'>
    pause(name: string): Promise<void>
  },
  everyMs: number,
): Job => ({
  name: 'expiry of fiat invoices',
  everyMs,
  run: async () => {
    const { runtime, settings } = deps
    const { at } = momentOf(runtime)
    const ids = await findRunOut(runtime.db, awaitedPayments(at), at, MOST_AT_ONCE)
    await forEachIsolated(ids, async (id) => {
      await deps.pause('fiat-invoice-run-out')
      await inTransaction(runtime.db, async (tx) => {
        const moment = momentOf(runtime)
        await carryOut(tx, await runOut(tx, id, settings, moment), moment)
      })
    })
    return ids.length === MOST_AT_ONCE
  },
})

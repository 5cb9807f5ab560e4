import { erasePaymentEmails } from '../../cards/acquiring/index.ts'
import { deletePayerMails } from '../../merchants/mail/index.ts'
import { eraseInvoiceEmails } from '../../pay-in/crypto-invoices/index.ts'
import { eraseFiatInvoiceEmails } from '../../pay-in/fiat-invoices/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { endErasure, openErasures } from './store.ts'

const AT_ONCE = 5

/** Erases addresses that members have asked to erase, each in one transaction. */
export const createErasingJob = (runtime: Runtime, everyMs: number): Job => ({
  name: 'erasing addresses of payers',
  everyMs,
  run: async () => {
    const open = await openErasures(runtime.db, new Date(runtime.clock.business()), AT_ONCE)
    await forEachIsolated(open, async ({ id, merchantId, emails }) => {
      await inTransaction(runtime.db, async (tx) => {
        if (!(await endErasure(tx, id, new Date(runtime.clock.now())))) return
        await eraseInvoiceEmails(tx, emails, merchantId)
        await eraseFiatInvoiceEmails(tx, emails, merchantId)
        await erasePaymentEmails(tx, emails, merchantId)
        await deletePayerMails(tx, emails, merchantId)
      })
    })
    return open.length === AT_ONCE
  },
})

import { raiseOrRenewAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { auditAccounts } from './commands.ts'
import { spendableAccounts } from '../../ledger/postings/index.ts'
import { withoutHold, type Payment, type PaymentKind } from './store.ts'

const HOLD_ALERT = 'payment-without-hold'

/**
 * Returns those of these payments that may be planned: all accounts that their merchants may spend from are proved to
 * the last entry, and an open hold of its own covers each payment. Alerts state why the others may not; those are left
 * unchanged.
 */
export const provedPayments = async <One extends Payment>(
  runtime: Runtime,
  kind: PaymentKind,
  payments: readonly One[],
): Promise<One[]> => {
  if (payments.length === 0) return []
  const accounts = await spendableAccounts(
    runtime.db,
    payments.map(({ merchantId }) => merchantId),
  )
  const unproved = await auditAccounts(
    runtime,
    accounts.map(({ id }) => id),
  )
  const stopped = new Set(accounts.filter(({ id }) => unproved.has(id)).map(({ merchantId }) => merchantId))
  const baseless = new Set(await withoutHold(runtime.db, kind, payments))
  for (const { id, merchantId, ticker } of payments.filter((one) => baseless.has(one.id))) {
    const text =
      `The ${kind} ${id} of merchant ${merchantId} in ${ticker} has no open hold that covers it: it is not paid. Bursar never writes such a row: ` +
      'find out who did, docs/operating/recovery.md, "Books that can\'t be proved"'
    await raiseOrRenewAlert(runtime.db, { kind: HOLD_ALERT, subject: id, text }, momentOf(runtime))
  }
  return payments.filter(({ id, merchantId }) => !baseless.has(id) && !stopped.has(merchantId))
}

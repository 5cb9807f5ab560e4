import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import { endClaim, lockClaimPaidBy } from './claims-store.ts'
import { mailPayer } from './deciding.ts'
import { isRegistered } from './invoice.ts'
import type { InvoiceSettings } from './settings.ts'
import { announce, lockById } from './store.ts'

/** The end of the withdrawal that pays an approved claim. */
export interface RefundEnd {
  status: 'Done' | 'Failed'
  /** null: it was internal */
  hash: string | null
}

/**
 * Updates a claim when the withdrawal that pays it ends, in the same transaction. Sent: the payer is notified. Failed:
 * the claim waits until the merchant approves it again or refuses it; meanwhile its invoice accepts no payments. Failed
 * may follow Done.
 */
export const createRefundSubscriber =
  (settings: Pick<InvoiceSettings, 'catalogue' | 'publicUrl'>) =>
  async (
    tx: Tx,
    withdrawal: { merchantId: string; id: string },
    { status, hash }: RefundEnd,
    moment: Moment,
  ): Promise<void> => {
    const claim = await lockClaimPaidBy(tx, withdrawal.merchantId, withdrawal.id)
    const wasSent = claim?.state === 'sent'
    if (!claim || (claim.state !== 'approved' && !(wasSent && status === 'Failed'))) return
    await endClaim(tx, claim, status === 'Done' ? { state: 'sent', hash } : { state: 'failed' })
    const { id, merchantId, invoiceId } = claim
    await announce(tx, [invoiceId])
    if (status === 'Failed') {
      const when = wasSent ? ' after the payer was notified that it was sent' : ''
      const text =
        `The refund of invoice ${invoiceId} by withdrawal ${withdrawal.id} failed${when}, and the money is back on the balance: ` +
        `bursar claims approve ${id} pays it again, bursar claims refuse ${id} NOTE leaves it to the merchant`
      await raiseAlert(tx, { kind: 'refund-claim', subject: id, text, detail: { merchantId, invoiceId } }, moment)
      return
    }
    const invoice = await lockById(tx, invoiceId)
    if (!invoice || !isRegistered(invoice)) throw new Error(`claim ${id} is of no invoice that was ever paid`)
    await mailPayer(
      tx,
      invoice,
      claim,
      { answer: 'sent', refund: claim.units!, note: claim.note, hash },
      settings,
      moment,
    )
  }

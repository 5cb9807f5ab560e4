import { findPayment, RefundRefused, requestRefund } from '../../cards/acquiring/index.ts'
import { approveClaim, ClaimRefusal } from '../../pay-in/crypto-invoices/index.ts'
import {
  PayoutProblem,
  RefundImpossible,
  type ApprovedRefund,
  type RefundMakers,
} from '../../pay-out/requests/index.ts'
import { askWithdrawal, type Rules } from '../../pay-out/withdrawals/index.ts'
import { actorOf } from '../../people/access/index.ts'
import type { FiatWorld } from './fiat.ts'

/**
 * Make the refunds that members have approved. Each compares the money as it is now with the approved line: a refund of
 * another amount, or to another address, is not made.
 */
export const createRefundMakers = (
  { catalogue, publicUrl, acquirers: { table } }: Pick<FiatWorld, 'catalogue' | 'publicUrl' | 'acquirers'>,
  rules: Rules,
): RefundMakers => ({
  claim: async (tx, { merchantId, refundOf, line }, { real, moment }) => {
    const pay = async (refund: Parameters<Parameters<typeof approveClaim>[2]>[0]) => {
      const { ticker, blockchain, to, spend } = refund
      const isApproved = spend === line.units && to === line.to
      if (!isApproved || ticker !== line.ticker || blockchain !== line.blockchain) throw new PayoutProblem('changed')
      const withdrawal = await askWithdrawal(tx, refund, rules, real.getTime(), moment)
      if (withdrawal.fee > line.feeLimit) throw new PayoutProblem('fee')
      return withdrawal
    }
    const key = { merchantId, id: refundOf }
    const { withdrawalId } = await approveClaim(tx, key, pay, line.meta, { catalogue, publicUrl }, moment).catch(
      impossible,
    )
    return withdrawalId
  },
  card: async (tx, { merchantId, refundOf, makerId, before, line }: ApprovedRefund, { moment }) => {
    const payment = await findPayment(tx, refundOf)
    // Money in suspense is the operator's to assign.
    if (payment?.merchantId !== merchantId || payment.state !== 'credited')
      throw new RefundImpossible('the payment is not credited: it can not be refunded')
    if (payment.paidTicker !== line.ticker) throw new PayoutProblem('changed')
    const asked = { paymentId: refundOf, units: line.units, before, reason: line.meta ?? '', actor: actorOf(makerId) }
    return (await requestRefund(tx, asked, table, moment).catch(impossible)).id
  },
})

/** A refusal that ends the request. Other errors are faults, and are tried again. */
const impossible = (error: unknown): never => {
  if (error instanceof ClaimRefusal || error instanceof RefundRefused) throw new RefundImpossible(error.message)
  throw error
}

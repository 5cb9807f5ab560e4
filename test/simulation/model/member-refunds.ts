/**
 * Refunds of card payments that members ask for (docs/integrating/payouts-by-two.md): a request fails if another refund
 * of the payment was made since it was asked for, so that an acquirer makes no more refunds than that.
 */
import type { Payment } from '../acquirers/index.ts'
import type { Books, RefundAsked, Requested } from './books.ts'

/** A member's request of a refund. */
export type RefundRequested = Requested & { refund: NonNullable<Requested['refund']> }

export const isRefund = (requested: Requested): requested is RefundRequested => requested.refund !== undefined

/** Whether the operator's refund was taken up after the member had asked, and before another member approved. */
const isBetween = ({ began, ended }: RefundAsked, { refund, decisions }: RefundRequested): boolean =>
  began > refund.asked.ended && decisions.every((decision) => ended < decision.began)

/** @param payments of the acquirers' own books */
export const judgeMemberRefunds = (
  { requested, refundsAsked }: Pick<Books, 'requested' | 'refundsAsked'>,
  payments: readonly Payment[],
): string[] => {
  const byPayment = Map.groupBy(requested.filter(isRefund), ({ refund }) => refund.reference)
  return [...byPayment].flatMap(([reference, requests]) => {
    const payment = payments.find((one) => one.reference === reference)!
    const ordered = refundsAsked.filter((one) => one.reference === reference)
    // No refund is made for a request without an approval, or after a refund by an operator.
    const possible = requests.filter(
      (one) => one.decisions.length > 0 && !ordered.some((order) => isBetween(order, one)),
    )
    const problems: string[] = []
    const most = ordered.length + possible.length
    if (payment.refunds > most)
      problems.push(
        `card payment ${reference}: ${payment.refunds} refunds were made, and ${ordered.length} of an operator and ${possible.length} of members are possible`,
      )
    if (payment.refunded > payment.paid!)
      problems.push(`card payment ${reference}: ${payment.refunded} of ${payment.paid} were refunded`)
    return problems
  })
}

/** Whether the acquirer shows every refund of its payment, so that the member's request led to one of them. */
export const isRefundMade = (
  { requested, refundsAsked }: Pick<Books, 'requested' | 'refundsAsked'>,
  payments: readonly Payment[],
  { refund: { reference } }: RefundRequested,
): boolean => {
  const all =
    refundsAsked.filter((one) => one.reference === reference).length +
    requested.filter(({ refund }) => refund?.reference === reference).length
  return payments.find((one) => one.reference === reference)!.refunds >= all
}

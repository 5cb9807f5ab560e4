/** Shows payments, payouts and statement lines in the API and callbacks. */
import type { Line, Payment, Payout, Refund } from './rows.ts'
import { amountOf } from './terms.ts'

const money = (digits: string): string => amountOf(BigInt(digits))

export function viewOf(order: Payment | Payout, url: string): Record<string, unknown> {
  const { id, reference, status, currency, units, createdAt, decidedAt, maskedCard, fee, code, message } = order
  return {
    id,
    reference,
    status,
    currency,
    amount: money(units),
    ...(order.kind === 'payment'
      ? paymentView(order, url)
      : order.sent === undefined
        ? {}
        : { sentAmount: money(order.sent) }),
    ...(fee === undefined ? {} : { fee: money(fee) }),
    ...(maskedCard === undefined ? {} : { card: maskedCard }),
    ...(code === undefined ? {} : { code, message }),
    createdAt,
    ...(decidedAt === undefined ? {} : { decidedAt }),
  }
}

function paymentView({ id, paid, refunded, expiresAt }: Payment, url: string): Record<string, unknown> {
  return {
    pageUrl: `${url}/pay/${id}`,
    ...(paid === undefined ? {} : { paidAmount: money(paid), refundedAmount: money(refunded) }),
    expiresAt,
  }
}

export function refundView(
  { id, reference, isPending, units, createdAt }: Refund,
  currency: string,
): Record<string, unknown> {
  return { id, reference, status: isPending ? 'processing' : 'succeeded', currency, amount: money(units), createdAt }
}

export function lineView({ id, type, reference, currency, units, fee, at }: Line): Record<string, unknown> {
  return {
    id,
    type,
    ...(reference === undefined ? {} : { reference }),
    currency,
    amount: money(units),
    fee: money(fee),
    at,
  }
}

/** The states of a payment: ordered through the API, paid on the page, decided, reported, refunded. */
import type { Outcome } from '../acquirers/faults.ts'
import { passesLuhn } from '../acquirers/luhn.ts'
import { BankRefusal, newId, notify, lineOf } from './context.ts'
import type { Context } from './context.ts'
import { plainTelling, reasons } from './reasons.ts'
import type { Payment, Refund, Row } from './rows.ts'
import { feeOf, isWithin } from './terms.ts'
import { findTestCard, maskOf, secureCode } from './test-cards.ts'

export type PaymentOrder = Pick<
  Payment,
  | 'account'
  | 'reference'
  | 'currency'
  | 'description'
  | 'callbackUrl'
  | 'returnUrl'
  | 'email'
  | 'language'
  | 'expiresAt'
> & { readonly units: bigint }

const mostWrongCodes = 3
/** The difference that `wrong-amount` makes, minor units. */
const shortBy = 1_00n

/** Returns the existing payment for a repeated order; refuses another order with its reference. */
export function orderPayment(context: Context, order: PaymentOrder): Payment {
  const { units, ...rest } = order
  const { limits } = context.prices.payIn[order.currency]
  if (!isWithin(limits, units))
    throw new BankRefusal(422, 'amount_out_of_limits', 'the amount is not within the limits of one payment')
  const known = context.book.find('payment', order.account, order.reference)
  if (known !== undefined) {
    if (BigInt(known.units) === units && known.currency === order.currency) return known
    throw new BankRefusal(409, 'duplicate_reference', 'there is another payment of this reference')
  }
  const payment: Payment = {
    kind: 'payment',
    id: newId(),
    ...rest,
    units: units.toString(),
    status: 'created',
    createdAt: context.now(),
    refunded: '0',
    wrongCodes: 0,
  }
  context.book.rows.put(payment)
  return payment
}

/** Returns a payment's current state: an unpaid one expires at its end. */
export function currentPayment(context: Context, payment: Payment): Payment {
  const isOpen = payment.status === 'created' || payment.status === 'secure'
  if (!isOpen || context.now() <= payment.expiresAt) return payment
  return keep(context, {
    ...payment,
    status: 'expired',
    code: 'expired',
    message: 'not paid in time',
    decidedAt: context.now(),
  })
}

/** Returns whether a typed card number is valid. */
export function isCard(number: string): boolean {
  return /^\d{16}$/.test(number) && passesLuhn(number)
}

/** Processes the payer's card: the payment continues at the card's bank, or is decided. */
export function payByCard(context: Context, payment: Payment, card: string): Payment {
  if (payment.status !== 'created') return payment
  const known = findTestCard(card)
  const carded = { ...payment, maskedCard: maskOf(card) }
  const outcome = known?.outcome === 'expired-card' ? 'refused' : (known?.outcome ?? 'success')
  if (known?.outcome === 'expired-card') return refuse(context, carded, 'expired-card')
  if (known?.secure) return keep(context, { ...carded, status: 'secure', outcome })
  return decide(context, carded, outcome)
}

/** Processes the payer's answer to the card's bank. Too many wrong codes, or leaving, refuse the payment. */
export function confirmSecure(context: Context, payment: Payment, code: string | undefined): Payment {
  if (payment.status !== 'secure') return payment
  if (code === secureCode) return decide(context, payment, payment.outcome ?? 'success')
  if (code === undefined) return refuse(context, payment, '3ds-cancelled')
  const wrongCodes = payment.wrongCodes + 1
  if (wrongCodes >= mostWrongCodes) return refuse(context, { ...payment, wrongCodes }, '3ds-failed')
  return keep(context, { ...payment, wrongCodes })
}

function decide(context: Context, payment: Payment, usual: Outcome): Payment {
  const { outcome = usual, ...telling } = context.faults.takeDecision(payment.account)
  const { outcome: _, ...rest } = payment
  const processing: Payment = { ...rest, status: 'processing', telling }
  if (outcome === 'refused' || outcome === 'insufficient-funds') return refuse(context, processing, outcome)
  if (outcome === 'stuck') {
    notify(context, [keep(context, processing)], telling)
    return processing
  }
  const ordered = BigInt(payment.units)
  const paid = outcome === 'wrong-amount' ? ordered - shortBy : ordered
  const fee = feeOf(context.prices.payIn[payment.currency].fee, paid)
  const dueAt = outcome === 'reversed' ? { dueAt: Date.now() + context.reverseMs, outcome } : {}
  const succeeded: Payment = {
    ...processing,
    status: 'succeeded',
    paid: paid.toString(),
    fee: fee.toString(),
    decidedAt: context.now(),
    ...dueAt,
  }
  keep(context, succeeded, lineOf(context, succeeded, paid, { fee }))
  notify(context, [processing, succeeded], telling)
  if (succeeded.dueAt !== undefined) context.arrange(succeeded.id, succeeded.dueAt)
  return succeeded
}

function refuse(context: Context, payment: Payment, reason: keyof typeof reasons): Payment {
  const telling = payment.telling ?? plainTelling
  const { code, message } = reasons[reason]
  const { outcome: _, ...rest } = payment
  const refused = keep(context, { ...rest, status: 'refused', code, message, decidedAt: context.now() })
  notify(context, [{ ...refused, status: 'processing' }, refused], telling)
  return refused
}

/** Reverses a paid payment, as a card's bank does for its owner. */
export function reversePayment(context: Context, payment: Payment): Payment {
  if (payment.status !== 'succeeded') return payment
  const { dueAt: _, outcome: _outcome, ...rest } = payment
  const left = BigInt(payment.paid ?? '0') - BigInt(payment.refunded)
  const reversed = keep(
    context,
    { ...rest, status: 'reversed', refunded: payment.paid ?? '0' },
    lineOf(context, payment, -left, { type: 'refund' }),
  )
  notify(context, [reversed], payment.telling ?? plainTelling)
  return reversed
}

/** Returns the existing refund for a repeated request. */
export function refundPayment(
  context: Context,
  payment: Payment,
  { reference, units }: { reference: string; units: bigint },
): Refund {
  const known = context.book.find('refund', payment.account, reference)
  if (known !== undefined) {
    if (known.payment === payment.id && BigInt(known.units) === units) return known
    throw new BankRefusal(409, 'duplicate_reference', 'there is another refund of this reference')
  }
  if (payment.status !== 'succeeded') throw new BankRefusal(422, 'not_refundable', `the payment is ${payment.status}`)
  const taken = pendingOf(context, payment).reduce(
    (sum, one) => sum + BigInt(one.units),
    BigInt(payment.refunded) + units,
  )
  if (units <= 0n || taken > BigInt(payment.paid ?? '0'))
    throw new BankRefusal(422, 'refund_too_large', 'more than is left of the payment')
  const refund: Refund = {
    kind: 'refund',
    id: newId(),
    account: payment.account,
    reference,
    payment: payment.id,
    units: units.toString(),
    createdAt: context.now(),
  }
  if (context.faults.takeRefund(payment.account) !== 'pending') {
    giveBack(context, payment, refund)
    return refund
  }
  const pending: Refund = { ...refund, isPending: true }
  context.book.rows.put(pending)
  return pending
}

/** Refunds of a payment that were taken up and have not ended. */
function pendingOf(context: Context, { id }: Payment): Refund[] {
  return context.book.rows
    .all()
    .filter((row): row is Refund => row.kind === 'refund' && row.payment === id && row.isPending === true)
}

/** Completes pending refunds: the payer gets the money. */
export function endRefunds(context: Context, payment: Payment): Payment {
  return pendingOf(context, payment).reduce(
    (after, refund) => giveBack(context, after, { ...refund, isPending: false }),
    payment,
  )
}

function giveBack(context: Context, payment: Payment, refund: Refund): Payment {
  const refunded = BigInt(payment.refunded) + BigInt(refund.units)
  const after: Payment = {
    ...payment,
    refunded: refunded.toString(),
    status: refunded === BigInt(payment.paid ?? '0') ? 'reversed' : 'succeeded',
  }
  keep(context, after, refund, lineOf(context, payment, -BigInt(refund.units), { type: 'refund' }))
  if (after.status === 'reversed') notify(context, [after], payment.telling ?? plainTelling)
  return after
}

function keep(context: Context, payment: Payment, ...more: readonly Row[]): Payment {
  context.book.rows.put(payment, ...more)
  return payment
}

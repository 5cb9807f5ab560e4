/** A payment's life: ordered over the API, paid on the page, decided, told, given back. */
import type { Outcome } from '../acquirers/faults.ts'
import { passesLuhn } from '../acquirers/luhn.ts'
import { BankRefusal, newId, tell, lineOf } from './desk.ts'
import type { Desk } from './desk.ts'
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

/** The same order again is the same payment; another under its reference is refused. */
export function orderPayment(desk: Desk, order: PaymentOrder): Payment {
  const { units, ...rest } = order
  const { limits } = desk.prices.payIn[order.currency]
  if (!isWithin(limits, units))
    throw new BankRefusal(422, 'amount_out_of_limits', 'the amount is not within the limits of one payment')
  const known = desk.book.find('payment', order.account, order.reference)
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
    createdAt: desk.now(),
    refunded: '0',
    wrongCodes: 0,
  }
  desk.book.rows.put(payment)
  return payment
}

/** A payment as it is now: one that nobody paid in time has expired. */
export function currentPayment(desk: Desk, payment: Payment): Payment {
  const isOpen = payment.status === 'created' || payment.status === 'secure'
  if (!isOpen || desk.now() <= payment.expiresAt) return payment
  return keep(desk, {
    ...payment,
    status: 'expired',
    code: 'expired',
    message: 'not paid in time',
    decidedAt: desk.now(),
  })
}

/** What is wrong with a card number as typed, or nothing. */
export function isCard(number: string): boolean {
  return /^\d{16}$/.test(number) && passesLuhn(number)
}

/** The payer gives a card: it goes on at the card's bank, or is decided. */
export function payByCard(desk: Desk, payment: Payment, card: string): Payment {
  if (payment.status !== 'created') return payment
  const known = findTestCard(card)
  const carded = { ...payment, maskedCard: maskOf(card) }
  const outcome = known?.outcome === 'expired-card' ? 'refused' : (known?.outcome ?? 'success')
  if (known?.outcome === 'expired-card') return refuse(desk, carded, 'expired-card')
  if (known?.secure) return keep(desk, { ...carded, status: 'secure', outcome })
  return decide(desk, carded, outcome)
}

/** The payer's answer to the card's bank. Too many wrong codes, or going away, refuse the payment. */
export function confirmSecure(desk: Desk, payment: Payment, code: string | undefined): Payment {
  if (payment.status !== 'secure') return payment
  if (code === secureCode) return decide(desk, payment, payment.outcome ?? 'success')
  if (code === undefined) return refuse(desk, payment, '3ds-cancelled')
  const wrongCodes = payment.wrongCodes + 1
  if (wrongCodes >= mostWrongCodes) return refuse(desk, { ...payment, wrongCodes }, '3ds-failed')
  return keep(desk, { ...payment, wrongCodes })
}

function decide(desk: Desk, payment: Payment, usual: Outcome): Payment {
  const { outcome = usual, ...telling } = desk.faults.takeDecision(payment.account)
  const { outcome: _, ...rest } = payment
  const processing: Payment = { ...rest, status: 'processing', telling }
  if (outcome === 'refused' || outcome === 'insufficient-funds') return refuse(desk, processing, outcome)
  if (outcome === 'stuck') {
    tell(desk, [keep(desk, processing)], telling)
    return processing
  }
  const ordered = BigInt(payment.units)
  const paid = outcome === 'wrong-amount' ? ordered - shortBy : ordered
  const fee = feeOf(desk.prices.payIn[payment.currency].fee, paid)
  const dueAt = outcome === 'reversed' ? { dueAt: Date.now() + desk.reverseMs, outcome } : {}
  const succeeded: Payment = {
    ...processing,
    status: 'succeeded',
    paid: paid.toString(),
    fee: fee.toString(),
    decidedAt: desk.now(),
    ...dueAt,
  }
  keep(desk, succeeded, lineOf(desk, succeeded, paid, { fee }))
  tell(desk, [processing, succeeded], telling)
  if (succeeded.dueAt !== undefined) desk.arrange(succeeded.id, succeeded.dueAt)
  return succeeded
}

function refuse(desk: Desk, payment: Payment, reason: keyof typeof reasons): Payment {
  const telling = payment.telling ?? plainTelling
  const { code, message } = reasons[reason]
  const { outcome: _, ...rest } = payment
  const refused = keep(desk, { ...rest, status: 'refused', code, message, decidedAt: desk.now() })
  tell(desk, [{ ...refused, status: 'processing' }, refused], telling)
  return refused
}

/** Takes a paid payment back, as a card's bank does on its owner's word. */
export function reversePayment(desk: Desk, payment: Payment): Payment {
  if (payment.status !== 'succeeded') return payment
  const { dueAt: _, outcome: _outcome, ...rest } = payment
  const left = BigInt(payment.paid ?? '0') - BigInt(payment.refunded)
  const reversed = keep(
    desk,
    { ...rest, status: 'reversed', refunded: payment.paid ?? '0' },
    lineOf(desk, payment, -left, { type: 'refund' }),
  )
  tell(desk, [reversed], payment.telling ?? plainTelling)
  return reversed
}

/** The same refund again is the same one. */
export function refundPayment(
  desk: Desk,
  payment: Payment,
  { reference, units }: { reference: string; units: bigint },
): Refund {
  const known = desk.book.find('refund', payment.account, reference)
  if (known !== undefined) {
    if (known.payment === payment.id && BigInt(known.units) === units) return known
    throw new BankRefusal(409, 'duplicate_reference', 'there is another refund of this reference')
  }
  if (payment.status !== 'succeeded') throw new BankRefusal(422, 'not_refundable', `the payment is ${payment.status}`)
  const taken = pendingOf(desk, payment).reduce((sum, one) => sum + BigInt(one.units), BigInt(payment.refunded) + units)
  if (units <= 0n || taken > BigInt(payment.paid ?? '0'))
    throw new BankRefusal(422, 'refund_too_large', 'more than is left of the payment')
  const refund: Refund = {
    kind: 'refund',
    id: newId(),
    account: payment.account,
    reference,
    payment: payment.id,
    units: units.toString(),
    createdAt: desk.now(),
  }
  if (desk.faults.takeRefund(payment.account) !== 'pending') {
    giveBack(desk, payment, refund)
    return refund
  }
  const pending: Refund = { ...refund, isPending: true }
  desk.book.rows.put(pending)
  return pending
}

/** Refunds of a payment that were taken up and have not ended. */
function pendingOf(desk: Desk, { id }: Payment): Refund[] {
  return desk.book.rows
    .all()
    .filter((row): row is Refund => row.kind === 'refund' && row.payment === id && row.isPending === true)
}

/** Ends them: the payer gets the money. */
export function endRefunds(desk: Desk, payment: Payment): Payment {
  return pendingOf(desk, payment).reduce(
    (after, refund) => giveBack(desk, after, { ...refund, isPending: false }),
    payment,
  )
}

function giveBack(desk: Desk, payment: Payment, refund: Refund): Payment {
  const refunded = BigInt(payment.refunded) + BigInt(refund.units)
  const after: Payment = {
    ...payment,
    refunded: refunded.toString(),
    status: refunded === BigInt(payment.paid ?? '0') ? 'reversed' : 'succeeded',
  }
  keep(desk, after, refund, lineOf(desk, payment, -BigInt(refund.units), { type: 'refund' }))
  if (after.status === 'reversed') tell(desk, [after], payment.telling ?? plainTelling)
  return after
}

function keep(desk: Desk, payment: Payment, ...more: readonly Row[]): Payment {
  desk.book.rows.put(payment, ...more)
  return payment
}

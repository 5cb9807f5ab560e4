/**
 * The states of a payout: ordered through the API, in processing, sent or refused, reported; it may also be returned.
 */
import type { Outcome } from '../acquirers/faults.ts'
import { BankRefusal, newId, notify, lineOf } from './context.ts'
import type { Context } from './context.ts'
import { isCard } from './payments.ts'
import { plainTelling, reasons } from './reasons.ts'
import type { Payout, Row } from './rows.ts'
import { feeOf, isWithin } from './terms.ts'
import { findTestCard, maskOf } from './test-cards.ts'

export type PayoutOrder = Pick<Payout, 'account' | 'reference' | 'currency' | 'description' | 'callbackUrl'> & {
  readonly units: bigint
  readonly card: string
}

/** The difference that `wrong-amount` makes, minor units. */
const shortBy = 1n

/**
 * Returns the existing payout for a repeated order; refuses another order with its reference. The card number is not
 * stored.
 */
export function orderPayout(context: Context, order: PayoutOrder): Payout {
  const { units, card, ...rest } = order
  const { limits } = context.prices.payout[order.currency]
  if (!isWithin(limits, units))
    throw new BankRefusal(422, 'amount_out_of_limits', 'the amount is not within the limits of one payout')
  if (!isCard(card)) throw new BankRefusal(422, 'card_number', 'there is no card of this number')
  const maskedCard = maskOf(card)
  const known = context.book.find('payout', order.account, order.reference)
  if (known !== undefined) {
    const isSame = BigInt(known.units) === units && known.currency === order.currency && known.maskedCard === maskedCard
    if (isSame) return known
    throw new BankRefusal(409, 'duplicate_reference', 'there is another payout of this reference')
  }
  const { outcome = usualOutcome(context, card, maskedCard), ...telling } = context.faults.takeDecision(order.account)
  const payout: Payout = {
    kind: 'payout',
    id: newId(),
    ...rest,
    units: units.toString(),
    maskedCard,
    status: 'processing',
    createdAt: context.now(),
    telling,
    outcome,
    ...(outcome === 'stuck' ? {} : { dueAt: Date.now() + context.payoutMs }),
  }
  context.book.rows.put(payout)
  if (payout.dueAt === undefined) notify(context, [payout], telling)
  else if (context.payoutMs === 0) return decidePayout(context, payout)
  else context.arrange(payout.id, payout.dueAt)
  return payout
}

function usualOutcome(context: Context, card: string, mask: string): Outcome {
  const known = findTestCard(card)
  const wanted = known?.payout ?? known?.outcome ?? 'success'
  if (wanted === 'third') return context.book.payoutsTo(mask) % 3 === 2 ? 'refused' : 'success'
  return wanted === 'expired-card' ? 'refused' : wanted
}

/** Applies due changes: a payout in processing ends, a sent one is returned. */
export function decidePayout(context: Context, payout: Payout): Payout {
  const { dueAt: _, outcome, ...rest } = payout
  const telling = payout.telling ?? plainTelling
  if (payout.status === 'succeeded' && outcome === 'reversed') return reverse(context, { ...rest, status: 'reversed' })
  if (payout.status !== 'processing') return payout
  if (outcome === 'refused' || outcome === 'insufficient-funds') {
    const refused = keep(context, { ...rest, ...reasons[outcome], status: 'refused', decidedAt: context.now() })
    notify(context, [payout, refused], telling)
    return refused
  }
  const sent = outcome === 'wrong-amount' ? BigInt(payout.units) - shortBy : BigInt(payout.units)
  const fee = feeOf(context.prices.payout[payout.currency].fee, sent)
  const later = outcome === 'reversed' ? { outcome, dueAt: Date.now() + context.reverseMs } : {}
  const succeeded: Payout = {
    ...rest,
    ...later,
    status: 'succeeded',
    sent: sent.toString(),
    fee: fee.toString(),
    decidedAt: context.now(),
  }
  keep(context, succeeded, lineOf(context, payout, -sent, { fee }))
  notify(context, [payout, succeeded], telling)
  if (succeeded.dueAt !== undefined) context.arrange(succeeded.id, succeeded.dueAt)
  return succeeded
}

/** The money comes back, the fee does not. */
function reverse(context: Context, payout: Payout): Payout {
  const reversed = keep(context, payout, lineOf(context, payout, BigInt(payout.sent ?? '0')))
  notify(context, [reversed], payout.telling ?? plainTelling)
  return reversed
}

function keep(context: Context, payout: Payout, ...more: readonly Row[]): Payout {
  context.book.rows.put(payout, ...more)
  return payout
}

/** Freedom Pay's API: forms in, signed XML out. */
import { TextAnswer } from '../../http/server.ts'
import type { Route } from '../../http/server.ts'
import { answerCall } from '../emulator/answer.ts'
import type { Context } from '../emulator/context.ts'
import { twoDecimals, unitsOf } from '../emulator/numbers.ts'
import type { Order, Status } from '../emulator/order.ts'
import { findOrder, giveBack, placeOrder, seen } from '../emulator/payments.ts'
import { placePayout } from '../emulator/payouts.ts'
import { almatyTime, amountText, failureOf, maskOf, netOf, timeText } from './dialect.ts'
import type { FreedomPayAccount } from './dialect.ts'
import { isSigned, sign } from './signature.ts'
import type { Fields } from './signature.ts'
import { writeXml } from './xml.ts'

type Form = Readonly<Record<string, string>>

class FreedomPayError extends Error {
  readonly code: string

  constructor(code: string, description: string) {
    super(description)
    this.code = code
  }
}

const refusals: Readonly<Record<'duplicate' | 'limit' | 'currency' | 'card', readonly [string, string]>> = {
  duplicate: ['9403', 'pg_order_id has been used'],
  limit: ['420', 'Limit exceeded'],
  currency: ['9403', 'pg_currency'],
  card: ['10005', 'Card data'],
}

const paymentStatuses: Readonly<Record<Status, string>> = {
  created: 'new',
  secure: 'pending',
  processing: 'process',
  succeeded: 'success',
  refused: 'failed',
  expired: 'incomplete',
  reversed: 'success',
}
const refundStatuses = { done: 'success', pending: 'process', failed: 'error' } as const
/** Clients know three names of the sum of all that went back; which of them an answer has is not documented. */
const sums = ['pg_refund_amount', 'pg_revoked_amount', 'pg_revoke_amount'] as const
const payoutStatuses: Readonly<Record<Status, string>> = {
  created: 'process',
  secure: 'process',
  processing: 'process',
  succeeded: 'success',
  refused: 'error',
  expired: 'error',
  reversed: 'revoked',
}

export function freedompayRoutes(context: Context, account: FreedomPayAccount): Route[] {
  const { secretKey, payoutSecretKey } = account
  const call = (path: string, key: string, isOrder: boolean, act: (form: Form) => Fields): Route => {
    const script = path.slice(path.lastIndexOf('/') + 1)
    return {
      method: 'POST',
      path: new RegExp(`^${path.replaceAll('.', '\\.')}$`),
      name: `POST ${path}`,
      handle: async ({ rawBody }) => {
        const form = Object.fromEntries(new URLSearchParams(rawBody))
        const answered = (how: (form: Form) => Fields): TextAnswer =>
          xml(answer(script, key, account.merchantId, form, how))
        return answerCall(context, isOrder, {
          act: () => answered(act),
          refuse: (code) =>
            answered(() => {
              throw new FreedomPayError(code, 'error')
            }),
        })
      },
    }
  }
  return [
    call('/init_payment.php', secretKey, true, (form) => initPayment(context, form)),
    call('/get_status3.php', secretKey, false, (form) => paymentStatus(context, form)),
    call('/revoke.php', secretKey, true, (form) => revoke(context, form)),
    call('/g2g/p2p2nonreg', payoutSecretKey, true, (form) => payOut(context, form)),
    call('/g2g/payout_status2', payoutSecretKey, false, (form) => payoutStatus(requireOrder(context, form, 'payout'))),
  ]
}

/** A merchant that isn't known gets an unsigned answer: there is no key to sign it with. */
function answer(script: string, key: string, merchantId: string, form: Form, act: (form: Form) => Fields): Fields {
  if (form['pg_merchant_id'] !== merchantId)
    return { pg_status: 'error', pg_error_code: '9998', pg_error_description: 'Merchant is not found' }
  const unsigned: Fields = { ...judge(script, key, form, act), pg_salt: Math.random().toString(36).slice(2, 18) }
  return { ...unsigned, pg_sig: sign(script, unsigned, key) }
}

function judge(script: string, key: string, form: Form, act: (form: Form) => Fields): Fields {
  try {
    if (!isSigned(script, form, key)) throw new FreedomPayError('9998', 'Incorrect signature')
    return { pg_status: 'ok', ...act(form) }
  } catch (error) {
    if (error instanceof FreedomPayError)
      return { pg_status: 'error', pg_error_code: error.code, pg_error_description: error.message }
    throw error
  }
}

function initPayment(context: Context, form: Form): Fields {
  const lifetime = Number(form['pg_lifetime'] ?? '86400')
  if (!(lifetime >= 300 && lifetime <= 604_800)) throw new FreedomPayError('9403', 'pg_lifetime')
  if (form['pg_auto_clearing'] !== '1') throw new FreedomPayError('9403', 'this emulator has no two-step payments')
  for (const name of ['pg_result_url', 'pg_success_url', 'pg_failure_url'])
    if ((form[name] ?? '').length > 255) throw new FreedomPayError('9403', name)
  const known = findOrder(context, form['pg_order_id'] ?? '', 'payment')
  const units = amount(form, 'pg_amount')
  // The same request again is the same payment, by its idempotency key.
  if (known !== undefined && known.reference === form['pg_idempotency_key'] && BigInt(known.units) === units)
    return pageOf(context, known)
  const [callbackUrl, returnUrl] = [form['pg_result_url'] ?? '', form['pg_success_url'] ?? '']
  const order = {
    ...common(form),
    kind: 'payment',
    units,
    callbackUrl,
    returnUrl,
    expiresAt: context.now() + lifetime * 1_000,
  } as const
  return pageOf(context, placed(placeOrder(context, order)))
}

function pageOf(context: Context, { number, token }: Order): Fields {
  return {
    pg_payment_id: String(number),
    pg_redirect_url: `${context.url()}/pay/${token}`,
    pg_redirect_url_type: 'need data',
  }
}

/**
 * Returns the status of a payment by its number. By the order's number it returns the status of its newest payment,
 * which is a refund if there is one.
 */
function paymentStatus(context: Context, form: Form): Fields {
  const number = form['pg_payment_id']
  if (number !== undefined) {
    const found = context.orders.all().find((order) => order.kind === 'payment' && numbersOf(order).includes(number))
    if (found === undefined) throw new FreedomPayError('340', 'Payment is not found')
    const order = findOrder(context, found.reference, 'payment')!
    const refused = order.before?.find((attempt) => String(attempt.number) === number)
    if (refused === undefined) return statusOf(seen(context, order))
    const { moved: _, refunds: _refunds, ...rest } = order
    return statusOf({ ...rest, ...refused, status: 'refused', refunded: '0' })
  }
  const order = seen(context, requireOrder(context, form, 'payment'))
  const newest = refundsOf(order).at(-1)
  return newest === undefined
    ? statusOf(order)
    : { ...newest, pg_order_id: order.reference, pg_currency: order.currency, pg_clearing_amount: '0' }
}

function numbersOf({ number, before = [] }: Order): string[] {
  return [...before.map((attempt) => String(attempt.number)), String(number)]
}

/** Payments of their own, negative. One that failed stays in the list. */
function refundsOf(order: Order): Fields[] {
  return (order.refunds ?? []).map(({ units, status }, at) => ({
    pg_payment_id: `${order.number}${at + 1}`,
    pg_payment_status: refundStatuses[status],
    pg_amount: `-${amountText(order, units)}`,
    pg_payment_date: almatyTime(order.createdAt),
    pg_reference: '',
  }))
}

function statusOf(order: Order): Fields {
  const status = paymentStatuses[order.status]
  const moved = order.moved ?? order.units
  const [code, description] = failureOf(order)
  const refunds = refundsOf(order)
  return {
    pg_payment_id: String(order.number),
    pg_order_id: order.reference,
    pg_can_reject: '1',
    pg_payment_method: 'bankcard',
    pg_amount: amountText(order, moved),
    pg_currency: order.currency,
    pg_payment_status: status,
    ...(status === 'success'
      ? { pg_clearing_amount: twoDecimals(moved), pg_captured: '1', pg_net_amount: netOf(order) }
      : {}),
    pg_reference: String(order.number),
    pg_card_pan: maskOf(order),
    pg_create_date: timeText(order, order.createdAt),
    ...(order.refunded === '0' ? {} : { [sums[order.number % sums.length]!]: `-${amountText(order, order.refunded)}` }),
    ...(refunds.length === 0 ? {} : { pg_refund_payments: { pg_refund_payment: refunds } }),
    ...(status === 'failed' ? { pg_failure_code: code, pg_failure_description: description } : {}),
  }
}

function revoke(context: Context, form: Form): Fields {
  const order = context.orders
    .all()
    .find(({ kind, number }) => kind === 'payment' && String(number) === form['pg_payment_id'])
  if (order === undefined) throw new FreedomPayError('340', 'Payment is not found')
  if (giveBack(context, order, amount(form, 'pg_refund_amount'), form['pg_idempotency_key']) === undefined)
    throw new FreedomPayError('490', 'Payment cannot be cancelled')
  return { pg_revoke_payment_id: `${order.number}${findOrder(context, order.reference, 'payment')!.refunds!.length}` }
}

function payOut(context: Context, form: Form): Fields {
  const asked = { ...common(form), units: amount(form, 'pg_amount'), callbackUrl: form['pg_post_link'] ?? '' }
  const order = placed(placePayout(context, asked, form['pg_payment_to'] ?? ''))
  return {
    pg_payment_id: String(order.number),
    pg_order_id: order.reference,
    pg_payment_amount: twoDecimals(order.units),
    pg_balance: '1000000.00',
    pg_payment_date: almatyTime(order.createdAt),
    pg_payment_status: 'process',
  }
}

function payoutStatus(order: Order): Fields {
  const status = payoutStatuses[order.status]
  const [code, description] = failureOf(order)
  return {
    pg_payment_id: String(order.number),
    pg_order_id: order.reference,
    pg_payment_status: status,
    pg_payment_amount: amountText(order, order.moved ?? order.units),
    pg_currency: order.currency,
    pg_card_pan: maskOf(order),
    ...(status === 'error' ? { pg_failure_code: code, pg_failure_description: description } : {}),
  }
}

function common(form: Form) {
  const reference = form['pg_order_id'] ?? ''
  const description = form['pg_description'] ?? ''
  if (reference === '' || reference.length > 50) throw new FreedomPayError('9403', 'pg_order_id')
  if (description === '' || description.length > 1_024) throw new FreedomPayError('9403', 'pg_description')
  return { reference, description, currency: form['pg_currency'] ?? 'KZT' }
}

function amount(form: Form, name: string): bigint {
  const units = unitsOf(form[name] ?? '')
  if (units === undefined || units === 0n) throw new FreedomPayError('9403', name)
  return units
}

function requireOrder(context: Context, form: Form, kind: Order['kind']): Order {
  const found = findOrder(context, form['pg_order_id'] ?? '', kind)
  if (found === undefined) throw new FreedomPayError(kind === 'payment' ? '340' : '11068', 'Payment is not found')
  return found
}

function placed(result: { readonly order: Order } | { readonly refusal: keyof typeof refusals }): Order {
  if ('refusal' in result) throw new FreedomPayError(...refusals[result.refusal])
  return result.order
}

function xml(fields: Fields): TextAnswer {
  return new TextAnswer(200, { 'content-type': 'application/xml; charset=utf-8' }, writeXml(fields))
}

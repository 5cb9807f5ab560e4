/** LiqPay's two addresses: the checkout that a payer's browser posts to, and the API for servers. */
import { TextAnswer } from '../../http/server.ts'
import type { Route } from '../../http/server.ts'
import { answerCall } from '../emulator/answer.ts'
import type { Context } from '../emulator/context.ts'
import { readJson, textOf, unitsOf } from '../emulator/numbers.ts'
import { plainPage } from '../emulator/page.ts'
import { html } from '../emulator/payer.ts'
import { findOrder, giveBack, placeOrder, seen } from '../emulator/payments.ts'
import { placePayout } from '../emulator/payouts.ts'
import { record } from './dialect.ts'
import type { LiqPayAccount } from './dialect.ts'
import { isSigned } from './signature.ts'

type Fields = Readonly<Record<string, unknown>>

class LiqPayError extends Error {
  readonly code: string

  constructor(code: string, description: string) {
    super(description)
    this.code = code
  }
}

const refusals: Readonly<Record<'duplicate' | 'limit' | 'currency' | 'card', readonly [string, string]>> = {
  duplicate: ['order_id_duplicate', 'Order_id is duplicated'],
  limit: ['err_limit_amount', 'Amount of payment is more or less than the limit'],
  currency: ['err_currency', 'Currency is not allowed'],
  card: ['err_card_type', 'Wrong card type'],
}

export function liqpayRoutes(context: Context, account: LiqPayAccount): Route[] {
  return [
    {
      method: 'POST',
      path: /^\/api\/3\/checkout\/?$/,
      name: 'POST /api/3/checkout',
      handle: async ({ rawBody }) => checkout(context, account, rawBody),
    },
    {
      method: 'POST',
      path: /^\/api\/request$/,
      name: 'POST /api/request',
      handle: async ({ rawBody }) => {
        const action = peek(rawBody)
        return answerCall(context, action === 'p2pcredit' || action === 'refund', {
          act: () => json(request(context, account, rawBody)),
          refuse: (code) => json(refusal(new LiqPayError(code, 'error'))),
        })
      },
    },
  ]
}

function checkout(context: Context, account: LiqPayAccount, body: string): TextAnswer {
  try {
    const fields = read(account, body)
    if (textOf(fields, 'action') !== 'pay') throw new LiqPayError('err_path', 'This checkout takes payments')
    const expires = textOf(fields, 'expired_date')
    if (expires !== '' && !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(expires))
      throw new LiqPayError('err_expired_date', 'expired_date is YYYY-MM-DD HH:MM:SS')
    const expiresAt = expires === '' ? {} : { expiresAt: Date.parse(`${expires.replace(' ', 'T')}Z`) }
    const placed = placeOrder(context, {
      ...common(fields),
      kind: 'payment',
      returnUrl: textOf(fields, 'result_url'),
      ...expiresAt,
    })
    if ('refusal' in placed) throw new LiqPayError(...refusals[placed.refusal])
    return new TextAnswer(303, { location: `/pay/${placed.order.token}` }, '')
  } catch (error) {
    if (error instanceof LiqPayError) return html(400, plainPage(context.dialect, `${error.code}: ${error.message}`))
    throw error
  }
}

function request(context: Context, account: LiqPayAccount, body: string): Record<string, unknown> {
  try {
    const fields = read(account, body)
    const action = textOf(fields, 'action')
    if (action === 'p2pcredit') return payOut(context, account, fields)
    const order = findOrder(context, textOf(fields, 'order_id'))
    if (order === undefined) throw new LiqPayError('payment_not_found', 'Payment is not found')
    if (action === 'status') return record(account, seen(context, order))
    if (action !== 'refund') throw new LiqPayError('err_path', 'Wrong request url')
    const refund =
      order.kind === 'payment' ? giveBack(context, order, unitsOf(textOf(fields, 'amount')) ?? 0n) : undefined
    if (refund === undefined) throw new LiqPayError('payment_err_status', 'Wrong payment status')
    const { status } = record(account, findOrder(context, order.reference)!)
    return { action: 'refund', result: 'ok', payment_id: order.number, status, wait_amount: refund === 'pending' }
  } catch (error) {
    if (error instanceof LiqPayError) return refusal(error)
    throw error
  }
}

function refusal({ code, message }: LiqPayError): Record<string, unknown> {
  return { result: 'error', status: 'error', err_code: code, err_description: message }
}

function payOut(context: Context, account: LiqPayAccount, fields: Fields): Record<string, unknown> {
  const placed = placePayout(context, common(fields), textOf(fields, 'receiver_card'))
  if ('refusal' in placed) throw new LiqPayError(...refusals[placed.refusal])
  return record(account, placed.order)
}

function common(fields: Fields) {
  const reference = textOf(fields, 'order_id')
  if (reference === '') throw new LiqPayError('order_id_empty', 'Order_id is empty')
  if (reference.length > 255 || textOf(fields, 'description') === '')
    throw new LiqPayError('err_payment', 'order_id or description')
  return {
    reference,
    units: unitsOf(textOf(fields, 'amount')) ?? 0n,
    currency: textOf(fields, 'currency'),
    description: textOf(fields, 'description'),
    callbackUrl: textOf(fields, 'server_url'),
  }
}

/** Throws a LiqPayError unless the account's key signed it in the protocol's version that it names. */
function read(account: LiqPayAccount, body: string): Fields {
  const form = new URLSearchParams(body)
  const data = form.get('data') ?? ''
  const fields = readJson(Buffer.from(data, 'base64').toString('utf8'))
  if (fields === undefined || textOf(fields, 'public_key') !== account.publicKey)
    throw new LiqPayError('public_key_not_found', 'Public_key is not found')
  const version = textOf(fields, 'version') === '7' ? 7 : 3
  if (!isSigned(version, account.privateKey, data, form.get('signature') ?? ''))
    throw new LiqPayError('invalid_signature', 'Wrong payment signature')
  return fields
}

function peek(body: string): string {
  return textOf(
    readJson(Buffer.from(new URLSearchParams(body).get('data') ?? '', 'base64').toString('utf8')) ?? {},
    'action',
  )
}

function json(body: Record<string, unknown>): TextAnswer {
  return new TextAnswer(200, { 'content-type': 'application/json; charset=utf-8' }, JSON.stringify(body))
}

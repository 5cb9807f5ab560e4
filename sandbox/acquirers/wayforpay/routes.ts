/** WayForPay's two addresses: the page that a payer's browser posts to, and the API. */
import { TextAnswer } from '../../http/server.ts'
import type { Route } from '../../http/server.ts'
import { answerCall } from '../emulator/answer.ts'
import type { Context } from '../emulator/context.ts'
import { readJson, shortest, textOf, unitsOf } from '../emulator/numbers.ts'
import { plainPage } from '../emulator/page.ts'
import { html } from '../emulator/payer.ts'
import { findOrder, giveBack, placeOrder, seen } from '../emulator/payments.ts'
import type { Placed } from '../emulator/payments.ts'
import { placePayout } from '../emulator/payouts.ts'
import { payoutAnswer, record, refundInProcessing, signed } from './dialect.ts'
import type { WayForPayAccount } from './dialect.ts'
import { isSigned } from './signature.ts'

type Fields = Readonly<Record<string, unknown>>

class WayForPayError extends Error {
  readonly code: number

  constructor(code: number, reason: string) {
    super(reason)
    this.code = code
  }
}

const refusals: Readonly<Record<'duplicate' | 'limit' | 'currency' | 'card', readonly [number, string]>> = {
  duplicate: [1112, 'Duplicate Order ID'],
  limit: [1130, 'Invalid Amount'],
  currency: [1110, 'Invalid Currency'],
  card: [1105, 'Invalid Card'],
}

export function wayforpayRoutes(context: Context, account: WayForPayAccount): Route[] {
  return [
    {
      method: 'POST',
      path: /^\/pay$/,
      name: 'POST /pay',
      handle: async ({ rawBody }) => page(context, account, new URLSearchParams(rawBody)),
    },
    {
      method: 'POST',
      path: /^\/api$/,
      name: 'POST /api',
      handle: async ({ rawBody }) => {
        const fields = readJson(rawBody) ?? {}
        const isOrder = textOf(fields, 'transactionType') !== 'CHECK_STATUS'
        const json = (body: string): TextAnswer => new TextAnswer(200, { 'content-type': 'application/json' }, body)
        return answerCall(context, isOrder, {
          act: () => json(api(context, account, fields)),
          refuse: (code) => json(refusal(new WayForPayError(Number(code), 'error'))),
        })
      },
    },
  ]
}

function page(context: Context, account: WayForPayAccount, form: URLSearchParams): TextAnswer {
  const lists = Object.fromEntries(
    ['productName', 'productCount', 'productPrice'].map((name) => [name, form.getAll(`${name}[]`)]),
  )
  try {
    const placed = purchase(context, account, { ...Object.fromEntries(form), ...lists })
    return new TextAnswer(303, { location: `/pay/${placed}` }, '')
  } catch (error) {
    if (error instanceof WayForPayError) return html(400, plainPage(context.dialect, `${error.code} ${error.message}`))
    throw error
  }
}

/** The token of its page. */
function purchase(context: Context, account: WayForPayAccount, fields: Fields): string {
  const list = (name: string): string[] => (Array.isArray(fields[name]) ? (fields[name] as unknown[]).map(String) : [])
  const names = ['merchantAccount', 'merchantDomainName', 'orderReference', 'orderDate', 'amount', 'currency']
  if (list('productName').length === 0 || names.some((name) => textOf(fields, name) === ''))
    throw new WayForPayError(1115, 'Parameter is missing')
  const products = [...list('productName'), ...list('productCount').map(printed), ...list('productPrice').map(printed)]
  requireSigned(account, fields, [...names.map((name) => printed(textOf(fields, name))), ...products])
  const lifetime = Number(textOf(fields, 'orderLifetime') || '86400')
  return orderOf(
    placeOrder(context, {
      ...common(fields),
      kind: 'payment',
      returnUrl: textOf(fields, 'returnUrl'),
      expiresAt: context.now() + lifetime * 1_000,
    }),
  ).token
}

function api(context: Context, account: WayForPayAccount, fields: Fields): string {
  try {
    return act(context, account, fields)
  } catch (error) {
    if (error instanceof WayForPayError) return refusal(error)
    throw error
  }
}

function refusal({ code, message }: WayForPayError): string {
  return JSON.stringify({ reason: message, reasonCode: code })
}

function act(context: Context, account: WayForPayAccount, fields: Fields): string {
  const reference = textOf(fields, 'orderReference')
  const type = textOf(fields, 'transactionType')
  const field = (name: string): string => printed(textOf(fields, name))
  if (type === 'CREATE_INVOICE') {
    const token = purchase(context, account, fields)
    return JSON.stringify({ reason: 'Ok', reasonCode: 1100, invoiceUrl: `${context.url()}/pay/${token}`, qrCode: '' })
  }
  if (type === 'P2P_CREDIT') {
    requireSigned(
      account,
      fields,
      ['merchantAccount', 'orderReference', 'amount', 'currency', 'cardBeneficiary', 'rec2Token'].map(field),
    )
    return payoutAnswer(account, orderOf(placePayout(context, common(fields), textOf(fields, 'cardBeneficiary'))))
  }
  const isRefund = type === 'REFUND'
  if (!isRefund && type !== 'CHECK_STATUS') throw new WayForPayError(1117, 'API not allowed')
  requireSigned(
    account,
    fields,
    ['merchantAccount', 'orderReference', ...(isRefund ? ['amount', 'currency'] : [])].map(field),
  )
  const order = findOrder(context, reference)
  if (order === undefined) throw new WayForPayError(1127, 'Order Not Found')
  if (!isRefund) return signed(account, record(account, seen(context, order)))
  if (
    order.kind === 'payment' &&
    order.status === 'succeeded' &&
    (unitsOf(textOf(fields, 'amount')) ?? 0n) < BigInt(order.moved ?? '0')
  )
    throw new WayForPayError(1141, 'Partial void not supported')
  const done = order.kind === 'payout' ? undefined : giveBack(context, order, unitsOf(textOf(fields, 'amount')) ?? 0n)
  if (done === undefined) throw new WayForPayError(1128, 'Refund Limit Exceeded')
  const { merchantAccount } = account
  const [transactionStatus, reason, reasonCode] =
    done === 'pending' ? refundInProcessing : (['Refunded', 'Ok', 1100] as const)
  const refund = { merchantAccount, orderReference: reference, transactionStatus, reason, reasonCode }
  return signed(account, refund, ['merchantAccount', 'orderReference', 'transactionStatus', 'reasonCode'])
}

function orderOf(placed: Placed | { refusal: 'card' }) {
  if ('refusal' in placed) throw new WayForPayError(...refusals[placed.refusal])
  return placed.order
}

function common(fields: Fields) {
  return {
    reference: textOf(fields, 'orderReference'),
    units: unitsOf(textOf(fields, 'amount')) ?? 0n,
    currency: textOf(fields, 'currency'),
    description: Array.isArray(fields['productName']) ? String(fields['productName'][0]) : '',
    callbackUrl: textOf(fields, 'serviceUrl'),
  }
}

/** A number is read and printed again before it is signed, as PHP does: 100.50 becomes 100.5. */
function printed(text: string): string {
  const units = /^\d+\.\d+$/.test(text) ? unitsOf(text) : undefined
  return units === undefined ? text : shortest(units)
}

function requireSigned(account: WayForPayAccount, fields: Fields, values: readonly string[]): void {
  if (textOf(fields, 'merchantAccount') !== account.merchantAccount) throw new WayForPayError(1121, 'Account not found')
  if (!isSigned(account.secretKey, values, textOf(fields, 'merchantSignature')))
    throw new WayForPayError(1113, 'Invalid Signature')
}

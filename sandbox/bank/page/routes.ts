/** The payer's steps on the bank's pages: card, 3-D Secure if the card has it, end. A GET changes nothing. */
import { TextAnswer } from '../../http/server.ts'
import type { Route, SandboxRequest } from '../../http/server.ts'
import type { Context } from '../context.ts'
import { confirmSecure, currentPayment, isCard, payByCard } from '../payments.ts'
import type { Payment } from '../rows.ts'
import { cardPage, endPage, lostPage, securePage } from './render.ts'
import type { CardField } from './render.ts'
import { style } from './style.ts'

const safety = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

export function pageRoutes(context: Context): Route[] {
  const step = (
    method: string,
    path: string,
    act: (payment: Payment, request: SandboxRequest) => TextAnswer,
  ): Route => ({
    method,
    path: new RegExp(`^/pay/([0-9a-f]{32})${path}$`),
    name: `${method} /pay/<id>${path}`,
    handle: async (request) => {
      const row = context.book.rows.get(request.parameters[0] ?? '')
      return row?.kind === 'payment' ? act(currentPayment(context, row), request) : html(404, lostPage())
    },
  })
  return [
    step('GET', '', (payment) => (payment.status === 'created' ? html(200, cardPage(payment)) : onward(payment))),
    step('POST', '', (payment, { rawBody }) => takeCard(context, payment, new URLSearchParams(rawBody))),
    step('GET', '/secure', (payment) =>
      payment.status === 'secure' ? html(200, securePage(payment)) : onward(payment),
    ),
    step('POST', '/secure', (payment, { rawBody }) => {
      const after = confirmSecure(context, payment, new URLSearchParams(rawBody).get('code')?.trim() ?? '')
      return after.status === 'secure' ? html(422, securePage(after)) : onward(after)
    }),
    step('POST', '/cancel', (payment) => onward(confirmSecure(context, payment, undefined))),
    step('GET', '/end', (payment) =>
      ['created', 'secure'].includes(payment.status) ? onward(payment) : html(200, endPage(payment)),
    ),
    {
      method: 'GET',
      path: /^\/style\.css$/,
      name: 'GET /style.css',
      handle: async () =>
        new TextAnswer(200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=3600' }, style),
    },
  ]
}

function takeCard(context: Context, payment: Payment, typed: URLSearchParams): TextAnswer {
  if (payment.status !== 'created') return onward(payment)
  const given = (name: string): string => typed.get(name)?.trim() ?? ''
  const card = given('card').replace(/[\s-]/g, '')
  const wrong: CardField[] = []
  if (!isCard(card)) wrong.push('card')
  if (!isValid(given('expiry'), context.now())) wrong.push('expiry')
  if (!/^\d{3}$/.test(given('cvc'))) wrong.push('cvc')
  if (wrong.length > 0) return html(422, cardPage(payment, { expiry: given('expiry'), holder: given('holder'), wrong }))
  return onward(payByCard(context, payment, card))
}

/** A card is valid to the end of its month, wherever on earth that is. */
function isValid(expiry: string, now: number): boolean {
  const match = /^(0[1-9]|1[0-2]) ?\/ ?(?:20)?(\d\d)$/.exec(expiry)
  return match !== null && Date.UTC(2000 + Number(match[2]), Number(match[1]), 1) + 12 * 3_600_000 > now
}

function onward({ id, status }: Payment): TextAnswer {
  const place = status === 'created' ? '' : status === 'secure' ? '/secure' : '/end'
  return new TextAnswer(303, { ...safety, location: `/pay/${id}${place}` }, '')
}

function html(status: number, text: string): TextAnswer {
  return new TextAnswer(status, { ...safety, 'content-type': 'text/html; charset=utf-8' }, text)
}

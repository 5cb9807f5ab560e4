/**
 * Renders the hosted page as HTML. There is no script: every step is a form. External input is rendered as text, never
 * as markup.
 */
import { html, type Markup, type Piece } from '@bursar/checkout/html'
import type { Dialect, TestCard } from './context.ts'
import type { Order } from './order.ts'

function page(dialect: Dialect, title: string, inside: Piece): string {
  return html`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<body><p>Emulator of ${dialect.name}: no money moves.</p><main>${inside}</main></body></html>`.text
}

function amount({ units, currency }: Order): string {
  return `${units.padStart(3, '0').replace(/(\d\d)$/, '.$1')} ${currency}`
}

/** @param wrong why the card was refused */
export function cardPage(
  dialect: Dialect,
  order: Order,
  wrong = order.status === 'refused' ? 'The card was refused. Pay by another one.' : undefined,
): string {
  const rows = dialect.cards.map(({ number, about }: TestCard) => html`<tr><td><code>${number}</code><td>${about}`)
  return page(
    dialect,
    'Pay by card',
    html`
<h1>${amount(order)}</h1><p>${order.description}</p>${wrong === undefined ? '' : html`<p role="alert">${wrong}</p>`}${order.status === 'refused' ? html`<p>${backTo(dialect, order)}</p>` : ''}
<form method="post" action="/pay/${order.token}" data-step="card">
<label>Card number <input name="card" inputmode="numeric" autocomplete="cc-number" required></label>
<label>Expires <input name="expiry" value="12/49"></label> <label>CVC <input name="cvc" value="123"></label>
<button>Pay</button></form><table>${rows}</table>`,
  )
}

export function securePage(dialect: Dialect, order: Order): string {
  return page(
    dialect,
    '3-D Secure',
    html`
<h1>3-D Secure</h1><p>${amount(order)}. The code is ${dialect.secureCode}.</p>${order.wrongCodes > 0 ? html`<p role="alert">Wrong code.</p>` : ''}
<form method="post" action="/pay/${order.token}/secure" data-step="secure"><label>Code <input name="code" required></label><button>Confirm</button></form>
<form method="post" action="/pay/${order.token}/cancel"><button>Cancel</button></form>`,
  )
}

export function endPage(dialect: Dialect, order: Order): string {
  return page(dialect, order.status, html`<h1>${order.status}</h1>${backTo(dialect, order)}`)
}

function backTo(dialect: Dialect, order: Order): Markup {
  const { url, fields } = dialect.wayBack(order)
  const inputs = Object.entries(fields ?? {}).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return fields === undefined
    ? html`<a id="back" href="${url}">Back to the shop</a>`
    : html`<form id="back" method="post" action="${url}">${inputs}<button>Back to the shop</button></form>`
}

export function plainPage(dialect: Dialect, text: string): string {
  return page(dialect, text, html`<h1>${text}</h1>`)
}

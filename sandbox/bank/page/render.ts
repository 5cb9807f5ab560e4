/**
 * Renders the bank's pages as HTML. There is no script: every step is a form. External input is rendered as text, never
 * as markup.
 */
import { amountText } from '@bursar/checkout/amounts'
import { html, type Markup } from '@bursar/checkout/html'
import type { Language, Payment } from '../rows.ts'
import { amountOf } from '../terms.ts'
import { secureCode, testCards } from '../test-cards.ts'
import { texts } from './texts.ts'
import type { Texts } from './texts.ts'

/** The field whose input is invalid. */
export type CardField = 'card' | 'expiry' | 'cvc'
export interface Typed {
  /** the number is not among them: it is typed again */
  readonly expiry: string
  readonly holder: string
  readonly wrong: readonly CardField[]
}

const complaints: Readonly<Record<CardField, keyof Texts>> = { card: 'badCard', expiry: 'badExpiry', cvc: 'badCvc' }

export function cardPage(payment: Payment, typed?: Typed): string {
  const say = texts[payment.language]
  const field = (name: CardField | 'holder', label: string, attributes: Markup, value = ''): Markup => {
    const wrong = typed?.wrong.find((one) => one === name)
    const complaint =
      wrong === undefined ? undefined : html`<p class="wrong" id="${name}-wrong">${say[complaints[wrong]]}</p>`
    const state = wrong === undefined ? undefined : html` aria-invalid="true" aria-describedby="${name}-wrong"`
    return html`<div class="field ${name}"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value}" ${attributes}${state}>${complaint}</div>`
  }
  return page(
    payment.language,
    say.pay,
    html`
    ${summary(payment, 'h1')}
    <form method="post" action="/pay/${payment.id}" data-step="card" novalidate>
      ${field('card', say.card, html`inputmode="numeric" autocomplete="cc-number" placeholder="0000 0000 0000 0000" maxlength="23" required autofocus`)}
      ${field('expiry', say.expiry, html`inputmode="numeric" autocomplete="cc-exp" placeholder="${say.expiryForm}" maxlength="7" required`, typed?.expiry)}
      ${field('cvc', say.cvc, html`inputmode="numeric" autocomplete="cc-csc" placeholder="000" maxlength="3" required`)}
      ${field('holder', say.holder, html`autocomplete="cc-name" maxlength="60"`, typed?.holder)}
      <button>${say.pay} ${money(payment)}</button>
    </form>
    ${cardTable(say)}`,
  )
}

export function securePage(payment: Payment): string {
  const say = texts[payment.language]
  const wrong = payment.wrongCodes > 0
  return page(
    payment.language,
    say.secureTitle,
    html`
    <p class="shield" aria-hidden="true">3-D Secure</p>
    <h1>${say.secureTitle}</h1>
    <p>${say.secureText}</p>
    <dl><div><dt>${say.card}</dt><dd>${payment.maskedCard ?? ''}</dd></div><div><dt>${say.pay}</dt><dd>${money(payment)}</dd></div></dl>
    <form method="post" action="/pay/${payment.id}/secure" data-step="secure" novalidate>
      <div class="field code"><label for="code">${say.code} (${secureCode})</label>
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="8" required autofocus${wrong && html` aria-invalid="true" aria-describedby="code-wrong"`}>
      ${wrong && html`<p class="wrong" id="code-wrong">${say.wrongCode}</p>`}</div>
      <button>${say.confirm}</button>
    </form>
    <form method="post" action="/pay/${payment.id}/cancel"><button class="quiet">${say.cancel}</button></form>`,
  )
}

/** Returns the last page with the result. It redirects the payer; while the payment is open, it reloads. */
export function endPage(payment: Payment): string {
  const say = texts[payment.language]
  const words: Readonly<Record<Payment['status'], string>> = {
    created: say.processing,
    secure: say.processing,
    processing: say.processing,
    succeeded: say.succeeded,
    refused: say.refused,
    expired: say.expired,
    reversed: say.reversed,
  }
  const isOpen = payment.status === 'processing'
  const onward = isOpen ? '3' : `5;url=${payment.returnUrl}`
  return page(
    payment.language,
    words[payment.status],
    html`
    <p class="seal ${payment.status}" aria-hidden="true">${payment.status === 'succeeded' ? '✓' : isOpen ? '…' : '×'}</p>
    <h1 role="status">${words[payment.status]}</h1>
    ${payment.message === undefined || payment.status === 'expired' ? undefined : html`<p lang="en">${payment.message}</p>`}
    ${summary(payment, 'p')}
    <p><a class="button" href="${payment.returnUrl}" rel="noreferrer">${say.back}</a></p>`,
    html`<meta http-equiv="refresh" content="${onward}">`,
  )
}

export function lostPage(): string {
  return page('en', texts.en.notFound, html`<h1>${texts.en.notFound}</h1>`)
}

function summary(payment: Payment, element: 'h1' | 'p'): Markup {
  const amount = money(payment)
  return html`<section class="summary">${element === 'h1' ? html`<h1 class="amount">${amount}</h1>` : html`<p class="amount">${amount}</p>`}<p>${payment.description}</p></section>`
}

function cardTable(say: Texts): Markup {
  const rows = testCards.map(
    ({ number, about }) =>
      html`<tr><td><code>${number.replace(/\d{4}(?=\d)/g, '$& ')}</code></td><td lang="en">${about}</td></tr>`,
  )
  return html`<details><summary>${say.testCards}</summary><table>${rows}</table></details>`
}

/** The amount as the payment page writes it: `12 345,60 ₴`. */
function money({ units, currency, language }: Payment): string {
  return amountText({ value: amountOf(BigInt(units)), ticker: currency }, language)
}

function page(language: Language, title: string, body: Markup, head?: Markup): string {
  return html`<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title} · Sandbox Bank</title><link rel="stylesheet" href="/style.css">${head}</head>
<body><header><span class="mark" aria-hidden="true"></span>Sandbox Bank</header><main>${body}</main><footer>${texts[language].sandbox}</footer></body></html>`
    .text
}

/**
 * Renders the bank's pages as HTML. There is no script: every step is a form. External input is rendered as text, never
 * as markup.
 */
import { amountText } from '@bursar/checkout/amounts'
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
  const field = (name: CardField | 'holder', label: string, attributes: string, value = ''): string => {
    const wrong = typed?.wrong.find((one) => one === name)
    const complaint =
      wrong === undefined ? '' : `<p class="wrong" id="${name}-wrong">${escape(say[complaints[wrong]])}</p>`
    const state = wrong === undefined ? '' : ` aria-invalid="true" aria-describedby="${name}-wrong"`
    return `<div class="field ${name}"><label for="${name}">${escape(label)}</label><input id="${name}" name="${name}" value="${escape(value)}" ${attributes}${state}>${complaint}</div>`
  }
  return page(
    payment.language,
    say.pay,
    `
    ${summary(payment, 'h1')}
    <form method="post" action="/pay/${payment.id}" data-step="card" novalidate>
      ${field('card', say.card, 'inputmode="numeric" autocomplete="cc-number" placeholder="0000 0000 0000 0000" maxlength="23" required autofocus')}
      ${field('expiry', say.expiry, `inputmode="numeric" autocomplete="cc-exp" placeholder="${escape(say.expiryForm)}" maxlength="7" required`, typed?.expiry)}
      ${field('cvc', say.cvc, 'inputmode="numeric" autocomplete="cc-csc" placeholder="000" maxlength="3" required')}
      ${field('holder', say.holder, 'autocomplete="cc-name" maxlength="60"', typed?.holder)}
      <button>${escape(say.pay)} ${money(payment)}</button>
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
    `
    <p class="shield" aria-hidden="true">3-D Secure</p>
    <h1>${escape(say.secureTitle)}</h1>
    <p>${escape(say.secureText)}</p>
    <dl><div><dt>${escape(say.card)}</dt><dd>${escape(payment.maskedCard ?? '')}</dd></div><div><dt>${escape(say.pay)}</dt><dd>${money(payment)}</dd></div></dl>
    <form method="post" action="/pay/${payment.id}/secure" data-step="secure" novalidate>
      <div class="field code"><label for="code">${escape(say.code)} (${secureCode})</label>
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="8" required autofocus${wrong ? ' aria-invalid="true" aria-describedby="code-wrong"' : ''}>
      ${wrong ? `<p class="wrong" id="code-wrong">${escape(say.wrongCode)}</p>` : ''}</div>
      <button>${escape(say.confirm)}</button>
    </form>
    <form method="post" action="/pay/${payment.id}/cancel"><button class="quiet">${escape(say.cancel)}</button></form>`,
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
  const onward = isOpen ? '3' : `5;url=${escape(payment.returnUrl)}`
  return page(
    payment.language,
    words[payment.status],
    `
    <p class="seal ${payment.status}" aria-hidden="true">${payment.status === 'succeeded' ? '✓' : isOpen ? '…' : '×'}</p>
    <h1 role="status">${escape(words[payment.status])}</h1>
    ${payment.message === undefined || payment.status === 'expired' ? '' : `<p lang="en">${escape(payment.message)}</p>`}
    ${summary(payment, 'p')}
    <p><a class="button" href="${escape(payment.returnUrl)}" rel="noreferrer">${escape(say.back)}</a></p>`,
    `<meta http-equiv="refresh" content="${onward}">`,
  )
}

export function lostPage(): string {
  return page('en', texts.en.notFound, `<h1>${escape(texts.en.notFound)}</h1>`)
}

function summary(payment: Payment, element: 'h1' | 'p'): string {
  return `<section class="summary"><${element} class="amount">${money(payment)}</${element}><p>${escape(payment.description)}</p></section>`
}

function cardTable(say: Texts): string {
  const rows = testCards.map(
    ({ number, about }) =>
      `<tr><td><code>${number.replace(/\d{4}(?=\d)/g, '$& ')}</code></td><td lang="en">${escape(about)}</td></tr>`,
  )
  return `<details><summary>${escape(say.testCards)}</summary><table>${rows.join('')}</table></details>`
}

/** The amount as the payment page writes it: `12 345,60 ₴`. */
function money({ units, currency, language }: Payment): string {
  return escape(amountText({ value: amountOf(BigInt(units)), ticker: currency }, language))
}

function page(language: Language, title: string, body: string, head = ''): string {
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escape(title)} · Sandbox Bank</title><link rel="stylesheet" href="/style.css">${head}</head>
<body><header><span class="mark" aria-hidden="true"></span>Sandbox Bank</header><main>${body}</main><footer>${escape(texts[language].sandbox)}</footer></body></html>`
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

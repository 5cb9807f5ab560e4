import { amountText } from '@bursar/checkout/amounts'
import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { qrImage } from '@bursar/checkout/qr'
import type { PaymentLink } from '../../pay-in/payment-links/index.ts'
import { answerOf, linkTo } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { amountMarkup, type Scope } from '../frame/index.ts'
import type { InvoicingWords } from './words/index.ts'

/** What a payer is given: a page, and what it asks for. */
export interface Share {
  url: string
  name: string
  description: string | null
  /** undefined: the payer chooses it */
  amount: string | undefined
}

/** The page's address to copy, and its QR code. */
export const sharePanel = ({ visit }: Scope, texts: InvoicingWords, { url, name }: Share, email = ''): Markup => {
  const mail = `mailto:${encodeURIComponent(email).replace('%40', '@')}?${new URLSearchParams({ subject: name, body: url }).toString().replaceAll('+', '%20')}`
  return html`<section class="panel"><h2>${texts.shareTitle}</h2><div class="codes">${qrImage(url, texts.qrLabel)}</div>
<div class="field"><label class="name" for="share">${texts.address}</label><input type="text" id="share" readonly value="${url}" aria-describedby="share-hint"><p class="soft" id="share-hint">${texts.addressHint}</p></div>
<div class="pager"><a class="button second" href="${url}" rel="noreferrer">${texts.open}</a><a class="button second" href="${linkTo(visit, `${visit.path}/print`)}">${texts.print}</a><a class="button second" href="${mail}">${texts.mail}</a></div></section>`
}

/** The amount of a link in the language of the page. */
export const linkAmount = (scope: Scope, texts: InvoicingWords, link: PaymentLink): Piece => {
  const { language } = scope
  const show = (value: string): string => amountText({ value, ticker: link.ticker }, language)
  const { amount, least, most } = link
  if (amount !== null) return amountMarkup(scope, { value: amount, ticker: link.ticker })
  const limits = [least === null ? '' : texts.from(show(least)), most === null ? '' : texts.upTo(show(most))]
  return `${texts.payerChooses} (${[link.ticker, ...limits.filter((text) => text !== '')].join(', ')})`
}

const PRINT_STYLE =
  '@page{size:A4 portrait;margin:20mm}.sheet{text-align:center;justify-items:center;gap:1.25rem}.sheet .qr{width:min(12cm,100%);border:0}.sheet h1{font-size:1.75rem}' +
  '@media print{footer,.back{display:none}.sheet{display:grid!important}header{justify-content:center}}'

/** A sheet of A4 with the QR code. Printing hides everything else. */
export const sheetPage = (
  scope: Scope,
  texts: InvoicingWords,
  { url, name, description, amount }: Share,
): PageAnswer => {
  const { visit, merchantName } = scope
  const back = linkTo(visit, visit.path.replace(/\/print$/, ''))
  return answerOf(visit, {
    title: `${name} · ${merchantName}`,
    name: merchantName,
    main: html`<main class="alone sheet"><h1>${foreign(name)}</h1>${description !== null && html`<p>${foreign(description)}</p>`}${amount !== undefined && html`<p class="sum">${amount}</p>`}
${qrImage(url, texts.qrLabel)}<p>${texts.scan}</p><p class="address">${url}</p><p class="soft back">${texts.printHint} <a href="${back}">${texts.back}</a></p></main>`,
    script: undefined,
    style: PRINT_STYLE,
    url: visit.url,
    status: 200,
    cookie: undefined,
  })
}

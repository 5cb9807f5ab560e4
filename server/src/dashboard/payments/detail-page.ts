import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { facts } from '@bursar/checkout/parts'
import type { Catalogue } from '../../market/assets/index.ts'
import { showNetwork, showText, showTime } from '../../merchants/documents/index.ts'
import { mayRole } from '../../people/access/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { liveRegion, lostPage, merchantPage, statusTag, table, type Scope } from '../frame/index.ts'
import { PAYMENTS, type PaymentPagesDeps } from './deps.ts'
import { readDetail, type Detail } from './detail.ts'
import { linkOf, type Explorers } from './explorers.ts'
import { amountOf, KINDS } from './payment.ts'
import { amountPiece, methodPiece } from './pieces.ts'
import { stepsOf, timeline } from './timeline.ts'

const LONGEST_TEXT = 1_000
const SHOWN_SENDERS = 3

/** One payment: its data, its steps, its transactions and its entries in the ledger. */
export const paymentPage =
  (deps: PaymentPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { words, visit, merchantId, request } = scope
    const { kind: asked = '', id = '' } = request.params
    const kind = KINDS.find((one) => one === asked)
    const detail = kind && isUuid(id) ? await readDetail(deps, merchantId, kind, id) : undefined
    if (detail === undefined) return lostPage(visit, words)
    const { payment } = detail
    const { catalogue, explorers } = deps
    const name = showText(payment.name ?? '', LONGEST_TEXT)
    const notificationUrl = (sequence: number): string | null =>
      mayRole(scope.role, 'see-webhooks') ? linkTo(visit, merchantPath(merchantId, `webhooks/${sequence}`)) : null
    return merchantPage(scope, {
      title: name === '' ? words.kinds[payment.kind] : name,
      part: 'payments',
      actions: html`<a href="${linkTo(visit, merchantPath(merchantId, PAYMENTS))}">${words.back}</a>`,
      sections: [
        liveRegion('payment', [
          html`<div class="two"><section class="panel"><h2>${words.details}</h2>${details(scope, detail)}</section><section class="panel"><h2>${words.timeline}</h2>${timeline(stepsOf(detail, { ...scope, catalogue, notificationUrl }))}${payment.kind === 'card' && detail.isCut && html`<p class="soft">${words.olderAttempts}</p>`}</section></div>`,
          refundPanel(scope, detail),
          payment.kind !== 'card' && transactions(scope, detail, { catalogue, explorers }),
          ledger(scope, detail, catalogue),
        ]),
      ],
    })
  }

const details = (scope: Scope, detail: Detail): Markup => {
  const { words, visit, merchantId } = scope
  const { payment, invoice, cardInvoice, pageUrl, paidInvoiceId } = detail
  const linkId = (invoice ?? cardInvoice)?.linkId ?? null
  const text = (label: string, value: string | null | undefined): readonly [string, Piece] | undefined =>
    value === null || value === undefined || value === '' ? undefined : [label, foreign(showText(value, LONGEST_TEXT))]
  return facts([
    [words.status, statusTag(payment.status, words.statuses)],
    [words.asked, amountPiece(scope, payment.amount)],
    payment.paid === null ? undefined : [words.paid, amountPiece(scope, payment.paid)],
    payment.fee === null ? undefined : [words.fee, amountPiece(scope, payment.fee)],
    [words.method, methodPiece(scope, payment)],
    text(words.card, cardInvoice?.maskedCard),
    text(words.address, payment.address),
    text(words.description, (invoice ?? cardInvoice)?.description),
    emailFact(scope, payment.email),
    text(words.meta, payment.meta),
    linkId === null
      ? undefined
      : [
          words.paymentLink,
          html`<a href="${linkTo(visit, merchantPath(merchantId, `links/${linkId}`))}">${words.paymentLink}</a>`,
        ],
    [words.created, showTime(payment.createdAt.getTime())],
    payment.status === 'waiting' && (invoice ?? cardInvoice)
      ? [words.expires, showTime((invoice ?? cardInvoice)!.expiresAt.getTime())]
      : undefined,
    [words.id, payment.id],
    pageUrl === null
      ? undefined
      : [words.paymentPage, html`<a href="${pageUrl}" rel="noreferrer">${words.paymentPage}</a>`],
    paidInvoiceId === null
      ? undefined
      : [
          words.ofInvoice,
          html`<a href="${linkTo(visit, merchantPath(merchantId, `${PAYMENTS}/crypto/${paidInvoiceId}`))}">${paidInvoiceId}</a>`,
        ],
  ])
}

/** The address of the payer, with the page that erases it for members who may. */
const emailFact = (
  { words, visit, merchantId, role }: Scope,
  email: string | null,
): readonly [string, Piece] | undefined =>
  email === null || email === ''
    ? undefined
    : [
        words.email,
        html`${foreign(showText(email, LONGEST_TEXT))}${
          mayRole(role, 'erase-payers') &&
          html`<br><a href="${linkTo(visit, merchantPath(merchantId, 'payers/erase'))}">${words.eraseEmail}</a>`
        }`,
      ]

/** The claim of the payer, or the card payments that can be refunded. */
const refundPanel = ({ words, visit, merchantId, role }: Scope, { claim, cardPayments }: Detail): Piece => {
  const link = (path: string, text: string): Markup =>
    html`<p><a href="${linkTo(visit, merchantPath(merchantId, path))}">${text}</a></p>`
  const cards = mayRole(role, 'refund-payments')
    ? cardPayments.filter(({ state, paidUnits, refundedUnits }) => state === 'credited' && refundedUnits < paidUnits!)
    : []
  if (claim === null && cards.length === 0) return false
  return html`<section class="panel"><h2>${visit.words.refunds}</h2>${claim !== null && link(`refunds/claims/${claim.id}`, words.openClaim)}${cards.map(
    ({ id, maskedCard }) => link(`refunds/cards/${id}`, words.refundCard(maskedCard ?? '')),
  )}</section>`
}

const transactions = (
  scope: Scope,
  { deposits, isCut }: Detail,
  { catalogue, explorers }: { catalogue: Catalogue; explorers: Explorers },
): Markup => {
  const { words } = scope
  const rows = deposits.map(({ network, hash, units, asset, senders }) => {
    const link = hash === null ? undefined : linkOf(explorers, network, hash)
    const named = senders.slice(0, SHOWN_SENDERS).map((sender) => html`<br>${foreign(sender)}`)
    return [
      html`<span class="hash">${hash ?? '–'}</span>${link && html`<br><a href="${link.url}" rel="noreferrer">${words.explorer(link.site)}</a>`}${
        named.length > 0 &&
        html`<br><span class="soft">${words.sender}${named}${senders.length > SHOWN_SENDERS && ' …'}</span>`
      }`,
      showNetwork(network),
      amountPiece(scope, amountOf(units, asset, catalogue)),
    ]
  })
  const columns = [
    { title: words.transactions },
    { title: words.network, isFar: true },
    { title: words.amount, isNumber: true },
  ]
  return html`<section class="panel"><h2>${words.transactions}</h2>${
    rows.length === 0 ? html`<p class="soft">${words.noTransactions}</p>` : table(words.transactions, columns, rows)
  }${isCut && html`<p class="soft">${words.moreTransactions}</p>`}</section>`
}

const ledger = (scope: Scope, { entries }: Detail, catalogue: Catalogue): Markup => {
  const { words } = scope
  const rows = entries.map(({ at, account, kind, posted, held, asset, causeKind }) => [
    showTime(at.getTime()),
    html`${words.accounts[account] ?? account}, ${words.transfers[kind]}<br><span class="soft">${words.causes[causeKind] ?? causeKind}</span>`,
    amountPiece(scope, amountOf(posted === 0n ? held : posted, asset, catalogue)),
  ])
  const columns = [{ title: words.time }, { title: words.account }, { title: words.change, isNumber: true }]
  return html`<section class="panel"><h2>${words.ledger}</h2>${
    rows.length === 0 ? html`<p class="soft">${words.noLedger}</p>` : table(words.ledger, columns, rows)
  }</section>`
}

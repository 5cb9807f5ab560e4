import { amountText, inField } from '@bursar/checkout/amounts'
import { foreign, html, type Markup } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { facts, note } from '@bursar/checkout/parts'
import { randomUUID } from 'node:crypto'
import { showText, showTime } from '../../merchants/documents/index.ts'
import { invoiceTotals } from '../../pay-in/crypto-invoices/index.ts'
import { fiatInvoiceTotals } from '../../pay-in/fiat-invoices/index.ts'
import {
  changeLink,
  countedEnd,
  findLink,
  linkUrl,
  stopLink,
  type PageToMail,
  type PaymentLink,
} from '../../pay-in/payment-links/index.ts'
import { mayRole } from '../../people/access/index.ts'
import { hidden, draftOf, linkTo, merchantPath, redirect, type Draft } from '../../people/pages/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { amountMarkup, lostPage, merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { paymentsOfLink } from '../payments/index.ts'
import { LINKS, MOST_COUNTED, SHOWN_PAYMENTS, type InvoicingDeps } from './deps.ts'
import { linkForm } from './form.ts'
import { mailAsked, mailingIn, mailPanel, type Mailing } from './mail-panel.ts'
import { endTag, problemOf } from './links-page.ts'
import { linkAmount, sharePanel, sheetPage, type Share } from './pieces.ts'
import { readLinkForm, typedIn, type Problem, type Typed } from './typed.ts'
import { INVOICING_WORDS, type InvoicingWords } from './words/index.ts'

const DAY_MS = 86_400_000

/** A link: its address and QR code, its payments, and the forms that change it. */
export const linkPage =
  (deps: InvoicingDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const link = await linkIn(deps, scope)
    if (!link) return lostPage(scope.visit, scope.words)
    const draft = draftOf(deps, scope.visit.session, scope.request)
    return pageOf(deps, atPageOf(scope, link), link, {
      typed: typedBefore(draft) ?? typedOf(link),
      problems: [],
      status: 200,
    })
  }

/** Changes or stops a link. */
export const submitLinkChange =
  (deps: InvoicingDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, words, merchantId } = scope
    const link = await linkIn(deps, scope)
    if (!link) return lostPage(visit, words)
    const { id } = link
    const done = redirect(linkTo(visit, visit.path, { done: '1' }))
    const does = fields('do')
    if (does === 'stop' || does === 'start') {
      const change = { merchantId, id, isStopped: does === 'stop' }
      try {
        await inTransaction(deps.db, (tx) => stopLink(tx, session, change, visit.now))
      } catch (error) {
        return pageOf(deps, scope, link, { typed: typedOf(link), problems: [problemOf(error)], status: 409 })
      }
      return done
    }
    const read = readLinkForm(fields, deps, visit.now.moment, link)
    if ('problems' in read)
      return pageOf(deps, scope, link, { typed: typedIn(fields), problems: read.problems, status: 400 })
    const change = { merchantId, id, fields: read.value }
    await inTransaction(deps.db, (tx) => changeLink(tx, session, change, visit.now))
    return done
  }

/** Mails a link to a payer. The answer is the page of the link. */
export const submitLinkMail =
  (deps: InvoicingDeps) =>
  async ({ scope: sent, session, fields }: Submitted): Promise<PageAnswer> => {
    const link = await linkIn(deps, sent)
    if (!link) return lostPage(sent.visit, sent.words)
    const scope = atPageOf(sent, link)
    const { visit } = scope
    const { path } = visit
    if ((await countedEnd(deps.db, link, deps, visit.now.moment)) !== undefined) return redirect(linkTo(visit, path))
    const mailing = await mailAsked(deps, { scope, session, fields }, toMail(deps, link))
    if (mailing.said === 'queued') return redirect(linkTo(visit, path, { mailed: '1' }))
    return pageOf(deps, scope, link, { typed: typedOf(link), problems: [], status: 400 }, mailing)
  }

const pathOfLink = ({ merchantId }: Scope, id: string): string => merchantPath(merchantId, `${LINKS}/${id}`)

/** A refused form of mail leaves its own address in the browser; every link and form begins at the page of the link. */
const atPageOf = (scope: Scope, { id }: PaymentLink): Scope => ({
  ...scope,
  visit: { ...scope.visit, path: pathOfLink(scope, id) },
})

const toMail = ({ publicUrl }: InvoicingDeps, link: PaymentLink): PageToMail => {
  const { id, name, amount, ticker } = link
  const asked = amount === null ? null : { value: amount, ticker }
  return { kind: 'link', id, name, amount: asked, url: linkUrl(publicUrl, link) }
}

/** The sheet of a link for paper. */
export const printLinkPage =
  (deps: InvoicingDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const link = await linkIn(deps, scope)
    if (!link) return lostPage(scope.visit, scope.words)
    return sheetPage(scope, INVOICING_WORDS[scope.language], shareOf(deps, scope, link))
  }

const linkIn = async ({ db }: InvoicingDeps, { request, merchantId }: Scope): Promise<PaymentLink | undefined> => {
  const id = request.params['id'] ?? ''
  return isUuid(id) ? findLink(db, merchantId, id) : undefined
}

const shareOf = ({ publicUrl }: InvoicingDeps, { language }: Scope, link: PaymentLink): Share => ({
  url: linkUrl(publicUrl, link),
  name: showText(link.name),
  description: link.description === null ? null : showText(link.description),
  amount: link.amount === null ? undefined : amountText({ value: link.amount, ticker: link.ticker }, language),
})

/** The last day of a link. Its end is the beginning of the next one. */
const lastDayOf = ({ expiresAt }: PaymentLink): string =>
  expiresAt === null ? '' : new Date(expiresAt.getTime() - DAY_MS).toISOString().slice(0, 10)

/** The texts that were typed before a sign-in; undefined without any. */
const typedBefore = (draft: Draft): Typed | undefined =>
  Object.keys(draft).length === 0 ? undefined : { ...typedIn((name) => draft[name] ?? ''), key: randomUUID() }

const typedOf = (link: PaymentLink): Typed => ({
  ...typedIn(() => ''),
  key: randomUUID(),
  name: link.name,
  description: link.description ?? '',
  amount: inField(link.amount ?? ''),
  least: inField(link.least ?? ''),
  most: inField(link.most ?? ''),
  language: link.language ?? '',
  expires: lastDayOf(link),
  uses: link.mostUses === null ? '' : String(link.mostUses),
})

const pageOf = async (
  deps: InvoicingDeps,
  scope: Scope,
  link: PaymentLink,
  { typed, problems, status }: { typed: Typed; problems: readonly Problem[]; status: number },
  mailing: Mailing = mailingIn(scope, '', link.language),
): Promise<PageAnswer> => {
  const { visit, words, merchantId, role, request, language } = scope
  const texts = INVOICING_WORDS[language]
  const end = await countedEnd(deps.db, link, deps, visit.now.moment)
  const payments = await paymentsOfLink(deps, scope, link.id, SHOWN_PAYMENTS)
  const all = linkTo(visit, merchantPath(merchantId, 'payments'), { link: link.id })
  return merchantPage(scope, {
    title: showText(link.name),
    part: 'links',
    status,
    actions: html`<a href="${linkTo(visit, merchantPath(merchantId, LINKS))}">${texts.allLinks}</a>`,
    sections: [
      request.query['done'] !== undefined &&
        problems.length === 0 &&
        html`<div role="status">${note('good', ICONS.check, texts.saved)}</div>`,
      html`<div class="two">${sharePanel(scope, texts, shareOf(deps, scope, link))}<section class="panel"><h2>${words.details}</h2>${facts(
        [
          [words.status, endTag(texts, end)],
          [words.amount, linkAmount(scope, texts, link)],
          [words.method, texts.groups[link.kind]],
          link.description === null ? undefined : [words.description, foreign(showText(link.description))],
          link.expiresAt === null ? undefined : [texts.lastDay, lastDayOf(link)],
          link.mostUses === null ? undefined : [texts.mostUses, String(link.mostUses)],
          [words.created, showTime(link.createdAt.getTime())],
          [words.id, html`<span class="hash">${link.id}</span>`],
        ],
      )}${await totals(deps, scope, texts, link)}</section></div>`,
      end === undefined && mailPanel(scope, mailing, `${pathOfLink(scope, link.id)}/mail`),
      html`<section class="panel"><h2>${visit.words.payments}</h2>${payments ?? html`<p>${texts.noPayments}</p>`}${payments && html`<a href="${all}">${texts.allPayments}</a>`}</section>`,
      mayRole(role, 'create-invoices') && changing(deps, scope, link, { typed, problems }, texts),
    ],
  })
}

const totals = async (
  { db, catalogue }: InvoicingDeps,
  scope: Scope,
  texts: InvoicingWords,
  { merchantId, id, kind }: PaymentLink,
): Promise<Markup> => {
  const sums = await (kind === 'card' ? fiatInvoiceTotals : invoiceTotals)(db, merchantId, id, MOST_COUNTED)
  return html`<h3>${texts.totals}</h3>${
    sums.length === 0
      ? html`<p>${texts.nothingPaid}</p>`
      : facts(
          sums.map(({ ticker, paid, units }) => [
            texts.paidCount(paid),
            amountMarkup(scope, { value: formatUnits(units, catalogue.find(ticker)?.scale ?? 0), ticker }),
          ]),
        )
  }<p class="soft">${texts.totalsHint}</p>`
}

const changing = (
  deps: InvoicingDeps,
  scope: Scope,
  link: PaymentLink,
  { typed, problems }: { typed: Typed; problems: readonly Problem[] },
  texts: InvoicingWords,
): Markup => {
  const { visit } = scope
  const isStopped = link.stoppedAt !== null
  return html`<section class="panel"><h2>${texts.changeTitle}</h2><p>${isStopped ? texts.startText : texts.stopText}</p>
<form method="post" action="${linkTo(visit, visit.path)}">${hidden('do', isStopped ? 'start' : 'stop')}<div class="pager"><button class="second">${isStopped ? texts.start : texts.stop}</button></div></form>
<details class="change"${problems.length > 0 && html` open`}><summary>${texts.change}</summary><p class="soft">${texts.changeText}</p>${linkForm(scope, { typed, problems, texts }, deps, link)}</details></section>`
}

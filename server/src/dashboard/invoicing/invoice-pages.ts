import { amountText } from '@bursar/checkout/amounts'
import { foreign, html } from '@bursar/checkout/html'
import { facts } from '@bursar/checkout/parts'
import { showText } from '../../merchants/documents/index.ts'
import { createInvoiceByHand, MerchantLeaving } from '../../pay-in/payment-links/index.ts'
import { draftOf, linkTo, merchantPath, redirect } from '../../people/pages/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { lostPage, merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { readInvoiceToShare, type InvoiceToShare } from '../payments/index.ts'
import { NEW_INVOICE, type InvoicingDeps } from './deps.ts'
import { invoiceForm } from './form.ts'
import { mailAsked, mailingIn, mailPanel, type Mailing } from './mail-panel.ts'
import { sharePanel, sheetPage, type Share } from './pieces.ts'
import { readInvoiceForm, typedAgain, typedIn, typedInUrl, type Problem, type Typed } from './typed.ts'
import { INVOICING_WORDS } from './words/index.ts'

const LONGEST_NAME = 255

/** The form of a new invoice. Its URL may have values of fields. */
export const newInvoicePage =
  (deps: InvoicingDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const draft = draftOf(deps, scope.visit.session, scope.request)
    return formPage(deps, scope, { typed: typedInUrl(scope.request, draft), problems: [], status: 200 })
  }

/** Makes the invoice that was typed, and shows it. */
export const submitInvoice =
  (deps: InvoicingDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId } = scope
    const read = readInvoiceForm(fields, deps, visit.now.moment)
    if ('problems' in read) {
      const { problems } = read
      return formPage(deps, scope, { typed: typedAgain(fields, problems), problems, status: 400 })
    }
    const { value, key } = read
    const wanted = { ...value, merchantId, language: value.language ?? undefined }
    try {
      const { id } = await inTransaction(deps.db, (tx) =>
        createInvoiceByHand(tx, session, { wanted, key }, deps, visit.now),
      )
      return redirect(linkTo(visit, merchantPath(merchantId, `invoices/${value.kind}/${id}`)))
    } catch (error) {
      if (!(error instanceof MerchantLeaving)) throw error
      return formPage(deps, scope, { typed: typedIn(fields), problems: ['leaving'], status: error.status })
    }
  }

const formPage = (
  deps: InvoicingDeps,
  scope: Scope,
  { typed, problems, status }: { typed: Typed; problems: readonly Problem[]; status: number },
): PageAnswer => {
  const texts = INVOICING_WORDS[scope.language]
  return merchantPage(scope, {
    title: texts.newInvoice,
    part: 'payments',
    status,
    sections: [html`<p>${texts.newInvoiceText}</p>`, invoiceForm(scope, { typed, problems, texts }, deps)],
  })
}

/** An invoice with the link and the QR code for its payer. */
export const sharePage =
  (deps: InvoicingDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const found = await foundIn(deps, scope)
    return found ? sharedPage(scope, found) : lostPage(scope.visit, scope.words)
  }

/** Mails an invoice to its payer. */
export const submitInvoiceMail =
  (deps: InvoicingDeps) =>
  async (submitted: Submitted): Promise<PageAnswer> => {
    const { scope } = submitted
    const { visit, words } = scope
    const found = await foundIn(deps, scope)
    if (!found) return lostPage(visit, words)
    if (!found.isOpen) return sharedPage(scope, found)
    const mailing = await mailAsked(deps, submitted, found)
    if (mailing.said === 'queued') return redirect(linkTo(visit, visit.path, { mailed: '1' }))
    return sharedPage(scope, found, mailing)
  }

const sharedPage = (scope: Scope, found: InvoiceToShare, mailing?: Mailing): PageAnswer => {
  const { visit, words, language, merchantId } = scope
  const texts = INVOICING_WORDS[language]
  const { id, kind, email } = found
  const share = shareOf(scope, found)
  return merchantPage(scope, {
    title: share.name,
    part: 'payments',
    status: mailing ? 400 : 200,
    actions: html`<a href="${linkTo(visit, merchantPath(merchantId, NEW_INVOICE))}">${texts.another}</a>`,
    sections: [
      html`<div class="two">${sharePanel(scope, texts, share, email ?? '')}<section class="panel"><h2>${words.details}</h2>${facts(
        [
          [words.asked, share.amount ?? texts.payerChooses],
          share.description === null ? undefined : [words.description, foreign(share.description)],
          email === null ? undefined : [words.email, foreign(email)],
          [
            words.payment,
            html`<a href="${linkTo(visit, merchantPath(merchantId, `payments/${kind}/${id}`))}">${texts.progress}</a>`,
          ],
        ],
      )}</section></div>`,
      found.isOpen && mailPanel(scope, mailing ?? mailingIn(scope, email ?? '', found.language)),
    ],
  })
}

/** The sheet of an invoice for paper. */
export const printInvoicePage =
  (deps: InvoicingDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const found = await foundIn(deps, scope)
    return found
      ? sheetPage(scope, INVOICING_WORDS[scope.language], shareOf(scope, found))
      : lostPage(scope.visit, scope.words)
  }

const foundIn = async (deps: InvoicingDeps, { request, merchantId }: Scope): Promise<InvoiceToShare | undefined> => {
  const { kind, id = '' } = request.params
  if ((kind !== 'crypto' && kind !== 'card') || !isUuid(id)) return undefined
  return readInvoiceToShare(deps, merchantId, kind, id)
}

const shareOf = ({ language }: Scope, { url, name, description, amount }: InvoiceToShare): Share => ({
  url,
  name: showText(name, LONGEST_NAME),
  description: description === null ? null : showText(description),
  amount: amount === null ? undefined : amountText(amount, language),
})

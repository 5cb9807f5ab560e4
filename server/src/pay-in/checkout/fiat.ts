import type { Amount, FormProblem, PageState, PageView, PaymentOption } from '@bursar/checkout'
import type { Catalogue, FiatAsset } from '../../market/assets/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { pictureOf, refuseIfBusy, type DocumentMaker, type FiatReceipt } from '../../merchants/documents/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import {
  FIAT_INVOICE_CHANNEL,
  FiatPayerRefusal,
  findForPayer,
  proceed,
  type FiatInvoice,
  type FiatInvoiceForPayer,
  type FiatInvoiceSettings,
} from '../fiat-invoices/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { Sellers } from './sellers.ts'
import { commonProblem } from './form-problems.ts'
import type { InvoicePages, Visit } from './source.ts'

export interface FiatPagesDeps {
  runtime: Runtime
  settings: FiatInvoiceSettings
  sellers: Sellers
  documents: DocumentMaker
}

/** The pages of fiat invoices. */
export const createFiatPages = ({ runtime, settings, sellers, documents }: FiatPagesDeps): InvoicePages => {
  const load = (id: string): Promise<FiatInvoiceForPayer | undefined> =>
    findForPayer(runtime.db, id, settings, momentOf(runtime).at)
  return {
    kind: 'fiat',
    channel: FIAT_INVOICE_CHANNEL,
    find: async (id, visit) => {
      const found = await load(id)
      if (!found) return undefined
      const now = momentOf(runtime).at.getTime()
      return {
        ...fiatView(found, visit, now, settings.catalogue),
        seller: await sellers(found.invoice.merchantId, found.company),
        now,
      }
    },
    // A payer who sends a form has left the acquirer's page.
    after: (_form, visit) => ({ ...visit, returned: false }),
    act: async (id, form, { language }) => {
      if (form.verb !== 'proceed' && form.verb !== 'retry') return []
      try {
        await inTransaction(runtime.db, async (tx) => {
          const moment = momentOf(runtime)
          const { email, value } = form
          const ticker = form.choice?.split(':')[0]
          await carryOut(tx, await proceed(tx, id, { email, value, ticker, language }, settings, moment), moment)
        })
        return []
      } catch (error) {
        if (error instanceof FiatPayerRefusal) return [error, ...error.others].map(problemOf)
        throw error
      }
    },
    receipt: async (id, { language }) => {
      const found = await load(id)
      if (found?.status.at !== 'paid') return undefined
      const receipt = receiptOf(found, found.status.when, settings.catalogue)
      const logo = await pictureOf(runtime.db, found.invoice.merchantId)
      return {
        name: `receipt-${id}.pdf`,
        pdf: await documents.make({ kind: 'receipt', receipt, language, logo }).catch(refuseIfBusy),
      }
    },
  }
}

type Unsigned = Omit<PageView, 'seller' | 'now'>

const fiatView = (
  { invoice, status }: FiatInvoiceForPayer,
  visit: Visit,
  now: number,
  catalogue: Catalogue,
): Unsigned => {
  const { id, name, description, redirectUrl, language } = invoice
  const atBank = visit.returned && status.at === 'leaving'
  return {
    kind: 'fiat',
    id,
    name,
    description: description ?? undefined,
    language: language ?? undefined,
    path: `/invoices/fiat/${id}`,
    returnTo: redirectUrl ?? undefined,
    keep: atBank || (visit.returned && status.at === 'checking') ? { returned: '1' } : {},
    state: stateOf(
      invoice,
      status.at === 'open' && invoice.expiresAt.getTime() <= now ? { at: 'expired' } : status,
      atBank,
      catalogue,
    ),
  }
}

const amountOf = ({ ticker, units, id }: FiatInvoice, catalogue: Catalogue): Amount => {
  if (ticker === null || units === null) throw new Error(`invoice ${id} has no amount`)
  return { value: text(units, ticker, catalogue), ticker }
}

const text = (units: bigint, ticker: string, catalogue: Catalogue): string =>
  formatUnits(units, catalogue.findFiat(ticker)?.scale ?? 2)

const stateOf = (
  invoice: FiatInvoice,
  status: FiatInvoiceForPayer['status'],
  atBank: boolean,
  catalogue: Catalogue,
): PageState => {
  if (status.at === 'open') return openState(invoice, status.offered)
  if (status.at === 'expired')
    return { at: 'expired', asked: invoice.units === null ? undefined : amountOf(invoice, catalogue) }
  const asked = amountOf(invoice, catalogue)
  switch (status.at) {
    case 'waiting':
      return { at: 'waiting', asked }
    case 'leaving': {
      const { method, url, fields } = status.page
      return atBank
        ? { at: 'checking', asked, back: { method, url, fields } }
        : { at: 'leaving', asked, method, url, fields }
    }
    case 'checking':
      return { at: 'checking', asked, back: undefined }
    case 'failed':
      return {
        at: 'failed',
        asked,
        charged: status.charged,
        why: status.why ?? undefined,
        reason: status.reason ?? undefined,
        canRetry: status.canRetry,
      }
    case 'received':
      return { at: 'received', asked }
    case 'paid':
      return paidState(invoice, asked, status, catalogue)
  }
}

const paidState = (
  { id, paidUnits, maskedCard }: FiatInvoice,
  asked: Amount,
  { when, givenBack }: { when: Date; givenBack: bigint },
  catalogue: Catalogue,
): PageState => ({
  at: 'paid',
  asked,
  paid: paidUnits === null ? asked : { value: text(paidUnits, asked.ticker, catalogue), ticker: asked.ticker },
  over: undefined,
  givenBack: givenBack > 0n ? text(givenBack, asked.ticker, catalogue) : undefined,
  closed: false,
  when: when.getTime(),
  card: maskedCard !== null && /\d/.test(maskedCard) ? maskedCard : undefined,
  payments: [],
  receipt: `/invoices/fiat/${id}/receipt.pdf`,
})

const openState = (
  { units, ticker, askedValue, email, expiresAt }: FiatInvoice,
  offered: readonly FiatAsset[],
): PageState => {
  const [only] = offered
  const limits = (asset: FiatAsset): { least: string; most: string } => ({
    least: formatUnits(asset.payIn.least, asset.scale),
    most: formatUnits(asset.payIn.most, asset.scale),
  })
  const isOpen = units === null
  const entry =
    !isOpen || askedValue !== null
      ? undefined
      : offered.length === 1
        ? { ticker: only!.ticker, ...limits(only!) }
        : { ticker: undefined, least: undefined, most: undefined }
  const option = (asset: FiatAsset): PaymentOption => ({
    ticker: asset.ticker,
    assetName: asset.name,
    blockchain: '',
    networkName: '',
    about: undefined,
    exact: askedValue ?? undefined,
    ...limits(asset),
  })
  return {
    at: 'open',
    asked:
      isOpen || ticker === null
        ? undefined
        : { value: formatUnits(units, offered.find((asset) => asset.ticker === ticker)?.scale ?? 2), ticker },
    email: email === null ? 'ask' : 'known',
    amountEntry: entry,
    options: isOpen && offered.length > 1 ? offered.map(option) : [],
    ratesAway: false,
    until: expiresAt.getTime(),
  }
}

const problemOf = ({ reason, asset }: FiatPayerRefusal): FormProblem => {
  switch (reason) {
    case 'value-limits':
      return asset ? limitsProblem(asset) : { field: 'value', why: 'malformed' }
    case 'unavailable':
      return { field: 'form', why: 'tryAgain' }
    default:
      return commonProblem(reason)
  }
}

const limitsProblem = ({ ticker, scale, payIn }: FiatAsset): FormProblem => {
  const amount = (units: bigint): Amount => ({ value: formatUnits(units, scale), ticker })
  return { field: 'value', why: 'limits', least: amount(payIn.least), most: amount(payIn.most) }
}

const receiptOf = ({ invoice, company }: FiatInvoiceForPayer, when: Date, catalogue: Catalogue): FiatReceipt => {
  const asked = amountOf(invoice, catalogue)
  const { id, name, description, paidUnits, maskedCard, paymentId, createdAt } = invoice
  return {
    kind: 'fiat',
    id,
    company: { name: company.name, url: company.url === '' ? null : company.url },
    name,
    description,
    amount: asked.value,
    paidAmount: paidUnits === null ? asked.value : text(paidUnits, asked.ticker, catalogue),
    ticker: asked.ticker,
    createdAt: createdAt.getTime(),
    paidAt: when.getTime(),
    fee: null,
    card: maskedCard !== null && /\d/.test(maskedCard) ? maskedCard : null,
    reference: paymentId,
  }
}

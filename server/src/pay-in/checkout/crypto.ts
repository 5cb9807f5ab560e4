import type { FormProblem } from '@bursar/checkout'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { pictureOf, refuseIfBusy, type DocumentMaker } from '../../merchants/documents/index.ts'
import {
  findReceipt,
  INVOICE_CHANNEL,
  PayerRefusal,
  type ClaimTokens,
  type Invoices,
  type PayerInvoice,
} from '../crypto-invoices/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { cryptoView, type CryptoReader, type CryptoViewDeps, type NetworkFees } from './crypto-view.ts'
import { commonProblem } from './form-problems.ts'
import type { Sellers } from './sellers.ts'
import type { InvoicePages, SentForm, Visit } from './source.ts'

export interface CryptoPagesDeps extends CryptoViewDeps {
  runtime: Runtime
  invoices: Invoices
  claimTokens: ClaimTokens
  sellers: Sellers
  documents: DocumentMaker
  networkFees(): Promise<NetworkFees>
}

/** The pages of crypto invoices. */
export const createCryptoPages = (deps: CryptoPagesDeps): InvoicePages => {
  const { runtime, invoices, claimTokens, sellers, documents } = deps
  const load = (id: string): Promise<PayerInvoice | undefined> => invoices.find(runtime.db, id, momentOf(runtime).at)
  return {
    kind: 'crypto',
    channel: INVOICE_CHANNEL,
    find: async (id, visit) => {
      const invoice = await load(id)
      if (!invoice) return undefined
      return cryptoView(
        invoice,
        await sellers(invoice.merchantId, invoice.company),
        readerOf(claimTokens, id, visit),
        {
          now: momentOf(runtime).at.getTime(),
          networkFees: invoice.state === 'created' ? await deps.networkFees() : () => undefined,
        },
        deps,
      )
    },
    after: (form, visit) => ({ ...visit, rest: form.verb === 'payRest' || (form.verb === 'requote' && visit.rest) }),
    act: async (id, form, visit) => {
      try {
        await inTransaction(runtime.db, async (tx) => {
          const moment = momentOf(runtime)
          const effects = await wanted(invoices, form, visit)(tx, id, moment)
          if (effects) await carryOut(tx, effects, moment)
        })
        return []
      } catch (error) {
        if (!(error instanceof PayerRefusal)) throw error
        const invoice = await load(id)
        return [error, ...error.others].map((refusal) => problemOf(refusal, invoice, form))
      }
    },
    receipt: async (id, { language }) => {
      const found = await findReceipt(runtime.db, id, deps.catalogue)
      if (!found) return undefined
      const logo = await pictureOf(runtime.db, found.merchantId)
      const { receipt } = found
      return {
        name: `receipt-${id}.pdf`,
        pdf: await documents.make({ kind: 'receipt', receipt, language, logo }).catch(refuseIfBusy),
      }
    },
  }
}

const readerOf = (tokens: ClaimTokens, id: string, { claim, rest, fee }: Visit): CryptoReader => {
  const holds = claim !== undefined && tokens.isOf(id, claim)
  return { claim: holds ? claim : undefined, paysRest: holds && rest, fee }
}

type Verb = (
  ...given: [Parameters<Invoices['claim']>[0], string, Parameters<Invoices['claim']>[4]]
) => ReturnType<Invoices['claim']> | Promise<undefined>

/**
 * Returns the command of the invoice module that a form requests. An expired rate is renewed by the job of that module.
 */
const wanted = (invoices: Invoices, form: SentForm, visit: Visit): Verb => {
  const token = visit.claim ?? ''
  switch (form.verb) {
    case 'proceed':
      return (tx, id, moment) => invoices.proceed(tx, id, choiceOf(form, visit), moment)
    case 'payRest':
      return (tx, id, moment) => invoices.claim(tx, id, token, 'payRest', moment)
    case 'refund':
      return (tx, id, moment) => invoices.claim(tx, id, token, { refundAddress: form.address ?? '' }, moment)
    case 'requote':
      return visit.rest ? (tx, id, moment) => invoices.claim(tx, id, token, 'payRest', moment) : async () => undefined
    case 'retry':
      return async () => undefined
  }
}

const choiceOf = ({ email, value, choice }: SentForm, { language }: Visit): Parameters<Invoices['proceed']>[2] => {
  const [ticker, blockchain] = choice?.split(':') ?? []
  return { email, needsEmail: true, value, ticker, blockchain, language }
}

const problemOf = ({ reason }: PayerRefusal, invoice: PayerInvoice | undefined, form: SentForm): FormProblem => {
  switch (reason) {
    case 'choose-blockchain':
    case 'blockchain-refused':
      return { field: 'choice', why: 'missing' }
    case 'value-too-small':
      return leastOf(invoice, form)
    case 'address-invalid':
      return { field: 'address', why: form.address === undefined ? 'missing' : 'malformed' }
    case 'no-price':
      return { field: 'form', why: 'tryAgain' }
    case 'token-refused':
    case 'nothing-to-claim':
    case 'claimed-already':
      return { field: 'form', why: 'gone' }
    default:
      return commonProblem(reason)
  }
}

const leastOf = (invoice: PayerInvoice | undefined, { choice }: SentForm): FormProblem => {
  const options = invoice?.options ?? []
  const chosen =
    options.length === 1 ? options[0] : options.find(({ ticker, blockchain }) => `${ticker}:${blockchain}` === choice)
  return chosen
    ? { field: 'value', why: 'limits', least: { value: chosen.minimum, ticker: chosen.ticker }, most: undefined }
    : { field: 'value', why: 'malformed' }
}

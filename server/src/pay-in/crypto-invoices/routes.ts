import { generalErrors } from '@bursar/contract'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { companyOf, type MerchantDirectory } from '../../merchants/accounts/index.ts'
import { withStoredAnswer } from '../../platform/api/answers.ts'
import { type ApiRefusal, type ApiAnswer, type ApiRequest, type Route, refusal } from '../../platform/api/route.ts'
import type { KeepTarget } from '../../platform/api/target.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { claimOf } from './claims-store.ts'
import { close, noSuchInvoice } from './commands.ts'
import type { InvoiceCreator } from './creating.ts'
import type { Invoice } from './invoice.ts'
import { lookupBody } from './lookup.ts'
import { optionsOf } from './options.ts'
import { proceed } from './proceeding.ts'
import { PayerRefusal } from './refusal.ts'
import { readInvoice, type InvoiceBody } from './request.ts'
import { pageUrl, type InvoiceSettings } from './settings.ts'
import { findInvoice, insertInvoices } from './store.ts'

export interface InvoiceRoutesDeps {
  runtime: Runtime
  directory: Pick<MerchantDirectory, 'find'>
  creator: InvoiceCreator
  settings: InvoiceSettings
  keepTarget: KeepTarget
}

/** Crypto invoices of a merchant (`contract.md` 5.14, 5.16, 5.17). */
export const invoiceRoutes = (deps: InvoiceRoutesDeps): Route[] => {
  const { runtime, settings } = deps
  return [
    { operation: 'createCryptoInvoice', handle: (request) => create(deps, request) },
    {
      operation: 'getCryptoInvoice',
      handle: async ({ merchantId, params }) => {
        const invoice = await findInvoice(runtime.db, merchantId, params.id!)
        if (!invoice) throw noSuchInvoice()
        const company = await nameOf(deps, merchantId)
        const claim = invoice.state === 'expired' ? await claimOf(runtime.db, merchantId, invoice.id) : undefined
        return {
          status: 200,
          body: lookupBody(invoice, { url: pageUrl(settings, invoice.id), company, claim }, settings.catalogue),
        }
      },
    },
    {
      operation: 'closeCryptoInvoice',
      handle: (request) =>
        inTransaction(runtime.db, (tx) => {
          const moment = momentOf(runtime)
          return withStoredAnswer(tx, request, moment.at, async () => {
            const key = { merchantId: request.merchantId, id: request.params.id! }
            await carryOut(tx, await close(tx, key, settings, moment), moment)
            return { status: 200, body: await closedBody(tx, key, settings) }
          })
        }),
    },
  ]
}

const closedBody = async (
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  settings: InvoiceSettings,
): Promise<unknown> => {
  const invoice = (await findInvoice(tx, merchantId, id))!
  const more = { url: pageUrl(settings, id), company: await companyOf(tx, merchantId), claim: undefined }
  return lookupBody(invoice, more, settings.catalogue)
}

const nameOf = async (
  { directory, runtime }: InvoiceRoutesDeps,
  merchantId: string,
): Promise<{ name: string; url: string }> => {
  const merchant = await directory.find(merchantId)
  return merchant ? { name: merchant.companyName, url: merchant.companyUrl } : companyOf(runtime.db, merchantId)
}

const create = async (deps: InvoiceRoutesDeps, request: ApiRequest): Promise<ApiAnswer> => {
  const { runtime, settings, creator } = deps
  const body = request.body as InvoiceBody
  const invoice = readInvoice(request.merchantId, body, settings, momentOf(runtime))
  if (body.target !== undefined)
    await deps.keepTarget({ merchantId: request.merchantId, kind: 'crypto-invoice', id: invoice.id }, body.target)
  const answer = { status: 200, body: JSON.stringify({ id: invoice.id, url: pageUrl(settings, invoice.id) }) }
  const skips = body.toPendingImmediate === true
  if (skips && !isDecided(invoice, settings)) throw undecided()
  return skips
    ? createRegistered(deps, request, invoice, answer)
    : creator.create({ invoice, keyId: request.keyId, keys: request.answerKeys, answer })
}

/** Whether nothing is left for the payer to choose: there is one way to pay, and an amount or a price. */
const isDecided = (invoice: Invoice, settings: InvoiceSettings): boolean =>
  (invoice.units !== null || invoice.base !== null) &&
  invoice.ticker !== null &&
  optionsOf({ ...invoice, base: null }, settings, new Map()).length === 1

const undecided = (): ApiRefusal => {
  const needs =
    'toPendingImmediate needs an amount (amount.value or baseAmount), amount.ticker and, where the asset is on several networks, amount.blockchain: the payer is not asked for them'
  return refusal(generalErrors.invalidRequest, needs, 'amount')
}

/**
 * Skips the payer's first step, so that the response contains the address. Refuses a price in fiat if there is no fresh
 * price.
 */
const createRegistered = (
  { runtime, settings }: InvoiceRoutesDeps,
  request: ApiRequest,
  invoice: Invoice,
  answer: { status: number; body: string },
): Promise<ApiAnswer> =>
  inTransaction(runtime.db, (tx) => {
    const moment = { ...momentOf(runtime), at: invoice.createdAt }
    return withStoredAnswer(tx, request, moment.at, async () => {
      await insertInvoices(tx, [{ invoice, keyId: request.keyId, keys: [], answer }])
      const effects = await proceed(tx, invoice.id, {}, settings, moment).catch((error: unknown) =>
        Promise.reject(asRefusal(error, invoice)),
      )
      await carryOut(tx, effects, moment)
      return { status: answer.status, json: answer.body }
    })
  })

const asRefusal = (error: unknown, invoice: Invoice): unknown => {
  if (!(error instanceof PayerRefusal)) return error
  if (error.reason === 'no-price') {
    const pair = `${invoice.ticker} in ${invoice.base?.ticker}`
    return refusal(
      generalErrors.unavailable,
      `there is no fresh price of ${pair}: try again later, or leave out toPendingImmediate`,
      { retryAfterSeconds: 30 },
    )
  }
  return refusal(
    generalErrors.invalidRequest,
    'the amount is too small to be credited in this asset: ask for more',
    'baseAmount.value',
  )
}

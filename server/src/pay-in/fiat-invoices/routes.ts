import { createFiatInvoiceByForm, generalErrors, type BodyOf, type createFiatInvoice } from '@bursar/contract'
import { isUuid, type NewId } from '../../platform/base/id.ts'
import { isLanguage } from '../../platform/base/language.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import type { Merchant, MerchantDirectory } from '../../merchants/accounts/index.ts'
import {
  createFormReader,
  findFormMerchant,
  FORMS_OF_A_PAYER,
  readFormRedirect,
  readFormTarget,
  readRedirect,
  sendOn,
  type FormFields,
  type FormMerchantDeps,
} from '../forms/index.ts'
import { withStoredAnswer } from '../../platform/api/answers.ts'
import type { PageRoute } from '../../platform/api/page.ts'
import { type ApiRequest, type Route, refusal } from '../../platform/api/route.ts'
import type { KeepTarget } from '../../platform/api/target.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { createInvoice, type NewFiatInvoice } from './commands.ts'
import { lookupBody } from './notice.ts'
import { readNewInvoice } from './reading.ts'
import { pageUrl, type FiatInvoiceSettings } from './settings.ts'
import { findOfMerchant } from './store.ts'

export interface FiatInvoiceRoutesDeps {
  runtime: Runtime
  settings: FiatInvoiceSettings
  directory: Pick<MerchantDirectory, 'find'>
  /** creates ids that can't be guessed: anyone who has one can open the page */
  newInvoiceId: NewId
  keepTarget: KeepTarget
}

type Body = BodyOf<typeof createFiatInvoice>

/** Fiat invoices (`contract.md` 5.18, 5.20). */
export const fiatInvoiceRoutes = (deps: FiatInvoiceRoutesDeps): Route[] => [
  { operation: 'createFiatInvoice', handle: async (request) => create(deps, request) },
  {
    operation: 'getFiatInvoice',
    handle: async ({ merchantId, params }) => {
      const { runtime, settings, directory } = deps
      const id = params.id!.toLowerCase()
      const invoice = isUuid(id) ? await findOfMerchant(runtime.db, merchantId, id) : undefined
      if (!invoice) throw refusal(generalErrors.notFound, 'no such invoice: check its id')
      return {
        status: 200,
        body: lookupBody(invoice, companyOf((await directory.find(merchantId))!), settings.catalogue),
      }
    },
  },
]

const companyOf = ({ companyName, companyUrl }: Merchant): { name: string; url: string } => ({
  name: companyName,
  url: companyUrl,
})

const create = async (deps: FiatInvoiceRoutesDeps, request: ApiRequest): ReturnType<Route['handle']> => {
  const { runtime, settings, newInvoiceId, keepTarget } = deps
  const { redirectUrl, ...body } = request.body as Body
  const id = newInvoiceId()
  const redirect = redirectUrl === undefined ? null : readRedirect(redirectUrl)
  const invoice = readNewInvoice({ merchantId: request.merchantId, id, body, redirectUrl: redirect }, settings)
  if (body.target !== undefined)
    await keepTarget({ merchantId: request.merchantId, kind: 'fiat-invoice', id }, body.target)
  return inTransaction(runtime.db, (tx) => {
    const { at } = momentOf(runtime)
    return withStoredAnswer(tx, request, at, async () => {
      await store(deps, tx, invoice, request.keyId)
      return { status: 200, body: { id, url: pageUrl(settings, id) } }
    })
  })
}

const store = async (
  { runtime, settings }: FiatInvoiceRoutesDeps,
  tx: Tx,
  invoice: NewFiatInvoice,
  keyId: string | null,
): Promise<void> => {
  const moment = momentOf(runtime)
  await carryOut(tx, await createInvoice(tx, invoice, keyId, settings, moment), moment)
}

const MOST_FORM_BYTES = 65_536
const FORM_PATH = createFiatInvoiceByForm.path

/** The web form (`contract.md` 5.19, 18 row 15). */
export const fiatInvoiceFormRoute = (deps: FiatInvoiceRoutesDeps & Pick<FormMerchantDeps, 'limiter'>): PageRoute => {
  const read = createFormReader(createFiatInvoiceByForm.body)
  return {
    method: 'POST',
    path: FORM_PATH,
    mostBytes: MOST_FORM_BYTES,
    perMinute: FORMS_OF_A_PAYER,
    handle: async (request) => createByForm(deps, read(request)),
  }
}

const createByForm = async (
  deps: FiatInvoiceRoutesDeps & Pick<FormMerchantDeps, 'limiter'>,
  fields: FormFields,
): ReturnType<PageRoute['handle']> => {
  const { runtime, settings, directory, limiter, newInvoiceId } = deps
  const merchant = await findFormMerchant(fields, FORM_PATH, { directory, limiter, now: runtime.clock.now })
  const id = newInvoiceId()
  const redirectUrl = fields.redirectUrl === undefined ? null : readFormRedirect(fields.redirectUrl, merchant.settings)
  const target = readFormTarget(fields, merchant.settings)
  const { name, value, ticker, description, meta, email, language } = fields
  const open =
    value !== undefined && ticker === undefined ? { value, currencies: merchant.settings.formCurrencies } : undefined
  const body = {
    name: name!,
    ...(value === undefined || ticker === undefined ? {} : { amount: { value, ticker } }),
    ...(description === undefined ? {} : { description }),
    ...(meta === undefined ? {} : { meta }),
    ...(email === undefined ? {} : { email }),
    ...(isLanguage(language) ? { language } : {}),
    ...(target === undefined ? {} : { target }),
  }
  const invoice = readNewInvoice(
    { merchantId: merchant.id, id, body: body as Body, redirectUrl, ticker, open },
    settings,
    { amount: 'value', value: 'value', ticker: 'ticker' },
  )
  if (target !== undefined) await deps.keepTarget({ merchantId: merchant.id, kind: 'fiat-invoice', id }, target)
  await inTransaction(runtime.db, (tx) => store(deps, tx, invoice, null))
  return sendOn(pageUrl(settings, id))
}

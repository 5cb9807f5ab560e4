import { createCryptoInvoiceByForm, requestLimits } from '@bursar/contract'
import {
  createFormReader,
  findFormMerchant,
  FORMS_OF_A_PAYER,
  readFormRedirect,
  readFormTarget,
  sendOn,
  type FormFields,
  type FormMerchantDeps,
} from '../forms/index.ts'
import type { MerchantSettings } from '../../merchants/accounts/index.ts'
import { isLanguage } from '../../platform/base/language.ts'
import type { PageRoute } from '../../platform/api/page.ts'
import type { KeepTarget } from '../../platform/api/target.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { InvoiceCreator } from './creating.ts'
import { invalid, readInvoice, type InvoiceBody } from './request.ts'
import { pageUrl, type InvoiceSettings } from './settings.ts'

export interface InvoiceFormDeps extends FormMerchantDeps {
  runtime: Runtime
  creator: InvoiceCreator
  settings: InvoiceSettings
  keepTarget: KeepTarget
}

/** The unsigned web form (`contract.md` 5.15, 18 row 15). */
export const invoiceFormRoute = ({
  runtime,
  creator,
  settings,
  keepTarget,
  ...finding
}: InvoiceFormDeps): PageRoute => {
  const read = createFormReader(createCryptoInvoiceByForm.body!)
  return {
    method: 'POST',
    path: createCryptoInvoiceByForm.path,
    mostBytes: requestLimits.bodyBytes / 16,
    perMinute: FORMS_OF_A_PAYER,
    handle: async (request) => {
      const fields = read(request)
      const merchant = await findFormMerchant(fields, createCryptoInvoiceByForm.path, finding)
      const body = bodyOf(fields, merchant.settings)
      const invoice = readInvoice(merchant.id, body, settings, momentOf(runtime))
      if (body.target !== undefined)
        await keepTarget({ merchantId: merchant.id, kind: 'crypto-invoice', id: invoice.id }, body.target)
      await creator.create({ invoice, keyId: null, keys: [], answer: { status: 303, body: '' } })
      return sendOn(pageUrl(settings, invoice.id))
    },
  }
}

/** Returns the equivalent signed request. Refusals name the fields of the form. */
const bodyOf = (fields: FormFields, settings: MerchantSettings): InvoiceBody => {
  const { name, value, ticker, blockchain, description, meta, email, language, redirectUrl } = fields
  if (ticker === undefined && value !== undefined)
    throw invalid(
      'ticker is missing: the same value is another amount in each asset. Send ticker with value, or leave both to the payer',
      'ticker',
    )
  if (ticker === undefined && blockchain !== undefined)
    throw invalid('ticker is missing: it says what is paid on the blockchain', 'ticker')
  const target = readFormTarget(fields, settings)
  return {
    name: name!,
    ...(ticker === undefined
      ? {}
      : {
          amount: {
            ticker,
            ...(value === undefined ? {} : { value }),
            ...(blockchain === undefined ? {} : { blockchain }),
          },
        }),
    ...(description === undefined ? {} : { description }),
    ...(meta === undefined ? {} : { meta }),
    ...(email === undefined ? {} : { email }),
    ...(isLanguage(language) ? { language } : {}),
    ...(redirectUrl === undefined ? {} : { redirectUrl: readFormRedirect(redirectUrl, settings) }),
    ...(target === undefined
      ? {}
      : {
          target: {
            ticker: target.ticker,
            ...(target.address === undefined ? {} : { address: target.address, blockchain: target.blockchain! }),
          },
        }),
  }
}

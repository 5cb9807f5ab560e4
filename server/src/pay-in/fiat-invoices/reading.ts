import { generalErrors, type BodyOf, type createFiatInvoice } from '@bursar/contract'
import type { FiatAsset } from '../../market/assets/index.ts'
import { routeOf } from '../../cards/acquiring/index.ts'
import { mailAddress } from '../../merchants/mail/index.ts'
import { type ApiRefusal, refusal } from '../../platform/api/route.ts'
import { limitsText, offered, readAmount } from './amounts.ts'
import type { NewFiatInvoice } from './commands.ts'
import type { FiatInvoiceSettings } from './settings.ts'

type Body = Omit<BodyOf<typeof createFiatInvoice>, 'redirectUrl'>

/** Values that are checked elsewhere, or that a signed request can't contain. */
interface Given {
  merchantId: string
  id: string
  body: Body
  redirectUrl: string | null
  /** the currency, if the payer chooses only the amount */
  ticker?: string | undefined
  /** an amount for which the payer chooses among those of these currencies that allow it */
  open?: { value: string; currencies: readonly string[] } | undefined
}

/**
 * Returns the requested invoice, checked. Throws an ApiRefusal that says what to send instead.
 * @param fields names of the amount's fields in the request
 */
export const readNewInvoice = (
  { merchantId, id, body, redirectUrl, ticker, open }: Given,
  settings: FiatInvoiceSettings,
  fields: { amount: string; value: string; ticker: string } = {
    amount: 'amount',
    value: 'amount.value',
    ticker: 'amount.ticker',
  },
): NewFiatInvoice => {
  const { name, amount, description = null, meta = null, email, language = null, toPendingImmediate = false } = body
  const assets = offered(settings.catalogue, settings.table)
  if (assets.length === 0) throw refusal(generalErrors.unavailable, "no acquirer is configured: cards can't pay here")
  if (toPendingImmediate && amount === undefined) {
    throw refusal(
      generalErrors.invalidRequest,
      'toPendingImmediate needs amount: the payer is not asked for it',
      fields.amount,
    )
  }
  const read = amount && readUnits(amount, assets, settings, fields)
  const openIn = open && currenciesFor(open, assets, fields)
  const [only] = openIn?.length === 1 ? openIn : []
  if (open && only !== undefined)
    return readNewInvoice(
      { merchantId, id, body: { ...body, amount: { value: open.value, ticker: only } }, redirectUrl },
      settings,
      fields,
    )
  if (ticker !== undefined && !assets.some((asset) => asset.ticker === ticker)) throw unknownTicker(assets, fields)
  return {
    merchantId,
    id,
    name,
    description,
    meta,
    redirectUrl,
    linkId: null,
    language,
    toPendingImmediate,
    email: email === undefined ? null : readEmail(email),
    ticker: read?.ticker ?? ticker ?? null,
    units: read?.units ?? null,
    askedValue: open?.value ?? null,
    askedIn: openIn ?? null,
  }
}

/** Returns the currencies of a form that allow the amount. Refuses if there is none. */
const currenciesFor = (
  { value, currencies }: { value: string; currencies: readonly string[] },
  assets: readonly FiatAsset[],
  fields: { value: string; ticker: string },
): string[] => {
  const known = assets.filter(({ ticker }) => currencies.includes(ticker))
  if (known.length === 0)
    throw refusal(
      generalErrors.invalidRequest,
      `${fields.ticker} is missing: ${currencies.join(', ')}, which this merchant's forms are in, can not be paid by card here`,
      fields.ticker,
    )
  const reads = known.map((asset) => ({
    ticker: asset.ticker,
    read: readAmount({ value, ticker: asset.ticker }, known),
  }))
  const fitting = reads.filter(({ read }) => read.ok).map(({ ticker }) => ticker)
  if (fitting.length > 0) return fitting
  throw refusal(
    generalErrors.invalidRequest,
    `${fields.value} is within the limits of no currency of this merchant's forms: ${known.map(limitsText).join(', ')}`,
    fields.value,
  )
}

const readUnits = (
  amount: { value: string; ticker: string },
  assets: readonly FiatAsset[],
  { table }: FiatInvoiceSettings,
  fields: { value: string; ticker: string },
): { ticker: string; units: bigint } => {
  const limits = assets.map(limitsText).join(', ')
  const read = readAmount(amount, assets)
  if (!read.ok) {
    const { ticker, scale } = read.asset ?? { ticker: amount.ticker, scale: 0 }
    switch (read.problem) {
      case 'ticker':
        throw unknownTicker(assets, fields)
      case 'grammar':
        throw refusal(
          generalErrors.invalidRequest,
          `${fields.value} must be a decimal string such as "100": the limits are ${limits}`,
          fields.value,
        )
      case 'precision':
        throw refusal(
          generalErrors.invalidRequest,
          `${fields.value} has more decimals than the ${scale} that ${ticker} has`,
          fields.value,
        )
      case 'limits':
        throw refusal(generalErrors.invalidRequest, `${fields.value} is outside the limits: ${limits}`, fields.value)
    }
  }
  const {
    units,
    asset: { ticker },
  } = read
  if (routeOf(table, { direction: 'payIn', ticker, units }, new Set()).length === 0) {
    throw refusal(
      generalErrors.unavailable,
      `no acquirer here takes ${amount.value} ${ticker} in one payment`,
      fields.value,
    )
  }
  return { ticker, units }
}

const unknownTicker = (assets: readonly FiatAsset[], { ticker }: { ticker: string }): ApiRefusal => {
  const known = assets.map((asset) => asset.ticker).join(', ')
  return refusal(
    generalErrors.invalidRequest,
    `${ticker} must be one of ${known}: the limits are ${assets.map(limitsText).join(', ')}`,
    ticker,
  )
}

const readEmail = (email: string): string => {
  const address = mailAddress(email)
  if (address === undefined)
    throw refusal(generalErrors.invalidRequest, 'email must be an address such as payer@example.com', 'email')
  return address
}

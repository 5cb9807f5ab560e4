import { pointed } from '@bursar/checkout/amounts'
import type { RoutingTable } from '../../cards/acquiring/index.ts'
import type { NewId } from '../../platform/base/id.ts'
import type { Language } from '../../platform/base/language.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import { BASE_TICKERS, checkInvoice, placeInvoice, type PlacingSettings } from '../crypto-invoices/index.ts'
import { cardCurrencies, checkFiatInvoice, placeFiatInvoice } from '../fiat-invoices/index.ts'
import type { LinkKind } from './link.ts'

export interface MakingSettings extends PlacingSettings {
  table: RoutingTable
  /** makes ids of card invoices, which can't be guessed */
  newInvoiceId: NewId
}

/** An invoice that a person or a payer makes. */
export interface Wanted {
  merchantId: string
  linkId: string | null
  kind: LinkKind
  ticker: string
  /** a decimal */
  amount: string
  name: string
  description?: string | undefined
  meta?: string | undefined
  email?: string | undefined
  language?: Language | undefined
  redirectUrl?: string | undefined
  /** ms; of crypto invoices only */
  duration?: number | undefined
}

/** An amount as people type it, as a decimal of the API; undefined if it is none, or may mean two amounts. */
export const amountIn = (typed: string): string | undefined => {
  const text = pointed(typed.replaceAll(/\s/g, ''))
  return text !== undefined && /^(?=.*[1-9])\d{1,30}(\.\d{1,18})?$/.test(text) ? text : undefined
}

/** The assets and currencies in which invoices of each kind are asked for. */
export const tickersOf = (settings: MakingSettings): Readonly<Record<LinkKind, readonly string[]>> => {
  const { catalogue, networks } = settings
  const served = catalogue.crypto.filter((asset) => [...asset.networks.keys()].some((network) => networks.has(network)))
  return {
    crypto: [...served.map(({ ticker }) => ticker), ...BASE_TICKERS.filter((one) => !catalogue.findCrypto(one))],
    card: cardCurrencies(settings),
  }
}

/** The limits of an amount: those of an asset, or of a currency of cards. Decimals; undefined: there is none. */
export const limitsOf = (
  { kind, ticker }: Pick<Wanted, 'kind' | 'ticker'>,
  { catalogue, networks }: MakingSettings,
): { least: string | undefined; most: string | undefined } => {
  const fiat = kind === 'card' ? catalogue.findFiat(ticker) : undefined
  if (fiat) return { least: formatUnits(fiat.payIn.least, fiat.scale), most: formatUnits(fiat.payIn.most, fiat.scale) }
  const asset = kind === 'crypto' ? catalogue.findCrypto(ticker) : undefined
  const served = [...(asset?.networks.values() ?? [])].filter(({ network }) => networks.has(network))
  if (!asset || served.length === 0) return { least: undefined, most: undefined }
  const least = served.map(({ minDeposit }) => minDeposit).reduce((a, b) => (a < b ? a : b))
  return { least: least === 0n ? undefined : formatUnits(least, asset.scale), most: undefined }
}

/** Whether an amount can be asked for. */
export const canAsk = (
  { kind, ticker, amount }: Pick<Wanted, 'kind' | 'ticker' | 'amount'>,
  settings: MakingSettings,
  moment: Moment,
): boolean => {
  const placed = { merchantId: '', body: { name: 'name', ...moneyOf({ kind, ticker, amount }, settings) } }
  try {
    if (kind === 'card') checkFiatInvoice(placed, settings)
    else checkInvoice(placed, settings, moment)
    return true
  } catch (error) {
    if (error instanceof ApiRefusal) return false
    throw error
  }
}

const moneyOf = (
  { kind, ticker, amount }: Pick<Wanted, 'kind' | 'ticker' | 'amount'>,
  { catalogue }: MakingSettings,
): { amount: { value: string; ticker: string } } | { baseAmount: { value: string; ticker: string } } => {
  const money = { value: amount, ticker }
  return kind === 'card' || catalogue.findCrypto(ticker) ? { amount: money } : { baseAmount: money }
}

/**
 * Makes an invoice as the API does. Throws an ApiRefusal.
 * @returns its id, and the URL of its payment page
 */
export const makeInvoice = (
  tx: Tx,
  wanted: Wanted,
  settings: MakingSettings,
  moment: Moment,
): Promise<{ id: string; url: string }> => {
  const { merchantId, linkId, kind, name, description, meta, email, language, redirectUrl, duration } = wanted
  const body = {
    name,
    ...moneyOf(wanted, settings),
    ...(description === undefined ? {} : { description }),
    ...(meta === undefined ? {} : { meta }),
    ...(email === undefined ? {} : { email }),
    ...(language === undefined ? {} : { language }),
    ...(redirectUrl === undefined ? {} : { redirectUrl }),
  }
  if (kind === 'card')
    return placeFiatInvoice(tx, { merchantId, linkId, body }, settings.newInvoiceId, settings, moment)
  const timed = duration === undefined ? body : { ...body, duration }
  return placeInvoice(tx, { merchantId, linkId, body: timed }, settings, moment)
}

import { pointed } from '@bursar/checkout/amounts'
import { isUnderWay, paymentsOf, planPayment, readFailing, type Payment } from '../../cards/acquiring/index.ts'
import type { CardTicker } from '../../adapters/acquirers/port.ts'
import { checkAll } from '../../platform/base/check-all.ts'
import type { Language } from '../../platform/base/language.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { mailAddress } from '../../merchants/mail/index.ts'
import { offered, readAmount } from './amounts.ts'
import { LIFE_MS, type FiatInvoice } from './invoice.ts'
import { isOpen } from './machine.ts'
import { noticeOf } from './notice.ts'
import { FiatPayerRefusal, isFiatPayerRefusal } from './refusal.ts'
import { returnUrl, type FiatInvoiceSettings } from './settings.ts'
import { change, insertInvoice, lockById } from './store.ts'

/** A merchant's request for an invoice, checked. Units are minor units. */
export interface NewFiatInvoice extends Pick<
  FiatInvoice,
  | 'merchantId'
  | 'id'
  | 'name'
  | 'description'
  | 'meta'
  | 'email'
  | 'redirectUrl'
  | 'linkId'
  | 'language'
  | 'ticker'
  | 'units'
  | 'askedValue'
  | 'askedIn'
> {
  toPendingImmediate: boolean
}

/**
 * Creates an invoice. One that skips the first step is pending at once, with a payment to which its payer is sent.
 * @param keyId of the API key that signed the request; null: it came by a form
 */
export const createInvoice = async (
  tx: Tx,
  { toPendingImmediate, ...given }: NewFiatInvoice,
  keyId: string | null,
  settings: FiatInvoiceSettings,
  moment: Moment,
): Promise<Effects> => {
  const invoice: FiatInvoice = {
    ...given,
    state: 'created',
    paidUnits: null,
    feeUnits: null,
    maskedCard: null,
    errorCode: null,
    errorMessage: null,
    paymentId: null,
    expiresAt: new Date(moment.at.getTime() + LIFE_MS),
    failsAt: null,
    createdAt: moment.at,
    updatedAt: moment.at,
  }
  await insertInvoice(tx, invoice, keyId)
  if (!toPendingImmediate) return noEffects
  return (await pay(tx, invoice, {}, invoice.language ?? usualLanguage(invoice.ticker!), settings, moment)) ?? noEffects
}

/** The payer's input before the acquirer's page, as typed. Known values are not asked for again. */
export interface FiatChoice {
  email?: string | undefined
  value?: string | undefined
  ticker?: string | undefined
  language: Language
}

/**
 * Brings a payer to the acquirer's page: fixes the amount that was open, notifies the merchant of Pending the first
 * time, and plans a payment, which a worker orders from an acquirer. Plans nothing while a payment is under way; after
 * a refused card, another one is planned. Throws a FiatPayerRefusal, with the other problems of
 * the form in `others`.
 */
export const proceed = async (
  tx: Tx,
  id: string,
  choice: FiatChoice,
  settings: FiatInvoiceSettings,
  moment: Moment,
): Promise<Effects> => {
  const invoice = await lockById(tx, id)
  if (!invoice) throw new FiatPayerRefusal('not-found')
  const isOver = invoice.expiresAt <= moment.at
  if (!isOpen(invoice.state) || isOver) throw new FiatPayerRefusal('ended')
  const payments = invoice.state === 'created' ? [] : await paymentsOf(tx, invoice.merchantId, id)
  if (payments.some((payment) => isUnderWay(payment, moment.at))) return noEffects
  if (!canRetry(payments)) throw new FiatPayerRefusal('ended')
  const [email, amount] = checkAll<[string, Pick<FiatInvoice, 'ticker' | 'units'>, void]>(isFiatPayerRefusal, [
    () => emailOf(choice, invoice),
    () => amountOf(choice, invoice, settings),
    () => checkTyped(choice, invoice),
  ])
  const fixed = { email, ...amount }
  const effects = await pay(tx, invoice, fixed, choice.language, settings, moment)
  if (!effects) throw new FiatPayerRefusal('unavailable')
  return effects
}

/** After a payment of another amount, an operator has to decide before the payer pays again. */
export const canRetry = (payments: readonly Payment[]): boolean => !payments.some(({ state }) => state === 'suspended')

/** @returns undefined if no acquirer accepts such a payment */
const pay = async (
  tx: Tx,
  before: FiatInvoice,
  fixed: Partial<Pick<FiatInvoice, 'email' | 'ticker' | 'units'>>,
  language: Language,
  settings: FiatInvoiceSettings,
  moment: Moment,
): Promise<Effects | undefined> => {
  const { merchantId, id, name, expiresAt, email, ticker, units } = { ...before, ...fixed }
  const order = {
    merchantId,
    invoiceId: id,
    ticker: ticker as CardTicker,
    units: units!,
    description: name,
    email,
    language,
    returnUrl: returnUrl(settings, id),
    expiresAt,
  }
  const payment = await planPayment(
    tx,
    order,
    { table: settings.table, failing: await readFailing(tx, moment.at) },
    moment,
  )
  if (!payment) return undefined
  const event = before.state === 'created' ? 'proceeded' : undefined
  const pending = await change(tx, before, event, { ...fixed, paymentId: payment.id, failsAt: null }, moment.at)
  if (!pending) throw new Error(`invoice ${id} is ${before.state}, which takes no payment`)
  return event === undefined ? noEffects : { items: [], notices: [noticeOf(pending, 'Pending', settings.catalogue)] }
}

/**
 * Anyone with the invoice's link can send this form, and receipts go to the address; so a known address is never
 * replaced.
 */
const emailOf = ({ email }: FiatChoice, invoice: FiatInvoice): string => {
  if (invoice.email !== null) return invoice.email
  if (email === undefined || email.trim() === '') throw new FiatPayerRefusal('email-missing', 'email')
  const given = mailAddress(email)
  if (given === undefined) throw new FiatPayerRefusal('email-invalid', 'email')
  return given
}

/** Throws if the payer chooses the amount and has typed none. */
const checkTyped = ({ value }: FiatChoice, { units, askedValue }: FiatInvoice): void => {
  if (units === null && askedValue === null && (value ?? '').trim() === '')
    throw new FiatPayerRefusal('choose-value', 'value')
}

const amountOf = (
  choice: FiatChoice,
  invoice: FiatInvoice,
  { catalogue, table }: FiatInvoiceSettings,
): Pick<FiatInvoice, 'ticker' | 'units'> => {
  const { ticker, units, askedValue, askedIn } = invoice
  if (units !== null) return { ticker, units }
  const assets = offered(catalogue, table).filter((asset) => askedIn === null || askedIn.includes(asset.ticker))
  const value = askedValue ?? choice.value
  const chosen = ticker ?? choice.ticker ?? (assets.length === 1 ? assets[0]!.ticker : undefined)
  if (chosen === undefined) throw new FiatPayerRefusal('choose-ticker', 'ticker')
  if (value === undefined || value.trim() === '') throw new FiatPayerRefusal('choose-value', 'value')
  // The merchant's program writes a point before decimals; only a payer's own amount can be unclear.
  const decimal = askedValue ?? pointed(value.trim())
  if (decimal === undefined) throw new FiatPayerRefusal('value-invalid', 'value')
  const read = readAmount({ value: decimal, ticker: chosen }, assets)
  if (read.ok) return { ticker: chosen, units: read.units }
  if (read.problem === 'ticker') throw new FiatPayerRefusal('ticker-refused', 'ticker')
  throw new FiatPayerRefusal(read.problem === 'limits' ? 'value-limits' : 'value-invalid', 'value', read.asset)
}

/** The language of an acquirer's page before the payer has opened any page. */
const usualLanguage = (ticker: string): Language => (ticker === 'UAH' ? 'uk' : ticker === 'KZT' ? 'kk' : 'en')

import { pointed } from '@bursar/checkout/amounts'
import { isNetwork } from '@bursar/chainkit'
import { familyOf, issueInside } from '../../chain/addresses/index.ts'
import { checkAll } from '../../platform/base/check-all.ts'
import { isLanguage, type Language } from '../../platform/base/language.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { mailAddress } from '../../merchants/mail/index.ts'
import { parseUnits } from '../../platform/money/index.ts'
import type { Invoice } from './invoice.ts'
import { isOpen } from './machine.ts'
import { invoiceNotice } from './notice.ts'
import { canBeSent, optionsOf, type Option } from './options.ts'
import { BASE_TICKERS, priceIn } from './quoting.ts'
import { isPayerRefusal, PayerRefusal } from './refusal.ts'
import type { InvoiceSettings } from './settings.ts'
import { announce, lockById, move, write } from './store.ts'

/** The payer's input before the payment step, as typed. Values that the merchant has set are not requested. */
export interface Choice {
  email?: string | undefined
  /** refuse a choice that leaves the invoice without an e-mail address */
  needsEmail?: boolean
  ticker?: string | undefined
  blockchain?: string | undefined
  value?: string | undefined
  /** the payer's language, for mails; unsupported languages are ignored */
  language?: string | undefined
}

interface Payer {
  email: string | null
  language: Language | null
}

/**
 * Brings an invoice to the payment step: fixes asset, network and amount, quotes a price in fiat, allocates an address
 * permanently, and notifies the merchant of PENDING. Repeating it changes only the language of mails. Throws a
 * PayerRefusal, with the other problems of the choice in `others`.
 */
export const proceed = async (
  tx: Tx,
  id: string,
  choice: Choice,
  settings: InvoiceSettings,
  moment: Moment,
): Promise<Effects> => {
  const invoice = await lockById(tx, id)
  if (!invoice) throw new PayerRefusal('not-found')
  if (!isOpen(invoice.state) || (invoice.state === 'created' && invoice.expiresAt <= moment.at))
    throw new PayerRefusal('ended')
  if (invoice.state !== 'created') {
    await write(tx, invoice, { language: payerOf(choice, invoice).language })
    await announce(tx, [id])
    return noEffects
  }
  const prices = await settings.prices(tx, pricesNeeded(invoice, settings))
  const [payer, { asset, on, units }] = checkAll<[Payer, Option & { units: bigint }, void]>(isPayerRefusal, [
    () => payerOf(choice, invoice),
    () => chosen(invoice, choice, settings, prices),
    () => checkTyped(invoice, choice),
  ])
  const { base } = invoice
  const quote =
    base === null
      ? null
      : {
          priceE18: priceIn(asset.ticker, base.ticker, prices)!,
          at: moment.at,
          until: new Date(moment.at.getTime() + settings.quoteMs),
          previousE18: null,
        }
  const place = await allocate(tx, invoice, on.network, settings, moment)
  const changes = { ...payer, ticker: asset.ticker, blockchain: on.network, units, quote, ...place }
  const registered = await move(tx, invoice, 'proceeded', changes, moment.at)
  await announce(tx, [id])
  return { items: [], notices: [invoiceNotice(registered, 'PENDING', settings.catalogue)] }
}

/** Returns the tickers that need a price before an invoice can be quoted; none for an invoice priced in crypto. */
export const pricesNeeded = (
  { base, ticker }: Pick<Invoice, 'base' | 'ticker'>,
  { catalogue }: Pick<InvoiceSettings, 'catalogue'>,
): string[] =>
  base === null
    ? []
    : [...(ticker === null ? catalogue.crypto.map((asset) => asset.ticker) : [ticker]), ...BASE_TICKERS]

/**
 * Returns the payer's data. Anyone with the invoice's link can send this form, and the e-mail address receives the link
 * that claims a refund. Therefore an address given by the merchant is never replaced, and a payer's address is set
 * once, before there is any money.
 */
const payerOf = ({ email, language, needsEmail }: Choice, invoice: Invoice): Payer => {
  const given = isBlank(email) ? undefined : mailAddress(email!)
  if (!isBlank(email) && given === undefined) throw new PayerRefusal('email-invalid', 'email')
  if (needsEmail === true && invoice.state === 'created' && invoice.email === null && given === undefined)
    throw new PayerRefusal('email-missing', 'email')
  return { email: invoice.email ?? given ?? null, language: isLanguage(language) ? language : invoice.language }
}

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === ''

/** Throws if the payer chooses the amount and has typed none. */
const checkTyped = ({ units, base }: Invoice, { value }: Choice): void => {
  if (units === null && base === null && isBlank(value)) throw new PayerRefusal('choose-value', 'value')
}

/** Returns the asset, network and amount that the merchant's and the payer's choices determine. */
const chosen = (
  invoice: Invoice,
  choice: Choice,
  settings: InvoiceSettings,
  prices: ReadonlyMap<string, bigint>,
): Option & { units: bigint } => {
  const all = optionsOf(invoice, settings, prices)
  const tickers = new Set(all.map(({ asset }) => asset.ticker))
  const ticker = invoice.ticker ?? choice.ticker ?? (tickers.size === 1 ? [...tickers][0] : undefined)
  if (ticker === undefined) throw new PayerRefusal('choose-ticker', 'ticker')
  const inAsset = all.filter(({ asset }) => asset.ticker === ticker)
  if (inAsset.length === 0) throw new PayerRefusal('ticker-refused', 'ticker')
  const network = invoice.blockchain ?? choice.blockchain ?? (inAsset.length === 1 ? inAsset[0]!.on.network : undefined)
  if (network === undefined) throw new PayerRefusal('choose-blockchain', 'blockchain')
  const option = isNetwork(network) ? inAsset.find(({ on }) => on.network === network) : undefined
  if (!option) throw new PayerRefusal('blockchain-refused', 'blockchain')
  if (option.unpriced) throw new PayerRefusal('no-price')
  return { ...option, units: option.units ?? chosenUnits(choice.value, option) }
}

const chosenUnits = (value: string | undefined, { asset, on }: Option): bigint => {
  if (value === undefined || value === '') throw new PayerRefusal('choose-value', 'value')
  const typed = pointed(value.trim())
  const parsed = typed === undefined ? undefined : parseUnits(typed, asset.scale)
  if (!parsed?.ok || parsed.units === 0n) throw new PayerRefusal('value-invalid', 'value')
  if (parsed.units < on.minDeposit) throw new PayerRefusal('value-too-small', 'value')
  if (!canBeSent(parsed.units, asset, on)) throw new PayerRefusal('value-invalid', 'value')
  return parsed.units
}

/**
 * Allocates an address of the invoice's own. Like a rotating address it is watched closely until the invoice ends; what
 * it receives is always credited.
 */
const allocate = async (
  tx: Tx,
  { merchantId, meta, expiresAt }: Invoice,
  blockchain: Parameters<typeof familyOf>[0],
  { keys }: InvoiceSettings,
  { at, newId }: Moment,
): Promise<{ address: string; addressId: string }> => {
  const addressId = newId()
  const address = await issueInside(tx, keys, {
    merchantId,
    id: addressId,
    family: familyOf(blockchain),
    blockchain,
    meta,
    leasedUntil: expiresAt,
    leaseAfterDepositMs: null,
    createdAt: at,
    answer: { keys: [], before: '', after: '' },
  })
  return { address, addressId }
}

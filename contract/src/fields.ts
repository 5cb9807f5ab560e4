/** Field schemas of operations and notifications. Descriptions say what to send, because error messages quote them. */
import { Type } from 'typebox'
import type { TObjectOptions, TProperties } from 'typebox'
import { textLimits } from './limits.ts'

/**
 * Characters that no text may contain, as members of a character class: NUL, which PostgreSQL can't store, and lone
 * surrogates, which are not valid UTF-8.
 */
const unstorable = '\\u0000\\ud800-\\udfff'

/** Free text, stored and returned unchanged (`contract.md` 18 #14). */
const text = (minLength: number, maxLength: number, description: string) =>
  Type.String({ minLength, maxLength, pattern: `^[^${unstorable}]*$`, description })

/** A request object. An unlisted field is refused by name, so that a misspelt field never moves money (18 #31). */
export const requestObject = <Properties extends TProperties>(properties: Properties, options: TObjectOptions = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false })

/** An amount in a request that may be zero, for example a fee (`contract.md` 18 #11). */
export const decimal = (what: string) =>
  Type.String({
    pattern: '^\\d{1,30}(\\.\\d{1,18})?$',
    description: `${what}. A decimal string such as "12.5": digits, at most 30 before the dot and 18 after`,
  })

/** An amount in a request that must be greater than zero (`contract.md` 18 #11). */
export const positiveDecimal = (what: string) =>
  Type.String({
    pattern: '^(?=.*[1-9])\\d{1,30}(\\.\\d{1,18})?$',
    description: `${what}. A decimal string greater than zero such as "12.5": digits, at most 30 before the dot and 18 after`,
  })

/** An amount in a response: no sign, no exponent, no trailing zeros, no dot in an integer (18 #10). */
export const printedDecimal = (what: string) =>
  Type.String({ pattern: '^(0|[1-9]\\d*)(\\.\\d*[1-9])?$', description: what })

/** Milliseconds since the epoch. */
export const milliseconds = (what: string) => Type.Integer({ minimum: 0, description: `${what}, ms since the epoch` })

/**
 * A duration in ms in a request: a number, or its digits as a string (`contract.md` 16 #14). The schema checks the
 * limits of a number only; the operation checks both forms.
 */
export const duration = (what: string, { min, max }: { readonly min: number; readonly max: number }) =>
  Type.Union([Type.Integer({ minimum: min, maximum: max }), Type.String({ pattern: '^\\d{1,15}$' })], {
    description: `${what}, ms: ${min} to ${max}`,
  })

/** The operation checks it against the list of assets, so that the error can name those that exist. */
export const ticker = (what: string) => Type.String({ minLength: 1, maxLength: textLimits.ticker, description: what })

/** The operation checks it against the list of networks. */
export const blockchain = (what: string) =>
  Type.String({
    minLength: 1,
    maxLength: textLimits.blockchain,
    description: `${what}: BITCOIN, ETHEREUM, BINANCE_SMART_CHAIN or TRON`,
  })

/** The most items of a page, 1 to 1000. */
export const pageLimit = (what: string, standard: number) =>
  Type.String({
    pattern: '^(?:[1-9]\\d{0,2}|1000)$',
    description: `${what}: 1 to 1000, ${standard} when absent`,
  })

/** The two fields with which a client limits the cost of an order (`contract.md` 18 #6 and #8, 19 #4 and #5). */
export const ownFee = () =>
  decimal('Fee to pay instead of the current one, at least as high; the current fee when absent')

export const priceLimit = () =>
  positiveDecimal(
    'Price of the pair, in the order of `price.pair` of the estimate. The order fills at a price no worse than it',
  )

/** A chain address. The operation checks its checksum and network. */
export const address = (what: string) => Type.String({ minLength: 1, maxLength: textLimits.address, description: what })

/** A card number. The operation checks its check digit. */
export const card = (what: string) =>
  Type.String({ pattern: '^\\d{13,19}$', description: `${what}: 13 to 19 digits without spaces` })

export const meta = () =>
  text(0, textLimits.meta, `The merchant's own text, returned in notifications: at most ${textLimits.meta} characters`)

export const localId = () =>
  text(
    1,
    textLimits.localId,
    `The merchant's own identifier, 1 to ${textLimits.localId} characters, permanently unique across withdrawals, ` +
      "batches, exchanges and exchanges with withdrawal: a repeated call can't move money twice",
  )

export const linkLocalId = () =>
  text(
    1,
    textLimits.localId,
    `The merchant's own identifier, 1 to ${textLimits.localId} characters, permanently unique across payment links`,
  )

export const invoiceName = () => text(1, textLimits.name, `Name of the invoice: 1 to ${textLimits.name} characters`)

export const invoiceDescription = () =>
  text(
    0,
    textLimits.description,
    `Shown on the payment page as plain text: at most ${textLimits.description} characters`,
  )

export const email = () =>
  Type.String({
    maxLength: textLimits.email,
    pattern: `^[^\\s@${unstorable}]+@[^\\s@${unstorable}]+$`,
    description: 'E-mail address of the payer',
  })

/** BCP 47. */
export const language = () =>
  Type.Enum(['uk', 'kk', 'ru', 'en'], {
    description:
      "Language of the payment page and of mails to the payer, until the payer chooses another one: uk, kk, ru or en; the browser's when absent",
  })

export const redirectUrl = (scheme: 'https' | 'https?', what: string) =>
  Type.String({
    maxLength: textLimits.redirectUrl,
    pattern: `^${scheme}://[^\\s\\\\${unstorable}]+$`,
    description: `Where the payer goes after payment: ${what}`,
  })

/** The path parameter of a lookup. A value that is not an identifier of the merchant's gets 404, not 400. */
export const idParams = (what: string) =>
  Type.Object({ id: Type.String({ minLength: 1, maxLength: textLimits.id, description: what }) })

/** The response of an operation that creates an object. */
export const Created = Type.Object(
  { id: Type.String({ description: 'Identifier, a UUID; notifications carry it' }) },
  { title: 'Created', description: 'The created object', examples: [{ id: '8c12e071-cd00-439d-90c0-74a8c2f96da2' }] },
)

import { createHmac, timingSafeEqual } from 'node:crypto'
import { validKeys, type Merchant } from '../../merchants/accounts/index.ts'
import type { FormFields } from './reading.ts'
import { formRefusal } from './refusal.ts'

/**
 * The fields that a form's token signs, in this order: all those of the merchant. The e-mail address is the payer's.
 */
const SIGNED = [
  'name',
  'value',
  'ticker',
  'blockchain',
  'description',
  'meta',
  'redirectUrl',
  'targetTicker',
  'targetAddress',
  'targetBlockchain',
] as const

/**
 * Returns the text that a token signs: the path, the merchant, the expiry, and each present field as `name=value`,
 * joined by line feeds.
 * @param until seconds since 1970
 */
export const tokenText = (path: string, merchantId: string, until: string, fields: FormFields): string =>
  [
    path,
    merchantId.toLowerCase(),
    until,
    ...SIGNED.flatMap((name) => (fields[name] === undefined ? [] : [`${name}=${fields[name]}`])),
  ].join('\n')

/**
 * Checks a form against its merchant's settings: whether forms are enabled, and the token `UNTIL.SIGNATURE`, whose
 * signature is the HMAC-SHA256 of `tokenText` by a valid API key of the merchant, in hex. A form without a token is
 * accepted unless the merchant requires one.
 * @param now ms, real time
 */
export const checkForm = (merchant: Merchant, path: string, fields: FormFields, now: number): void => {
  const { forms, formTokenRequired } = merchant.settings
  if (!forms) throw formRefusal('this merchant takes no web forms: create the invoice by the API', 'merchantId')
  const { token } = fields
  if (token === undefined) {
    if (formTokenRequired) throw formRefusal('token is missing: this merchant takes signed forms only', 'token')
    return
  }
  // With a line feed in its value, one field could imitate several signed ones.
  const broken = SIGNED.find((name) => fields[name]?.includes('\n'))
  if (broken !== undefined) throw formRefusal(`${broken} of a signed form must be one line`, broken)
  const [, until = '', signature = ''] = /^(\d{1,12})\.([0-9a-f]{64})$/i.exec(token) ?? []
  const text = tokenText(path, merchant.id, until, fields)
  const given = Buffer.from(signature.padEnd(64, '0'), 'hex')
  const isRight = validKeys(merchant, 'api', now).some(({ secret }) =>
    timingSafeEqual(createHmac('sha256', secret).update(text).digest(), given),
  )
  if (signature === '' || !isRight)
    throw formRefusal('token does not fit this form: sign the fields exactly as they are sent', 'token')
  if (Number(until) * 1_000 < now) throw formRefusal('token has ended: reload the page with the form', 'token')
}

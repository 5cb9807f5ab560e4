import { ForgedCallback, type Callback, type RawCallback } from '../port.ts'
import { newSalt } from './call.ts'
import type { FreedomPaySettings } from './settings.ts'
import { isFreedomPaySignature, scriptOf, signFreedomPay, type FreedomPayFields } from './signature.ts'
import { pgText, readPaymentResult, readPayout } from './state.ts'
import { readFreedomPayXml, writeFreedomPayXml } from './xml.ts'

/**
 * Reads a call to result_url, signed with the key for payments, or to a payout's post_link, signed with the key for
 * payouts. The signed script name is the last segment of our own URL.
 * @throws ForgedCallback
 */
export const readFreedomPayCallback = (settings: FreedomPaySettings, { url, body }: RawCallback): Callback => {
  const script = scriptOf(url)
  const fields = decode(url, body)
  const isPayment = isFreedomPaySignature(script, fields, settings.secretKey)
  const isPayout =
    settings.payoutSecretKey !== undefined && isFreedomPaySignature(script, fields, settings.payoutSecretKey)
  if (!isPayment && !isPayout) throw new ForgedCallback("the signature is not Freedom Pay's")
  const reference = pgText(fields, 'pg_order_id')
  const merchant = pgText(fields, 'pg_merchant_id')
  if (reference === '' || (merchant !== '' && merchant !== settings.merchantId))
    throw new ForgedCallback('it is about no order of this shop')
  // The two keys may be equal, so the fields decide: only payments have a result.
  const state =
    isPayment && (!isPayout || Object.hasOwn(fields, 'pg_result'))
      ? readPaymentResult(fields)
      : readPayout(fields, pgText(fields, 'pg_status'))
  return { reference, state, ack: ackOf(script, fields, isPayment ? settings.secretKey : settings.payoutSecretKey!) }
}

/**
 * `rejected` refunds the payer and is allowed only where pg_can_reject is 1. It answers payments that can't be ours:
 * paid in another currency than the shop's. Everything else is answered with `ok`, because Freedom Pay repeats the call
 * until then.
 */
const ackOf = (script: string, fields: FreedomPayFields, secretKey: string): Callback['ack'] => {
  const isForeign = pgText(fields, 'pg_result') === '1' && !['', 'KZT'].includes(pgText(fields, 'pg_currency'))
  const isRejected = isForeign && pgText(fields, 'pg_can_reject') === '1'
  const unsigned = {
    pg_status: isRejected ? 'rejected' : 'ok',
    pg_description: isRejected ? 'currency' : '',
    pg_salt: newSalt(),
  }
  const signed = { ...unsigned, pg_sig: signFreedomPay(script, unsigned, secretKey) }
  return { status: 200, contentType: 'application/xml; charset=utf-8', body: writeFreedomPayXml(signed) }
}

/**
 * Decodes the fields of a form, of the query, or of XML in the field pg_xml. A field that appears twice makes the
 * callback invalid.
 */
const decode = (url: string, body: Buffer): FreedomPayFields => {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  const form = new URLSearchParams(body.length > 0 ? body.toString('utf8') : query)
  const xml = form.get('pg_xml')
  try {
    return xml === null ? formFields(form) : readFreedomPayXml(xml)
  } catch {
    throw new ForgedCallback('the fields are not readable')
  }
}

const formFields = (form: URLSearchParams): FreedomPayFields => {
  const fields: FreedomPayFields = Object.fromEntries(form)
  if (Object.keys(fields).length !== [...form.keys()].length) throw new Error('a field appears twice')
  return fields
}

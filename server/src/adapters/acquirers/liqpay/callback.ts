import { readJsonDecimals, textOf } from '../json-decimals.ts'
import { ForgedCallback, type Callback, type RawCallback } from '../port.ts'
import type { LiqPaySettings } from './settings.ts'
import { isLiqPaySignature } from './signature.ts'
import { readLiqPayState, type LiqPayRecord } from './state.ts'

/**
 * Reads a callback. LiqPay repeats it until it is answered with HTTP 200, and ignores the body.
 * @throws ForgedCallback
 */
export const readLiqPayCallback = (settings: LiqPaySettings, { body }: RawCallback): Callback => {
  const fields = new URLSearchParams(body.toString('utf8'))
  const data = fields.get('data') ?? ''
  if (!isLiqPaySignature(settings.privateKey, data, fields.get('signature') ?? ''))
    throw new ForgedCallback("the signature is not LiqPay's")
  const record = decode(data)
  const reference = textOf(record, 'order_id')
  if (reference === '' || textOf(record, 'public_key') !== settings.publicKey)
    throw new ForgedCallback('it is about no order of this account')
  const direction = textOf(record, 'action') === 'p2pcredit' ? 'payout' : 'payIn'
  return {
    reference,
    state: readLiqPayState(record, { direction, isSandbox: settings.publicKey.startsWith('sandbox_') }),
    ack: { status: 200, contentType: 'text/plain; charset=utf-8', body: 'ok' },
  }
}

const decode = (data: string): LiqPayRecord => {
  try {
    return readJsonDecimals(Buffer.from(data, 'base64').toString('utf8'))
  } catch {
    throw new ForgedCallback('data is no JSON object')
  }
}

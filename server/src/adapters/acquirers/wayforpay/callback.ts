import { textOf } from '../json-decimals.ts'
import { ForgedCallback, type Callback, type RawCallback } from '../port.ts'
import { isSigned, readWayForPayBody, type WayForPayRecord } from './record.ts'
import type { WayForPaySettings } from './settings.ts'
import { signWayForPay } from './signature.ts'
import { readWayForPayState } from './state.ts'

/**
 * Reads a callback. WayForPay repeats it until it is answered with a signed `accept`.
 * @param now ms
 * @throws ForgedCallback
 */
export const readWayForPayCallback = (settings: WayForPaySettings, { body }: RawCallback, now: number): Callback => {
  const record = decode(body)
  const reference = textOf(record, 'orderReference')
  if (!isSigned(settings.secretKey, record, ['payment', 'payout']))
    throw new ForgedCallback("the signature is not WayForPay's")
  if (reference === '' || textOf(record, 'merchantAccount') !== settings.merchantAccount)
    throw new ForgedCallback('it is about no order of this account')
  return {
    reference,
    state: readWayForPayState(record),
    ack: { status: 200, contentType: 'application/json', body: accept(settings.secretKey, reference, now) },
  }
}

const accept = (secretKey: string, orderReference: string, now: number): string => {
  const time = Math.floor(now / 1_000)
  return JSON.stringify({
    orderReference,
    status: 'accept',
    time,
    signature: signWayForPay(secretKey, [orderReference, 'accept', String(time)]),
  })
}

const decode = (body: Buffer): WayForPayRecord => {
  try {
    return readWayForPayBody(body)
  } catch {
    throw new ForgedCallback('the body is no JSON object')
  }
}

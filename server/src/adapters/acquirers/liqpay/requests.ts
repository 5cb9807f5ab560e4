import { decimalOf } from '../amount.ts'
import { decimalNumber } from '../json-decimals.ts'
import type { PaymentOrder, PayoutOrder } from '../port.ts'
import type { LiqPaySettings } from './settings.ts'
import { signLiqPay } from './signature.ts'

/** LiqPay supports Ukrainian and English. */
const LANGUAGE = { uk: 'uk', kk: 'en', ru: 'uk', en: 'en' } as const

/** The two fields of every request and callback. */
export interface LiqPayForm {
  data: string
  signature: string
}

const form = (settings: LiqPaySettings, fields: Record<string, unknown>): LiqPayForm => {
  const { version, publicKey, privateKey } = settings
  const data = Buffer.from(JSON.stringify({ version, public_key: publicKey, ...fields })).toString('base64')
  return { data, signature: signLiqPay(version, privateKey, data) }
}

/** Form that the payer's browser posts to the checkout. `expired_date` is UTC. */
export const checkoutForm = (settings: LiqPaySettings, order: PaymentOrder): LiqPayForm =>
  form(settings, {
    action: 'pay',
    amount: decimalNumber(decimalOf(order.units)),
    currency: order.ticker,
    description: order.description,
    order_id: order.reference,
    server_url: order.callbackUrl,
    result_url: order.returnUrl,
    language: LANGUAGE[order.language],
    expired_date: new Date(order.expiresAt).toISOString().slice(0, 19).replace('T', ' '),
  })

export const statusForm = (settings: LiqPaySettings, reference: string): LiqPayForm =>
  form(settings, { action: 'status', order_id: reference })

export const refundForm = (settings: LiqPaySettings, reference: string, units: bigint): LiqPayForm =>
  form(settings, { action: 'refund', order_id: reference, amount: decimalNumber(decimalOf(units)) })

export const payoutForm = (settings: LiqPaySettings, order: PayoutOrder): LiqPayForm =>
  form(settings, {
    action: 'p2pcredit',
    amount: decimalNumber(decimalOf(order.units)),
    currency: order.ticker,
    description: order.description,
    order_id: order.reference,
    receiver_card: order.card,
    server_url: order.callbackUrl,
    ...(settings.ip === '' ? {} : { ip: settings.ip }),
  })

import { formatUnits } from '../../../platform/money/index.ts'
import { decimalNumber } from '../json-decimals.ts'
import type { PaymentOrder, PayoutOrder } from '../port.ts'
import type { WayForPaySettings } from './settings.ts'
import { signWayForPay } from './signature.ts'

/** The page's languages; `AUTO` is the browser's. */
const LANGUAGE = { uk: 'UA', kk: 'AUTO', ru: 'RU', en: 'EN' } as const

/** Formats an amount in its shortest form, because WayForPay parses the number and prints it again before it signs. */
const shortest = (units: bigint): string => formatUnits(units, 2)

/**
 * Joins a text into one line: a browser posts a line break as CR and LF, which would not match the signature over LF
 * alone.
 */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

interface Purchase {
  fields: Record<string, string>
  product: { name: string; price: string; count: string }
}

/** @param now ms; `orderDate` is in seconds, like all times of WayForPay */
const purchase = (settings: WayForPaySettings, order: PaymentOrder, now: number): Purchase => {
  const amount = shortest(order.units)
  const product = { name: oneLine(order.description) || order.reference, price: amount, count: '1' }
  const orderDate = String(Math.floor(now / 1_000))
  const lifetime = String(Math.max(60, Math.floor((order.expiresAt - now) / 1_000)))
  const signed = [
    settings.merchantAccount,
    settings.domain,
    order.reference,
    orderDate,
    amount,
    order.ticker,
    product.name,
    product.count,
    product.price,
  ]
  return {
    product,
    fields: {
      merchantAccount: settings.merchantAccount,
      merchantAuthType: 'SimpleSignature',
      merchantDomainName: settings.domain,
      // SALE captures the money at once; AUTO may only hold it, which would need a confirmation.
      merchantTransactionType: 'SALE',
      merchantTransactionSecureType: 'AUTO',
      merchantSignature: signWayForPay(settings.secretKey, signed),
      apiVersion: '1',
      language: LANGUAGE[order.language],
      returnUrl: order.returnUrl,
      serviceUrl: order.callbackUrl,
      orderReference: order.reference,
      orderDate,
      amount,
      currency: order.ticker,
      orderTimeout: lifetime,
      orderLifetime: lifetime,
      ...(order.email === undefined ? {} : { clientEmail: order.email }),
    },
  }
}

/** Form that the payer's browser posts to `/pay`. */
export const purchaseForm = (settings: WayForPaySettings, order: PaymentOrder, now: number): Record<string, string> => {
  const { fields, product } = purchase(settings, order, now)
  return { ...fields, 'productName[]': product.name, 'productPrice[]': product.price, 'productCount[]': product.count }
}

/**
 * CREATE_INVOICE: the same as JSON, with numbers, and without the payer's e-mail address, to which WayForPay may mail
 * the invoice's link.
 */
export const invoiceRequest = (settings: WayForPaySettings, order: PaymentOrder, now: number): string => {
  const { fields, product } = purchase(settings, { ...order, email: undefined }, now)
  const numbers = Object.fromEntries(
    ['orderDate', 'orderTimeout', 'orderLifetime', 'apiVersion'].map((name) => [name, Number(fields[name])]),
  )
  return JSON.stringify({
    transactionType: 'CREATE_INVOICE',
    ...fields,
    ...numbers,
    amount: decimalNumber(fields['amount']!),
    productName: [product.name],
    productPrice: [decimalNumber(product.price)],
    productCount: [Number(product.count)],
  })
}

const request = (
  settings: WayForPaySettings,
  type: string,
  fields: Record<string, unknown>,
  signed: readonly string[],
): string =>
  JSON.stringify({
    transactionType: type,
    merchantAccount: settings.merchantAccount,
    merchantAuthType: 'SimpleSignature',
    ...fields,
    merchantSignature: signWayForPay(settings.secretKey, [settings.merchantAccount, ...signed]),
    apiVersion: 1,
  })

export const statusRequest = (settings: WayForPaySettings, orderReference: string): string =>
  request(settings, 'CHECK_STATUS', { orderReference }, [orderReference])

export const refundRequest = (
  settings: WayForPaySettings,
  orderReference: string,
  units: bigint,
  currency: string,
): string => {
  const amount = shortest(units)
  return request(settings, 'REFUND', { orderReference, amount: decimalNumber(amount), currency, comment: 'refund' }, [
    orderReference,
    amount,
    currency,
  ])
}

/**
 * P2P_CREDIT to a card. A request with both a card and a token fails (wiki.wayforpay.com/en/view/852064), so the token
 * is left out. Its place in the signed text remains, so that the text ends with `;`.
 */
export const payoutRequest = (settings: WayForPaySettings, order: PayoutOrder): string => {
  const amount = shortest(order.units)
  const fields = {
    orderReference: order.reference,
    amount: decimalNumber(amount),
    currency: order.ticker,
    cardBeneficiary: order.card,
    serviceUrl: order.callbackUrl,
  }
  return request(settings, 'P2P_CREDIT', fields, [order.reference, amount, order.ticker, order.card, ''])
}

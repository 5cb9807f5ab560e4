import { Type } from 'typebox'
import { milliseconds, printedDecimal } from '../fields.ts'
import { commonFields, givenFields, linkId, notificationBody } from './notification.ts'
import type { NotificationType } from './notification.ts'

const fields = {
  ...commonFields,
  meta: givenFields.meta,
  linkId: linkId(),
  kind: Type.Literal('CryptoInvoice'),
  name: Type.String({ description: 'As given by the merchant' }),
  description: Type.Optional(Type.String({ description: 'As given by the merchant' })),
  email: Type.Optional(Type.String({ description: 'E-mail address of the payer, when known' })),
  paidAmount: printedDecimal('The amount paid so far: more than `amount` is an overpayment, less an underpayment'),
  expiredAt: milliseconds('When it ends if it is not paid'),
  baseTicker: Type.Optional(Type.String({ description: 'Currency of the price, when priced in fiat' })),
  baseAmount: Type.Optional(printedDecimal('Price, when priced in fiat')),
  price: Type.Optional(printedDecimal('Rate used, when priced in fiat: `baseTicker` for one `ticker`')),
  paidPrice: Type.Optional(printedDecimal('The amount that was paid, in `baseTicker`')),
}

const ticker = Type.String({ description: 'Asset' })
const blockchain = Type.String({ description: 'Network' })
const amount = printedDecimal('The requested amount')
const address = Type.String({ description: 'Where the payer sends it' })
const asked = { ticker, blockchain, amount, address }

const example = {
  id: '123e4567-e89b-12d3-a456-426614174000',
  merchantId: '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10',
  time: 1677486443000,
  expiredAt: 1677745643000,
  kind: 'CryptoInvoice',
  name: 'Order 1042',
  description: 'Two books',
  meta: 'your-info',
  ticker: 'USDT',
  blockchain: 'TRON',
  amount: '1000',
  address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
}

export const CryptoInvoicePending = notificationBody(
  { ...fields, ...asked, status: Type.Literal('PENDING') },
  {
    title: 'CryptoInvoicePending',
    description: 'The payer has reached the payment step',
    examples: [{ ...example, paidAmount: '0', status: 'PENDING' }],
  },
)

export const CryptoInvoiceDone = notificationBody(
  { ...fields, ...asked, status: Type.Literal('DONE'), fee: printedDecimal("The service's fee") },
  {
    title: 'CryptoInvoiceDone',
    description: 'Paid, or closed by the merchant',
    examples: [{ ...example, paidAmount: '1500', fee: '15', status: 'DONE' }],
  },
)

export const CryptoInvoiceExpired = notificationBody(
  {
    ...fields,
    ticker: Type.String({ description: 'Asset; empty until the payer chooses one' }),
    blockchain: Type.String({ description: 'Network; empty until the payer chooses one' }),
    amount: printedDecimal('The requested amount; 0 if it was never fixed'),
    address: Type.Optional(address),
    status: Type.Literal('EXPIRED'),
  },
  {
    title: 'CryptoInvoiceExpired',
    description: 'Not paid in full in time. `address` is absent where none was opened',
    examples: [{ ...example, paidAmount: '250', status: 'EXPIRED' }],
  },
)

export const CryptoInvoiceNotification = Type.Union([CryptoInvoicePending, CryptoInvoiceDone, CryptoInvoiceExpired], {
  title: 'CryptoInvoiceNotification',
  description: 'A crypto invoice',
})

/** `contract.md` 6.3, 18 #19 and #20. */
export const cryptoInvoiceNotice: NotificationType = {
  name: 'cryptoInvoice',
  kind: 'CryptoInvoice',
  summary: 'Crypto invoice',
  description:
    'PENDING when the payer reaches the payment step, then DONE or EXPIRED. DONE may follow EXPIRED when the rest ' +
    'is paid.',
  statuses: { PENDING: CryptoInvoicePending, DONE: CryptoInvoiceDone, EXPIRED: CryptoInvoiceExpired },
  schema: CryptoInvoiceNotification,
}

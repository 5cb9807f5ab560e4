import { Type } from 'typebox'
import { printedDecimal } from '../fields.ts'
import { commonFields, givenFields, linkId, notificationBody } from './notification.ts'
import type { NotificationType } from './notification.ts'

const fields = {
  ...commonFields,
  meta: givenFields.meta,
  linkId: linkId(),
  kind: Type.Literal('Invoice'),
  name: Type.String({ description: 'As given by the merchant' }),
  description: Type.Optional(Type.String({ description: 'As given by the merchant' })),
  email: Type.Optional(Type.String({ description: 'E-mail address of the payer, when known' })),
  ticker: Type.String({ description: 'Currency' }),
  amount: Type.Optional(printedDecimal('The requested amount; absent until it is known')),
}

const example = {
  id: '9f2d7a64-3f0c-4f5e-8d0b-0a7c1c6e5b32',
  merchantId: '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10',
  kind: 'Invoice',
  name: 'Order 1043',
  description: 'Two books',
  email: 'payer@example.com',
  meta: 'your-info',
  ticker: 'KZT',
  amount: '20000',
  time: 1677486443000,
}

export const FiatInvoicePending = notificationBody(
  { ...fields, status: Type.Literal('Pending') },
  {
    title: 'FiatInvoicePending',
    description: 'The payer has opened the card form',
    examples: [{ ...example, status: 'Pending' }],
  },
)

export const FiatInvoiceDone = notificationBody(
  {
    ...fields,
    status: Type.Literal('Done'),
    paidAmount: printedDecimal('The amount that was paid: rely on this amount'),
    fee: printedDecimal("The service's fee"),
    cardNumber: Type.String({ description: 'Card that paid, masked' }),
    to: Type.String({ description: 'The same as `cardNumber`' }),
  },
  {
    title: 'FiatInvoiceDone',
    description: 'Paid',
    examples: [
      {
        ...example,
        status: 'Done',
        paidAmount: '20000',
        fee: '200',
        cardNumber: '411111******1111',
        to: '411111******1111',
      },
    ],
  },
)

export const InvoiceError = Type.Object(
  {
    code: Type.Integer({ description: 'Number of the reason' }),
    message: Type.String({ description: 'Reason in English' }),
  },
  { title: 'InvoiceError', description: 'Why a card payment failed', additionalProperties: false },
)

export const FiatInvoiceFailed = notificationBody(
  { ...fields, status: Type.Literal('Failed'), error: Type.Optional(InvoiceError) },
  {
    title: 'FiatInvoiceFailed',
    description: 'Not paid',
    examples: [{ ...example, status: 'Failed', error: { code: 51, message: 'Insufficient funds' } }],
  },
)

export const FiatInvoiceNotification = Type.Union([FiatInvoicePending, FiatInvoiceDone, FiatInvoiceFailed], {
  title: 'FiatInvoiceNotification',
  description: 'A fiat invoice',
})

/** `contract.md` 6.4, 18 #28. */
export const fiatInvoiceNotice: NotificationType = {
  name: 'fiatInvoice',
  kind: 'Invoice',
  summary: 'Fiat invoice',
  description: 'Pending when the payer opens the card form, then Done or Failed.',
  statuses: { Pending: FiatInvoicePending, Done: FiatInvoiceDone, Failed: FiatInvoiceFailed },
  schema: FiatInvoiceNotification,
}

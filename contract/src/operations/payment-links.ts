import { Type } from 'typebox'
import { orderErrors } from '../errors.ts'
import {
  idParams,
  invoiceDescription,
  invoiceName,
  language,
  linkLocalId,
  milliseconds,
  positiveDecimal,
  printedDecimal,
  requestObject,
  ticker,
} from '../fields.ts'
import { paymentLinks } from '../limits.ts'
import { listFilters, listOperation } from '../list.ts'
import { operation } from '../operation.ts'

const method = (what: string) => Type.Enum(['CRYPTO', 'CARD'], { description: `${what}: CRYPTO or CARD` })

export const PaymentLink = Type.Object(
  {
    id: Type.String({ description: 'Identifier; its invoices carry it as `linkId`' }),
    url: Type.String({ description: 'The page for payers' }),
    status: Type.Enum(['ACTIVE', 'EXPIRED', 'DISABLED'], {
      description:
        'EXPIRED: `expiredAt` has passed. DISABLED: it makes no invoices. An active link whose `maxPayments` are ' +
        'reached makes none either',
    }),
    name: Type.String({ description: 'Name of the link and of its invoices' }),
    description: Type.Optional(Type.String({ description: 'Shown on its page and on that of its invoices' })),
    localId: Type.Optional(Type.String({ description: 'As given' })),
    method: method('How its invoices are paid'),
    ticker: Type.String({ description: 'An asset, or the currency of a price or of a card payment' }),
    amount: Type.Optional(printedDecimal('The amount in `ticker`; absent when the payer chooses it')),
    minAmount: Type.Optional(printedDecimal('The smallest amount that the payer may choose')),
    maxAmount: Type.Optional(printedDecimal('The largest amount that the payer may choose')),
    language: Type.Optional(Type.String({ description: 'Language of its page' })),
    maxPayments: Type.Optional(
      Type.Integer({ minimum: 1, description: 'So many invoices may be paid or still be payable' }),
    ),
    createdAt: milliseconds('When it was created'),
    expiredAt: Type.Optional(milliseconds('When it ends')),
    disabledAt: Type.Optional(milliseconds('When it was disabled')),
  },
  {
    title: 'PaymentLink',
    description: 'A reusable payment link: each payer makes an invoice of their own from it',
    examples: [
      {
        id: '123e4567-e89b-12d3-a456-426614174000',
        url: 'https://pay.example/pay/Zs1q0yqB3m7c9tUe5kLw2A',
        status: 'ACTIVE',
        name: 'Donation',
        localId: 'campaign-7',
        method: 'CRYPTO',
        ticker: 'USDT',
        minAmount: '5',
        createdAt: 1677486443000,
      },
    ],
  },
)

const errors = [orderErrors.localIdPlaced]

/** `contract.md` section 22. */
export const createPaymentLink = operation({
  id: 'createPaymentLink',
  method: 'POST',
  scopes: ['invoices'],
  path: '/merchants/payment-links',
  tag: 'Payment links',
  summary: 'Create a payment link',
  description:
    'A page that many payers use: each of them makes an ordinary invoice from it. 409, code 103, when the merchant has ' +
    `${paymentLinks.active} links that are active. A \`localId\` that another link has is refused: find that link in the list.`,
  body: requestObject(
    {
      name: invoiceName(),
      method: method('How its invoices are paid'),
      ticker: ticker(
        'With CRYPTO: an asset, or a currency of prices, such as USD, whose payer chooses the asset. With CARD: a currency of cards',
      ),
      amount: Type.Optional(positiveDecimal('Amount in `ticker`; the payer chooses it when absent')),
      minAmount: Type.Optional(positiveDecimal('Smallest amount that the payer may choose; only without `amount`')),
      maxAmount: Type.Optional(positiveDecimal('Largest amount that the payer may choose; only without `amount`')),
      description: Type.Optional(invoiceDescription()),
      language: Type.Optional(language()),
      maxPayments: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: paymentLinks.payments,
          description: `So many invoices may be paid or still be payable: 1 to ${paymentLinks.payments}; any number when absent`,
        }),
      ),
      expiredAt: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 9_999_999_999_999,
          description: 'When it ends, ms since the epoch, in the future; never when absent',
        }),
      ),
      localId: Type.Optional(linkLocalId()),
    },
    { examples: [{ name: 'Donation', method: 'CRYPTO', ticker: 'USDT', minAmount: '5', localId: 'campaign-7' }] },
  ),
  response: PaymentLink,
  errors,
})

/** `contract.md` section 22. */
export const getPaymentLink = operation({
  id: 'getPaymentLink',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/payment-links/:id',
  tag: 'Payment links',
  summary: 'Find a payment link',
  description: 'The link as it stands.',
  params: idParams('Identifier of the link'),
  response: PaymentLink,
})

/** `contract.md` section 22. */
export const disablePaymentLink = operation({
  id: 'disablePaymentLink',
  method: 'POST',
  scopes: ['invoices'],
  path: '/merchants/payment-links/:id/disable',
  tag: 'Payment links',
  summary: 'Disable a payment link',
  description:
    'The link makes no invoices from now on; its invoices can still be paid. Again is once. No body. Answers the link. ' +
    'A member can start it again in the dashboard.',
  params: idParams('Identifier of the link'),
  response: PaymentLink,
})

/** `contract.md` sections 20 and 22. */
export const listPaymentLinks = listOperation({
  id: 'listPaymentLinks',
  name: 'payment-links',
  tag: 'Payment links',
  what: 'payment links',
  filters: {
    ids: listFilters.ids,
    status: listFilters.status(['ACTIVE', 'EXPIRED', 'DISABLED']),
    method: Type.Optional(method('Only those paid in this way')),
    ticker: listFilters.ticker('asset or currency'),
    localId: Type.Optional(linkLocalId()),
  },
  item: PaymentLink,
  pageTitle: 'PaymentLinkPage',
  csv: [
    'id',
    'createdAt',
    'status',
    'name',
    'method',
    'ticker',
    'amount',
    'minAmount',
    'maxAmount',
    'maxPayments',
    'expiredAt',
    'disabledAt',
    'localId',
    'url',
  ],
})

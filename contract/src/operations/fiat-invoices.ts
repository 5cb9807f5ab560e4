import { Type } from 'typebox'
import {
  email,
  idParams,
  invoiceDescription,
  invoiceName,
  language,
  meta,
  milliseconds,
  redirectUrl,
  requestObject,
  ticker,
} from '../fields.ts'
import { linkId } from '../notifications/notification.ts'
import { listFilters, listOperation } from '../list.ts'
import { Company, Money, MoneyInput, Target } from '../objects.ts'
import { operation } from '../operation.ts'
import { CreatedInvoice, formAnswer, invoiceFormFields } from './invoices.ts'

const limits = 'UAH 25 to 29999, KZT 12000 to 300000.'

/** `contract.md` 5.18, 16 #2, 18 #31. */
export const createFiatInvoice = operation({
  id: 'createFiatInvoice',
  method: 'POST',
  scopes: ['invoices'],
  path: '/merchants/invoices/fiat',
  aliases: [{ path: '/merchants/invoices' }],
  tag: 'Fiat invoices',
  summary: 'Create a fiat invoice',
  description: `A payment page for one payment by card. ${limits} Statuses arrive as \`Invoice\` notifications.`,
  body: requestObject(
    {
      name: invoiceName(),
      amount: Type.Optional(MoneyInput),
      description: Type.Optional(invoiceDescription()),
      meta: Type.Optional(meta()),
      email: Type.Optional(email()),
      language: Type.Optional(language()),
      toPendingImmediate: Type.Optional(Type.Boolean({ description: "Skip the page's first step; false when absent" })),
      target: Type.Optional(Target),
      redirectUrl: Type.Optional(redirectUrl('https?', 'an http or https URL')),
    },
    { examples: [{ name: 'Order 1043', amount: { value: '1000', ticker: 'UAH' }, meta: 'your-info' }] },
  ),
  response: CreatedInvoice,
})

/** `contract.md` 5.19, 16 #17, 18 #15, 19 #10. */
export const createFiatInvoiceByForm = operation({
  id: 'createFiatInvoiceByForm',
  method: 'POST',
  scopes: [],
  path: '/merchants/invoices/fiat/form',
  tag: 'Fiat invoices',
  summary: 'Create a fiat invoice from a web form',
  description: `${formAnswer} ${limits}`,
  signed: false,
  contentType: 'application/x-www-form-urlencoded',
  body: requestObject(
    { ...invoiceFormFields, ticker: Type.Optional(ticker('Currency: UAH or KZT; the payer chooses it when absent')) },
    {
      examples: [{ merchantID: '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10', name: 'Donation', value: '100', ticker: 'UAH' }],
    },
  ),
  success: 303,
})

export const FiatInvoice = Type.Object(
  {
    id: Type.String({ description: 'Identifier' }),
    name: Type.String({ description: 'As given' }),
    company: Company,
    status: Type.Enum(['CREATED', 'PENDING', 'PAID', 'DONE', 'FAILED'], {
      description: 'PENDING: the payer has opened the card form. PAID: the bank reports payment. DONE: credited',
    }),
    amount: Type.Union([Money, Type.Null()], { description: 'The requested amount; null until the payer chooses' }),
    description: Type.Optional(Type.String({ description: 'As given' })),
    meta: Type.Optional(Type.String({ description: 'As given' })),
    linkId: linkId(),
    paidAmount: Type.Optional(Money),
    fee: Type.Optional(Money),
    cardNumber: Type.Optional(Type.String({ description: 'Card that paid, masked; when DONE' })),
  },
  {
    title: 'FiatInvoice',
    description: 'A fiat invoice. `paidAmount`, `fee` and `cardNumber` come with DONE',
    examples: [
      {
        id: '9f2d7a64-3f0c-4f5e-8d0b-0a7c1c6e5b32',
        name: 'Order 1043',
        company: { name: 'Shop Ltd', url: 'https://shop.example' },
        status: 'DONE',
        amount: { value: '1000', ticker: 'UAH' },
        meta: 'your-info',
        paidAmount: { value: '1000', ticker: 'UAH' },
        fee: { value: '10', ticker: 'UAH' },
        cardNumber: '411111******1111',
      },
    ],
  },
)

/** `contract.md` 5.20. */
export const getFiatInvoice = operation({
  id: 'getFiatInvoice',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/invoices/fiat/:id',
  tag: 'Fiat invoices',
  summary: 'Find a fiat invoice',
  description: 'The invoice as it stands.',
  params: idParams('Identifier of the invoice'),
  response: FiatInvoice,
})

/** A fiat invoice in the list of them. */
export const ListedFiatInvoice = Type.Object(
  {
    ...FiatInvoice.properties,
    email: Type.Optional(Type.String({ description: 'E-mail address of the payer, when known' })),
    url: Type.String({ description: 'Payment page' }),
    createdAt: milliseconds('When it was created'),
  },
  {
    title: 'ListedFiatInvoice',
    description: 'A fiat invoice, with the fields of its lookup and three more',
    examples: [
      {
        id: '9f2d7a64-3f0c-4f5e-8d0b-0a7c1c6e5b32',
        name: 'Order 1043',
        company: { name: 'Shop Ltd', url: 'https://shop.example' },
        status: 'PENDING',
        amount: { value: '1000', ticker: 'UAH' },
        meta: 'your-info',
        email: 'payer@example.com',
        url: 'https://pay.example/invoices/fiat/9f2d7a64-3f0c-4f5e-8d0b-0a7c1c6e5b32',
        createdAt: 1677486443000,
      },
    ],
  },
)

/** `contract.md` section 20. */
export const listFiatInvoices = listOperation({
  id: 'listFiatInvoices',
  name: 'fiat-invoices',
  tag: 'Fiat invoices',
  what: 'fiat invoices',
  filters: {
    ids: listFilters.ids,
    status: listFilters.status(['CREATED', 'PENDING', 'PAID', 'DONE', 'FAILED']),
    ticker: listFilters.ticker('currency'),
    ...listFilters.amounts,
    meta: listFilters.meta,
    email: listFilters.email,
  },
  item: ListedFiatInvoice,
  pageTitle: 'FiatInvoicePage',
  csv: [
    'id',
    'createdAt',
    'status',
    'name',
    'amount.value',
    'amount.ticker',
    'paidAmount.value',
    'fee.value',
    'cardNumber',
    'email',
    'meta',
    'url',
  ],
})

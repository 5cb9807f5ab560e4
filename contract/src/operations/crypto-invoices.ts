import { Type } from 'typebox'
import {
  blockchain,
  duration,
  email,
  idParams,
  invoiceDescription,
  invoiceName,
  language,
  meta,
  milliseconds,
  printedDecimal,
  redirectUrl,
  requestObject,
  ticker,
} from '../fields.ts'
import { durations } from '../limits.ts'
import { linkId } from '../notifications/notification.ts'
import { listFilters, listOperation } from '../list.ts'
import { BaseAmountInput, Company, CryptoAmount, CryptoAmountInput, Money, Target } from '../objects.ts'
import { operation } from '../operation.ts'
import { CreatedInvoice, formAnswer, invoiceFormFields } from './invoices.ts'

/** `contract.md` 5.14, 16 #10, 18 #18. */
export const createCryptoInvoice = operation({
  id: 'createCryptoInvoice',
  method: 'POST',
  scopes: ['invoices'],
  path: '/merchants/invoices/crypto',
  tag: 'Crypto invoices',
  summary: 'Create a crypto invoice',
  description:
    'A payment page for one payment. The payer chooses the values that `amount` does not state. With `baseAmount` the price is ' +
    'turned into crypto when the payer continues. Statuses arrive as `CryptoInvoice` notifications.',
  body: requestObject(
    {
      name: invoiceName(),
      amount: Type.Optional(CryptoAmountInput),
      baseAmount: Type.Optional(BaseAmountInput),
      description: Type.Optional(invoiceDescription()),
      meta: Type.Optional(meta()),
      email: Type.Optional(email()),
      language: Type.Optional(language()),
      duration: Type.Optional(duration('Life of the invoice, 72 hours when absent', durations.cryptoInvoice)),
      clientDuration: Type.Optional(
        duration('Life shown on the page, at most `duration`; two thirds of it when absent', durations.cryptoInvoice),
      ),
      toPendingImmediate: Type.Optional(
        Type.Boolean({
          description:
            "Skip the page's first step; false when absent. Needs an amount, its asset and its network: the payer is not asked",
        }),
      ),
      target: Type.Optional(Target),
      redirectUrl: Type.Optional(redirectUrl('https?', 'an http or https URL')),
    },
    {
      examples: [
        {
          name: 'Order 1042',
          amount: { value: '100', ticker: 'USDT', blockchain: 'TRON' },
          meta: 'your-info',
        },
      ],
    },
  ),
  response: CreatedInvoice,
})

/** `contract.md` 5.15, 18 #15, 19 #10. */
export const createCryptoInvoiceByForm = operation({
  id: 'createCryptoInvoiceByForm',
  method: 'POST',
  scopes: [],
  path: '/merchants/invoices/crypto/form',
  tag: 'Crypto invoices',
  summary: 'Create a crypto invoice from a web form',
  description: formAnswer,
  signed: false,
  contentType: 'application/x-www-form-urlencoded',
  body: requestObject(
    {
      ...invoiceFormFields,
      ticker: Type.Optional(ticker('Asset; the payer chooses it when absent')),
      blockchain: Type.Optional(blockchain('Network; the payer chooses it when absent')),
    },
    {
      examples: [{ merchantId: '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10', name: 'Donation', value: '10', ticker: 'USDT' }],
    },
  ),
  success: 303,
})

export const CryptoInvoice = Type.Object(
  {
    id: Type.String({ description: 'Identifier' }),
    merchantId: Type.String({ description: 'Who asks for the money' }),
    company: Company,
    name: Type.String({ description: 'As given' }),
    description: Type.Optional(Type.String({ description: 'As given' })),
    meta: Type.Optional(Type.String({ description: 'As given' })),
    linkId: linkId(),
    email: Type.Optional(Type.String({ description: 'E-mail address of the payer, when known' })),
    status: Type.Enum(['CREATED', 'REGISTERED', 'PENDING', 'PAID', 'EXPIRED'], {
      description:
        'REGISTERED: an address is allocated. PENDING: a deposit has been seen. PAID: paid or closed. EXPIRED: time ' +
        'ran out',
    }),
    url: Type.String({ description: 'Payment page' }),
    createdAt: milliseconds('When it was created'),
    expiredAt: milliseconds('When it ends if it is not paid'),
    clientExpiredAt: milliseconds('The end the page shows'),
    amount: Type.Union([CryptoAmount, Type.Null()], {
      description: 'The requested amount; null until the payer chooses',
    }),
    baseAmount: Type.Optional(Money),
    price: Type.Optional(printedDecimal('Rate used, when priced in fiat')),
    paidPrice: Type.Optional(printedDecimal('The amount that was paid, in the currency of the price')),
    address: Type.Optional(Type.String({ description: 'Where the payer sends it; from REGISTERED on' })),
    paidAmount: printedDecimal('The amount paid so far'),
    fee: Type.Optional(printedDecimal("The service's fee, when paid")),
    claim: Type.Optional(
      Type.Object(
        {
          status: Type.Enum(['REQUESTED', 'APPROVED', 'SENT', 'FAILED', 'REFUSED'], {
            description:
              'State of the claim: SENT when its withdrawal is Done, FAILED when that is Failed and the decision is open again',
          }),
          refundAddress: Type.String({ description: 'Where the payer asks the money to be sent' }),
          withdrawalId: Type.Optional(Type.String({ description: 'The newest withdrawal made for it, once approved' })),
        },
        { description: 'The refund claim of the payer of an expired, underpaid invoice' },
      ),
    ),
  },
  {
    title: 'CryptoInvoice',
    description: 'A crypto invoice',
    examples: [
      {
        id: '123e4567-e89b-12d3-a456-426614174000',
        merchantId: '4a6d1b0c-2c5f-4a39-9d53-3b9c1b7a6f10',
        company: { name: 'Shop Ltd', url: 'https://shop.example' },
        name: 'Order 1042',
        meta: 'your-info',
        status: 'PENDING',
        url: 'https://pay.example/invoices/crypto/123e4567-e89b-12d3-a456-426614174000',
        createdAt: 1677486443000,
        expiredAt: 1677745643000,
        clientExpiredAt: 1677659243000,
        amount: { value: '100', ticker: 'USDT', blockchain: 'TRON' },
        address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
        paidAmount: '40',
      },
    ],
  },
)

/** `contract.md` 5.16. */
export const getCryptoInvoice = operation({
  id: 'getCryptoInvoice',
  method: 'GET',
  scopes: ['read'],
  path: '/merchants/invoices/crypto/:id',
  tag: 'Crypto invoices',
  summary: 'Find a crypto invoice',
  description: 'The invoice as it stands.',
  params: idParams('Identifier of the invoice'),
  response: CryptoInvoice,
})

/** `contract.md` 5.17, 18 #22. */
export const closeCryptoInvoice = operation({
  id: 'closeCryptoInvoice',
  method: 'POST',
  scopes: ['invoices'],
  path: '/merchants/invoices/crypto/:id/close',
  tag: 'Crypto invoices',
  summary: 'Close a crypto invoice as paid',
  description:
    'Takes an invoice that is REGISTERED, PENDING or EXPIRED, with something paid, to PAID at once; else 400. No ' +
    'body. Answers the invoice.',
  params: idParams('Identifier of the invoice'),
  response: CryptoInvoice,
})

/** `contract.md` section 20. */
export const listCryptoInvoices = listOperation({
  id: 'listCryptoInvoices',
  name: 'crypto-invoices',
  tag: 'Crypto invoices',
  what: 'crypto invoices',
  filters: {
    ids: listFilters.ids,
    status: listFilters.status(['CREATED', 'REGISTERED', 'PENDING', 'PAID', 'EXPIRED']),
    ticker: listFilters.ticker('asset'),
    blockchain: listFilters.blockchain,
    ...listFilters.amounts,
    meta: listFilters.meta,
    email: listFilters.email,
    address: listFilters.address('paid at'),
  },
  item: CryptoInvoice,
  pageTitle: 'CryptoInvoicePage',
  csv: [
    'id',
    'createdAt',
    'status',
    'name',
    'amount.value',
    'amount.ticker',
    'amount.blockchain',
    'baseAmount.value',
    'baseAmount.ticker',
    'paidAmount',
    'fee',
    'price',
    'address',
    'email',
    'meta',
    'expiredAt',
    'url',
  ],
})

import type { Call, CallOptions, PostOptions } from '../call.ts'
import type {
  CreateCryptoInvoiceBody,
  CreateCryptoInvoiceByFormBody,
  CreateFiatInvoiceBody,
  CreateFiatInvoiceByFormBody,
  CreatePaymentLinkBody,
} from '../generated.ts'
import { listing } from '../listing.ts'

const crypto = (call: Call) => ({
  ...listing(call, 'listCryptoInvoices'),

  /** Makes a crypto invoice. Send the payer to its `url`. */
  create: (body: CreateCryptoInvoiceBody, options?: PostOptions) => call('createCryptoInvoice', { body }, options),

  /** Posts the unsigned web form, as a browser would, and returns the URL of the payment page. */
  submitForm: (body: CreateCryptoInvoiceByFormBody, options?: CallOptions) =>
    call('createCryptoInvoiceByForm', { body }, options),

  /** Returns the invoice as it is now. */
  get: (id: string, options?: CallOptions) => call('getCryptoInvoice', { id }, options),

  /** Closes the invoice as paid with the amount that has arrived. */
  close: (id: string, options?: PostOptions) => call('closeCryptoInvoice', { id }, options),
})

const fiat = (call: Call) => ({
  ...listing(call, 'listFiatInvoices'),

  /** Makes a fiat invoice. Send the payer to its `url`. */
  create: (body: CreateFiatInvoiceBody, options?: PostOptions) => call('createFiatInvoice', { body }, options),

  /** Posts the unsigned web form, as a browser would, and returns the URL of the payment page. */
  submitForm: (body: CreateFiatInvoiceByFormBody, options?: CallOptions) =>
    call('createFiatInvoiceByForm', { body }, options),

  /** Returns the invoice as it is now. */
  get: (id: string, options?: CallOptions) => call('getFiatInvoice', { id }, options),
})

export const invoices = (call: Call) => ({ crypto: crypto(call), fiat: fiat(call) })

export const paymentLinks = (call: Call) => ({
  ...listing(call, 'listPaymentLinks'),

  /** Makes a payment link. Give its `url` to payers. */
  create: (body: CreatePaymentLinkBody, options?: PostOptions) => call('createPaymentLink', { body }, options),

  /** Returns the link as it is now. */
  get: (id: string, options?: CallOptions) => call('getPaymentLink', { id }, options),

  /** Ends the link: it makes no invoices any more. */
  disable: (id: string, options?: PostOptions) => call('disablePaymentLink', { id }, options),
})

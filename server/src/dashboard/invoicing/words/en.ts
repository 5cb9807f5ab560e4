import type { Language } from '../../../platform/base/language.ts'
import type { LinkEnd } from '../../../pay-in/payment-links/index.ts'
import type { Duration, Problem } from '../typed.ts'

/** The texts of invoices by hand and of payment links. Every language must have these keys, or it does not compile. */
export interface InvoicingWords {
  newInvoice: string
  newInvoiceText: string
  money: string
  groups: Record<'crypto' | 'price' | 'card', string>
  cardLimits: (limits: string) => string
  amount: string
  name: string
  nameHint: string
  optional: string
  description: string
  descriptionHint: string
  meta: string
  metaHint: string
  email: string
  emailHint: string
  language: string
  anyLanguage: string
  languages: Record<Language, string>
  duration: string
  durationHint: string
  durations: Record<Duration, string>
  redirect: string
  redirectHint: string
  create: string
  problemTitle: string
  problems: Record<Problem, string>
  another: string
  progress: string
  shareTitle: string
  qrLabel: string
  address: string
  addressHint: string
  open: string
  print: string
  mail: string
  scan: string
  printHint: string
  back: string
  newLink: string
  newLinkText: string
  noLinks: string
  noLinksText: string
  openHint: string
  least: string
  most: string
  lastDay: string
  mostUses: string
  mostUsesHint: string
  createLink: string
  save: string
  moneyFixed: (ticker: string) => string
  payerChooses: string
  from: (amount: string) => string
  upTo: (amount: string) => string
  ends: Record<LinkEnd | 'active', string>
  allLinks: string
  saved: string
  noPayments: string
  allPayments: string
  totals: string
  nothingPaid: string
  paidCount: (count: number) => string
  totalsHint: string
  changeTitle: string
  change: string
  changeText: string
  stop: string
  stopText: string
  start: string
  startText: string
}

export const en: InvoicingWords = {
  newInvoice: 'New invoice',
  newInvoiceText: 'You get a link and a QR code of a payment page for one payer.',
  money: 'Currency, and how it is paid',
  groups: { crypto: 'Paid in crypto', price: 'Price in a currency, paid in crypto', card: 'Paid by card' },
  cardLimits: (limits) => `Limits of card payments: ${limits}.`,
  amount: 'Amount',
  name: 'Name',
  nameHint: 'The payer sees it, for example “Order 1042”.',
  optional: 'optional',
  description: 'Description',
  descriptionHint: 'The payer sees it below the name.',
  meta: 'Your own note',
  metaHint: 'Only you see it, here and in webhooks (meta).',
  email: 'E-mail of the payer',
  emailHint: 'For the receipt. Without it, the page asks the payer.',
  language: 'Language of the page',
  anyLanguage: 'Language of the payer’s browser',
  languages: { uk: 'Ukrainian', kk: 'Kazakh', ru: 'Russian', en: 'English' },
  duration: 'Valid for',
  durationHint:
    'The page shows two thirds of this time; with 72 hours, 48. Invoices paid by card are always valid for 72 hours.',
  durations: { '72h': '72 hours', '1h': '1 hour', '24h': '24 hours', '7d': '7 days', '30d': '30 days' },
  redirect: 'Page after the payment',
  redirectHint: 'The payer can return to it, for example https://shop.example/thanks.',
  create: 'Make the invoice',
  problemTitle: 'Please check the form',
  problems: {
    name: 'Enter a name of at most 255 characters.',
    money: 'Choose a currency from the list.',
    amount:
      'Enter an amount that can be paid in this currency, in digits, like 1500 or 12.50. “1,500” and “1.500” are not clear.',
    least:
      'The smallest amount is not valid. Leave the field “Amount” empty, and enter an amount that can be paid, like 1500 or 12.50.',
    most: 'The largest amount is not valid. Leave the field “Amount” empty, and enter at least the smallest amount, like 1500 or 12.50.',
    description: 'The description is too long: at most 1000 characters.',
    meta: 'The note is too long: at most 1000 characters.',
    email: 'Enter an e-mail address like name@example.com.',
    duration: 'Choose a time from the list.',
    redirect: 'Enter an address of a page that begins with https://.',
    expires: 'Choose a day from today on.',
    uses: 'Enter a whole number from 1 to 10000.',
    key: 'The form was out of date, and nothing was made. Send it again.',
    many: 'There are 1000 active payment links. Stop one that is not used, then try again.',
    leaving: 'The merchant is leaving: it gets no new invoices and links. Ask the operator.',
  },
  another: 'Another invoice',
  progress: 'Follow this payment',
  shareTitle: 'For the payer',
  qrLabel: 'QR code of the payment page',
  address: 'Link',
  addressHint: 'Copy it, or let the payer scan the code.',
  open: 'Open the page',
  print: 'Print',
  mail: 'Write an e-mail',
  scan: 'Scan the code to pay',
  printHint: 'Print this page with your browser.',
  back: 'Back',
  newLink: 'New payment link',
  newLinkText: 'Many payers can use it. Each of them gets an invoice of their own.',
  noLinks: 'No payment links yet',
  noLinksText: 'A payment link can be used again and again: put it on your site, or print its QR code.',
  openHint: 'Leave it empty if the payer chooses the amount.',
  least: 'Smallest amount',
  most: 'Largest amount',
  lastDay: 'Last day (UTC)',
  mostUses: 'Most payments',
  mostUsesHint: 'Counts invoices that are paid or can still be paid.',
  createLink: 'Create the link',
  save: 'Save',
  moneyFixed: (ticker) => `The currency stays: ${ticker}.`,
  payerChooses: 'The payer chooses',
  from: (amount) => `from ${amount}`,
  upTo: (amount) => `up to ${amount}`,
  ends: { active: 'Active', stopped: 'Stopped', expired: 'Expired', used: 'Used up', unavailable: 'Not payable now' },
  allLinks: 'All payment links',
  saved: 'Done.',
  noPayments: 'There are no payments from this link yet.',
  allPayments: 'All payments from this link',
  totals: 'Received',
  nothingPaid: 'Nothing yet.',
  paidCount: (count) => `Paid invoices: ${count}`,
  totalsHint: 'Of the newest 10 000 invoices from this link.',
  changeTitle: 'Change this link',
  change: 'Change it',
  changeText: 'Changes hold for invoices made from now on. The link and its QR code stay.',
  stop: 'Stop the link',
  stopText: 'If you stop it, it makes no more invoices. Invoices that exist can still be paid.',
  start: 'Start the link again',
  startText: 'It is stopped, and makes no invoices.',
}

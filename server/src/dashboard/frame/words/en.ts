import type { Status } from '../status.ts'

/** The texts of the pages about a merchant. Every language must have these keys, or it does not compile. */
export interface Words {
  /** the answer for every merchant and object that is unknown, or belongs to another merchant */
  notFoundTitle: string
  notFound: string
  apply: string
  clear: string
  any: string
  exportCsv: string
  older: string
  newest: string
  /** a page without rows of which more pages follow */
  searchOn: string
  openClaim: string
  eraseEmail: string
  refundCard: (card: string) => string
  wrongFilter: string
  filters: string
  /** said to readers of screens after a part of the page was replaced */
  updated: string
  search: string
  searchHint: string
  kind: string
  status: string
  asset: string
  network: string
  from: string
  to: string
  dayHint: string
  least: string
  most: string
  amountHint: string
  payment: string
  amount: string
  method: string
  created: string
  kinds: Record<'crypto' | 'card' | 'deposit', string>
  statuses: Record<Status, string>
  noPayments: string
  noPaymentsText: string
  apiReference: string
  noneFit: string
  noneFitText: string
  back: string
  details: string
  id: string
  meta: string
  email: string
  description: string
  asked: string
  paid: string
  fee: string
  price: string
  address: string
  card: string
  expires: string
  paymentPage: string
  paymentLink: string
  newInvoice: string
  ofInvoice: string
  timeline: string
  transactions: string
  noTransactions: string
  moreTransactions: string
  olderAttempts: string
  sender: string
  explorer: (site: string) => string
  ledger: string
  noLedger: string
  time: string
  account: string
  change: string
  accounts: Readonly<Record<string, string>>
  transfers: Record<'post' | 'hold' | 'capture' | 'release', string>
  seen: (amount: string) => string
  confirmations: (count: number, needed: number) => string
  untilFinal: string
  credited: (amount: string) => string
  debited: (amount: string) => string
  quarantined: (amount: string) => string
  lost: string
  tooSmall: string
  invoicePaid: string
  invoiceExpired: string
  invoiceFailed: (reason: string) => string
  cardStates: Record<'started' | 'open' | 'reported' | 'credited' | 'refused' | 'suspended' | 'reversed', string>
  screenings: Record<'asked' | 'unanswered' | 'clean' | 'risky' | 'released' | 'rejected', string>
  conversion: (from: string, to: string) => string
  conversions: Record<'waiting' | 'done' | 'failed', string>
  refund: (amount: string) => string
  refundStates: Record<'requested' | 'asked' | 'done' | 'refused', string>
  notification: (status: string) => string
  deliveries: Record<'delivered' | 'waiting' | 'exhausted' | 'ended', string>
  attempts: (count: number) => string
  openNotification: string
  noAnswer: string
  available: string
  onHold: string
  checked: string
  total: string
  value: (currency: string) => string
  currency: string
  totalValue: string
  noPrice: string
  noBalances: string
  noBalancesText: string
  statement: string
  month: string
  /** a button: the statement of the month */
  monthPdf: string
  statementOf: (ticker: string) => string
  opening: string
  closing: string
  cause: string
  balance: string
  noEntries: string
  noEntriesText: string
  causes: Readonly<Record<string, string>>
}

export const en: Words = {
  notFoundTitle: 'Not found',
  notFound: 'There is no such page, or you are no member of this merchant. Choose a merchant.',
  apply: 'Apply',
  clear: 'Clear filters',
  any: 'Any',
  exportCsv: 'Export CSV',
  older: 'Older',
  newest: 'Newest',
  eraseEmail: 'Erase this address',
  openClaim: 'The refund claim of the payer',
  refundCard: (card) => `Refund the card payment ${card}`,
  searchOn: 'Nothing fits so far. Older ones were not searched yet: go on with “Older”.',
  wrongFilter: 'A filter is not valid, and was ignored: an amount needs an asset, a day needs the form 2026-11-27.',
  filters: 'Filters',
  updated: 'The page shows a change.',
  search: 'Search',
  searchHint: 'Identifier, transaction hash, address, e-mail or meta, complete.',
  kind: 'Kind',
  status: 'Status',
  asset: 'Asset',
  network: 'Network',
  from: 'From day',
  to: 'To day',
  dayHint: 'Days in UTC, both included.',
  least: 'Amount from',
  most: 'Amount to',
  amountHint: 'Choose an asset first.',
  payment: 'Payment',
  amount: 'Amount',
  method: 'Method',
  created: 'Created',
  kinds: { crypto: 'Crypto invoice', card: 'Card invoice', deposit: 'Deposit' },
  statuses: {
    waiting: 'Waiting',
    processing: 'In progress',
    checking: 'Being checked',
    paid: 'Paid',
    ended: 'Not paid',
    underpaid: 'Underpaid',
  },
  noPayments: 'No payments yet',
  noPaymentsText: 'Create an invoice or a deposit address through the API. Each payment is listed here at once.',
  apiReference: 'API reference',
  noneFit: 'No payment fits',
  noneFitText: 'Change or clear the filters. A search needs the complete text.',
  back: 'All payments',
  details: 'Details',
  id: 'Identifier',
  meta: 'Meta',
  email: 'E-mail',
  description: 'Description',
  asked: 'Requested',
  paid: 'Paid',
  fee: 'Fee',
  price: 'Price',
  address: 'Address',
  card: 'Card',
  expires: 'Ends',
  paymentPage: 'Payment page',
  paymentLink: 'Payment link',
  newInvoice: 'New invoice',
  ofInvoice: 'Pays an invoice',
  timeline: 'Timeline',
  transactions: 'Transactions',
  noTransactions: 'None yet.',
  moreTransactions: 'Only credited and large payments are shown: there are more.',
  olderAttempts: 'Older attempts are not shown.',
  sender: 'From',
  explorer: (site) => `Open in ${site}`,
  ledger: 'Ledger',
  noLedger: 'Nothing was posted yet.',
  time: 'Time',
  account: 'Account',
  change: 'Change',
  accounts: { merchant: 'Balance', fees: 'Fee', quarantine: 'Being checked', receivable: 'Debt' },
  transfers: { post: 'posted', hold: 'reserved', capture: 'spent', release: 'released' },
  seen: (amount) => `Seen: ${amount}`,
  confirmations: (count, needed) => `Confirmations: ${count} of ${needed}`,
  untilFinal: 'Waits until its block is final',
  credited: (amount) => `Confirmed and credited: ${amount}`,
  debited: (amount) => `Taken back: ${amount}`,
  quarantined: (amount) => `Confirmed, being checked: ${amount}`,
  lost: 'The transaction did not arrive',
  tooSmall: 'Below the minimum, not credited',
  invoicePaid: 'Paid',
  invoiceExpired: 'Expired',
  invoiceFailed: (reason) => `Not paid: ${reason}`,
  cardStates: {
    started: 'Card payment started',
    open: 'Card page opened',
    reported: 'Card payment reported, being confirmed',
    credited: 'Card payment confirmed',
    refused: 'Card payment refused or not made',
    suspended: 'Card payment received, not assigned: ask support',
    reversed: 'Card payment disputed or taken back',
  },
  screenings: {
    asked: 'Screening: under way',
    unanswered: 'Screening: no answer yet',
    clean: 'Screening: no risk found',
    risky: 'Screening: risk found',
    released: 'Screening: released',
    rejected: 'Screening: rejected',
  },
  conversion: (from, to) => `Exchange of ${from} to ${to}`,
  conversions: { waiting: 'waiting', done: 'done', failed: 'failed' },
  refund: (amount) => `Refund of ${amount}`,
  refundStates: {
    requested: 'requested, not sent yet',
    asked: 'sent to the bank',
    done: 'done',
    refused: 'refused by the bank',
  },
  notification: (status) => `Webhook ${status}`,
  deliveries: {
    delivered: 'delivered',
    waiting: 'not delivered yet',
    exhausted: 'all attempts failed',
    ended: 'no longer sent',
  },
  attempts: (count) => `Attempts: ${count}`,
  openNotification: 'Open the notification',
  noAnswer: 'no answer',
  available: 'Available',
  onHold: 'On hold',
  checked: 'Being checked',
  total: 'Total',
  value: (currency) => `Value, ${currency}`,
  currency: 'Currency of values',
  totalValue: 'Value of all balances',
  noPrice: 'no price now',
  noBalances: 'No balances yet',
  noBalancesText: 'A balance appears with the first payment in its asset.',
  statement: 'Statement',
  month: 'Month',
  monthPdf: 'Statement as PDF',
  statementOf: (ticker) => `Statement, ${ticker}`,
  opening: 'Opening balance',
  closing: 'Closing balance',
  cause: 'Cause',
  balance: 'Balance',
  noEntries: 'No entries in these days',
  noEntriesText: 'Choose other days, or clear them to see all entries.',
  causes: {
    deposit: 'Deposit',
    withdrawal: 'Withdrawal',
    exchange: 'Exchange',
    payment: 'Card payment',
    refund: 'Refund',
    'card-payout': 'Card payout',
    adjustment: 'Adjustment',
    invoice: 'Invoice',
    outgoing: 'Transaction',
    funding: 'Funding',
    settlement: 'Settlement',
    hedge: 'Hedge',
  },
}

/** The groups of operations, in the order in which the reference shows them. */
export const tags = {
  Balances: 'The amounts that the merchant may spend.',
  Addresses: 'Where payers send crypto: permanent and rotating deposit addresses.',
  Deposits: 'Crypto that arrived.',
  Withdrawals: 'Sending crypto.',
  'Card payouts': 'Sending fiat to bank cards, one payment or a batch.',
  Assets: 'The assets of this installation.',
  'Crypto invoices': 'Payment pages for one payment in crypto.',
  'Fiat invoices': 'Payment pages for one payment by card.',
  'Payment links': 'Pages that many payers use: each makes an invoice of their own.',
  Exchange: 'Turning one asset of the balance into another.',
  'Exchange and withdrawal': 'Paying out in an asset that is bought in the same call.',
  Events: 'The notifications sent so far.',
} as const

export type Tag = keyof typeof tags

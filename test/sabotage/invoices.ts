import type { Sabotage } from './sabotage.ts'

/** Faults of crypto invoices and of screening. */
export const invoicesSabotages: readonly Sabotage[] = [
  {
    name: 'invoice-paid-while-waiting',
    file: 'server/src/pay-in/crypto-invoices/settling.ts',
    replace: [
      'const isWhole = invoice.paid >= invoice.units',
      'const isWhole = invoice.paid + invoice.waiting >= invoice.units',
    ],
    fault: 'B3, I4',
    breaks: 'An invoice is PAID by a payment without confirmations.',
    finder:
      'server/src/pay-in/crypto-invoices/lifecycle.test.ts › is created without an address, registered when the payer continues, pending with its first payment, paid when all is credited',
  },
  {
    name: 'invoice-refunded-twice',
    file: 'server/src/pay-in/crypto-invoices/deciding.ts',
    replace: ['name: `refund:${invoice.id}`,', 'name: `refund:${claim.id}:${String(process.hrtime.bigint())}`,'],
    fault: 'audit M-A5',
    breaks: 'A restored database refunds an invoice twice.',
    finder:
      'server/src/pay-in/crypto-invoices/refunds.test.ts › is the same payment to the signer when a restored copy has it approved again',
  },
]

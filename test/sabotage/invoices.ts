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
  {
    name: 'invoice-free-option',
    file: 'server/src/pay-in/crypto-invoices/deposit-subscriber.ts',
    replace: [
      'payment.minedBy === null || at <= payment.minedBy) return mined',
      'payment.minedBy === null || at >= payment.minedBy) return mined',
    ],
    fault: 'audit D-B6',
    breaks: 'A payer keeps a price and pays only when it has become good.',
    finder:
      'server/src/pay-in/crypto-invoices/unmined.test.ts › a quoted price holds for a payment mined within 24 hours of the end of the quote',
  },
  {
    name: 'invoice-counts-lost-payment',
    file: 'server/src/pay-in/crypto-invoices/matching.ts',
    replace: ["if (state === 'lost') continue", ''],
    fault: 'B3',
    breaks: 'An invoice counts a payment that was replaced.',
    finder:
      'server/src/pay-in/crypto-invoices/matching.test.ts › sums leave out lost payments, and count waiting ones separately',
  },
  {
    name: 'claim-decided-twice',
    file: 'server/src/pay-in/crypto-invoices/claims-store.ts',
    replace: [' and state = any(${[...UNDECIDED]}::text[])`.execute(tx)\n  return num', '`.execute(tx)\n  return num'],
    fault: 'L3',
    breaks: 'An underpaid invoice is refunded twice, or it is refunded and the merchant also gets the money.',
    finder:
      'server/src/pay-in/crypto-invoices/refunds.test.ts › takes no second decision, also from a caller that has not looked at its state',
  },
  {
    name: 'claim-stays-sent',
    file: 'server/src/pay-in/crypto-invoices/refund-subscriber.ts',
    replace: [" && !(wasSent && status === 'Failed')", ''],
    fault: 'B5',
    breaks: 'A refund that is Failed after Done is never paid, and counts as sent.',
    finder:
      'server/src/pay-in/crypto-invoices/refunds.test.ts › that is Failed after Done has the merchant decide again, and another one is mailed',
  },
  {
    name: 'sent-claim-not-failed',
    file: 'server/src/pay-in/crypto-invoices/claims-store.ts',
    replace: ["(state = 'approved' or (state = 'sent' and ${end.state} = 'failed'))", "state = 'approved'"],
    fault: 'B5',
    breaks: 'A refund that is Failed after Done cannot be approved again.',
    finder:
      'server/src/pay-in/crypto-invoices/refunds.test.ts › that is Failed after Done has the merchant decide again, and another one is mailed',
  },
  {
    name: 'invoice-rounding-forgiven-twice',
    file: 'server/src/pay-in/crypto-invoices/matching.ts',
    replace: ['BigInt(totals.seenCount)', '2n * BigInt(totals.seenCount)'],
    fault: 'L9',
    breaks: 'A payer pays less than the price by more than rounding took.',
    finder:
      'server/src/pay-in/crypto-invoices/matching.test.ts › a missing part is forgiven up to one unit of worth for each payment, and requested beyond that',
  },
  {
    name: 'invoice-price-rounded-down',
    file: 'server/src/pay-in/crypto-invoices/quoting.ts',
    replace: ["return mulDiv(units, 1n, step, 'up') * step", "return mulDiv(units, 1n, step, 'down') * step"],
    fault: 'L9',
    breaks: 'An invoice with a price in a national currency asks for less than its price.',
    finder:
      'server/src/pay-in/crypto-invoices/matching.test.ts › the amount to pay is worth at least the price, and one written step less is not',
  },
  {
    name: 'complete-without-report',
    file: 'server/src/risk/screening/judging.ts',
    replace: ['complete: reports.length > 0 && !', 'complete: !'],
    fault: 'audit F-2',
    breaks: 'Money that no provider has judged counts as judged.',
    finder:
      'server/src/risk/screening/judging.test.ts › whether a judgement is complete when no provider has been asked',
  },
  {
    name: 'link-amount-of-the-form',
    file: 'server/src/pay-in/payment-links/paying.ts',
    replace: [
      'const amount = link.amount ?? amountIn(typed)',
      'const amount = amountIn(typed) ?? link.amount ?? undefined',
    ],
    fault: 'decision 192',
    breaks: 'A payer pays less than the fixed amount of a payment link.',
    finder:
      'server/src/app/composition/payment-links.test.ts › makes a card invoice of a fixed amount, whatever amount the form has',
  },
  {
    name: 'link-used-once-more',
    file: 'server/src/pay-in/payment-links/paying.ts',
    replace: ['mostUses)) >= mostUses', 'mostUses + 1)) > mostUses'],
    fault: 'decision 192',
    breaks: 'A payment link takes one payment more than its limit.',
    finder:
      'server/src/app/composition/payment-links.test.ts › that is stopped, expired, used up or unknown makes no invoice',
  },
]

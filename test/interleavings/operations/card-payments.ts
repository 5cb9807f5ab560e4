/** Payments of fiat invoices by card: charged, expired, charged too late, given back, and taken back by the bank. */
import { openCardPayments } from '../card-payments.ts'
import type { Operation } from './operation.ts'

export const cardPaymentOperations: readonly Operation[] = [
  {
    name: 'charge-card',
    isJob: true,
    changes: ['UAH', 'card payments'],
    prepare: ({ shop, cardPayments }) => void shop.pays(cardPayments.onPage),
    run: (process, { shop, cardPayments }) => openCardPayments(process, shop).hear(cardPayments.onPage),
  },
  {
    name: 'charge-card-late',
    isJob: true,
    changes: ['UAH', 'card payments'],
    prepare: ({ shop, cardPayments }) => void shop.pays(cardPayments.onPageLate),
    run: (process, { shop, cardPayments }) => openCardPayments(process, shop).hear(cardPayments.onPageLate),
  },
  {
    name: 'expire-fiat-invoice',
    isJob: true,
    changes: ['card payments'],
    run: (process, { shop }) => openCardPayments(process, shop).expire(),
  },
  {
    name: 'refund-card',
    changes: ['UAH', 'card payments'],
    run: async (process, { shop, cardPayments }) => {
      await openCardPayments(process, shop).refund(cardPayments.credited)
    },
  },
  {
    name: 'send-card-refund',
    isJob: true,
    changes: ['UAH', 'card payments'],
    run: (process, { shop }) => openCardPayments(process, shop).sendRefunds(),
  },
  {
    name: 'charge-back',
    isJob: true,
    changes: ['UAH', 'card payments'],
    prepare: ({ shop, cardPayments: { credited, refunding } }) => {
      for (const reference of [credited, refunding]) shop.reverses(reference, 'all')
    },
    run: (process, { shop, cardPayments: { credited, refunding } }) =>
      openCardPayments(process, shop).hear(credited, refunding),
  },
]

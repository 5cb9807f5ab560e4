/** Mails of a merchant's invoices. */
import type { Mail } from '../../server/src/merchants/mail/index.ts'

const INVOICE = '0199a000-0000-7000-8000-000000000001'

/** A letter with a claim link, to be changed where a test needs. */
export const underpaid = (
  merchantId: string,
  more: { to?: string; about?: string; language?: Mail['language'] } = {},
): Mail => ({
  kind: 'underpaid',
  merchantId,
  about: INVOICE,
  to: 'payer@example.com',
  language: 'en',
  data: {
    invoiceId: INVOICE,
    company: { name: 'Shop Ltd', url: 'https://shop.example' },
    description: 'Order 1042',
    amount: '100',
    paidAmount: '60',
    missing: '40',
    ticker: 'USDT',
    blockchain: 'TRON',
    claimUrl: `https://pay.example/invoices/crypto/${INVOICE}?claim=abc`,
  },
  ...more,
})

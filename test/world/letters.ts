/** One letter of each kind, and the receipts that go with them, for tests and for the pictures in the docs. */
import type { CryptoReceipt, FiatReceipt } from '../../server/src/merchants/documents/index.ts'
import type { LetterContent, LetterKind } from '../../server/src/merchants/mail-templates/letter.ts'

const AT = Date.UTC(2026, 10, 21, 14, 5)
const ID = '0199a7c4-52d1-7c3e-9b6e-3f0c1d2e4a5b'
const company = { name: 'Кав’ярня «Зерно» Ltd', url: 'https://zerno.example' }

export const cryptoReceipt: CryptoReceipt = {
  kind: 'crypto',
  id: ID,
  company,
  name: 'Order 1042',
  description: 'Two bags of coffee, қара шай',
  amount: '1250.5',
  paidAmount: '1300',
  ticker: 'USDT',
  createdAt: AT - 3_600_000,
  paidAt: AT,
  blockchain: 'TRON',
  address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
  payments: [
    { hash: '8e67b5c8a14f2d5b1c9a0b6f35d7e8c2a4f6081b3d5e7f9012a3b4c5d6e7f809', amount: '800', at: AT - 600_000 },
    { hash: '11d2c3b4a5968778695a4b3c2d1e0f11223344556677889900aabbccddeeff00', amount: '500', at: AT - 60_000 },
  ],
  price: { amount: '52000', ticker: 'UAH' },
}

export const fiatReceipt: FiatReceipt = {
  kind: 'fiat',
  id: ID,
  company,
  name: 'Тапсырыс № 77',
  description: 'Кофе, екі қап',
  amount: '25000',
  paidAmount: '25000',
  ticker: 'KZT',
  createdAt: AT - 3_600_000,
  paidAt: AT,
  fee: '250.5',
  card: '444433******1111',
  reference: 'FP-88412',
}

const money = {
  invoiceId: ID,
  company,
  name: 'Order 1042',
  description: cryptoReceipt.description,
  amount: '1250.5',
  ticker: 'USDT',
  blockchain: 'TRON',
}
const pageUrl = `https://pay.example/invoices/crypto/${ID}`

export const LETTERS: { readonly [Kind in LetterKind]: Extract<LetterContent, { kind: Kind }> } = {
  receipt: { kind: 'receipt', data: { receipt: cryptoReceipt, pageUrl } },
  underpaid: {
    kind: 'underpaid',
    data: { ...money, paidAmount: '800', missing: '450.5', claimUrl: `${pageUrl}?claim=Q2xhaW0` },
  },
  'claim-answered': {
    kind: 'claim-answered',
    data: {
      ...money,
      answer: 'sent',
      refund: '800',
      refundAddress: 'TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9',
      hash: '8e67b5c8a14f2d5b1c9a0b6f35d7e8c2a4f6081b3d5e7f9012a3b4c5d6e7f809',
      note: 'Sorry that it did not work out.',
      pageUrl,
    },
  },
  'card-refunded': {
    kind: 'card-refunded',
    data: {
      invoiceId: ID,
      company,
      name: 'Тапсырыс № 77',
      description: 'Кофе, екі қап',
      amount: '25000',
      refund: '10000',
      ticker: 'KZT',
      card: '444433******1111',
      pageUrl: `https://pay.example/invoices/fiat/${ID}`,
    },
  },
  'payment-request': {
    kind: 'payment-request',
    data: { company, name: 'Order 1042', amount: { value: '1250.5', ticker: 'USDT' }, pageUrl },
  },
  'webhooks-exhausted': {
    kind: 'webhooks-exhausted',
    data: {
      merchant: 'Zerno',
      url: 'https://zerno.example/hooks/bursar',
      objectId: ID,
      sequence: 12,
      error: '502 Bad Gateway',
      since: AT,
    },
  },
  'month-ended': {
    kind: 'month-ended',
    data: {
      merchant: 'Zerno',
      month: '2026-10',
      balances: [
        { ticker: 'USDT', opening: '1250.5', closing: '13800.25' },
        { ticker: 'UAH', opening: '0', closing: '52000' },
      ],
      pageUrl: `https://pay.example/app/merchants/${ID}/balances`,
    },
  },
  activity: {
    kind: 'activity',
    data: {
      merchant: 'Zerno',
      from: AT - 900_000,
      until: AT,
      more: 3,
      entries: [
        {
          kind: 'deposit',
          status: 'done',
          amount: '1250.5',
          ticker: 'USDT',
          blockchain: 'TRON',
          name: 'order 1042',
          id: ID,
          at: AT - 800_000,
        },
        {
          kind: 'invoice',
          status: 'done',
          amount: '0.00125',
          ticker: 'BTC',
          blockchain: 'BITCOIN',
          name: null,
          id: ID,
          at: AT - 500_000,
        },
        {
          kind: 'withdrawal',
          status: 'done',
          amount: '300',
          ticker: 'USDT',
          blockchain: 'ETHEREUM',
          name: 'payout 7',
          id: ID,
          at: AT - 400_000,
        },
        {
          kind: 'card-payout',
          status: 'failed',
          amount: '20000',
          ticker: 'KZT',
          blockchain: null,
          name: 'salary',
          id: ID,
          at: AT - 300_000,
        },
      ],
    },
  },
  'dashboard-invitation': {
    kind: 'dashboard-invitation',
    data: {
      merchant: 'Zerno',
      joinUrl: 'https://pay.example/app/join/VG9rZW4gb2YgYW4gaW52aXRhdGlvbiBpbiBhIHRlc3Q',
      until: AT + 604_800_000,
      isReset: false,
    },
  },
  'dashboard-notice': {
    kind: 'dashboard-notice',
    data: { event: 'passkey-added', detail: 'Phone of Olena', at: AT },
  },
  'merchant-changed': {
    kind: 'merchant-changed',
    data: {
      merchant: 'Zerno',
      event: 'webhook-url',
      detail: 'https://zerno.example/hooks',
      by: 'olena@zerno.example',
      at: AT,
    },
  },
}

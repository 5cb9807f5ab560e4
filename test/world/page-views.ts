/** A view of every state that a payment page can show, for tests, screenshots and benches. */
import type { PageState, PageView, PaymentOption, Received, Seller } from '../../web/checkout/src/view.ts'
import { BITCOIN, ETHEREUM, TRON } from './page-destinations.ts'

/** Saturday, 21 November 2026, 12:00 UTC. */
const NOW = Date.UTC(2026, 10, 21, 12)
const HOUR = 3_600_000

const SELLER: Seller = {
  name: 'Kava & Co',
  url: 'https://kava.example',
  accent: '#c2410c',
  support: { url: 'https://kava.example/help', email: 'help@kava.example' },
}
const ID = '6f1d2a54-9c3b-4a77-8f0e-2b1c9d7e5a10'

const base = (kind: 'crypto' | 'fiat', state: PageState, more: Partial<PageView> = {}): PageView => ({
  kind,
  id: ID,
  seller: SELLER,
  name: 'Order 1042',
  description: 'Three bags of coffee, ground',
  path: `/invoices/${kind}/${ID}`,
  keep: {},
  returnTo: 'https://kava.example/orders/1042',
  now: NOW,
  state,
  ...more,
})

const option = (
  ticker: string,
  assetName: string,
  blockchain: string,
  networkName: string,
  about?: string,
  least?: string,
  wait?: PaymentOption['wait'],
  fee?: string,
): PaymentOption => ({
  wait,
  fee: fee === undefined ? undefined : { value: fee, ticker: 'USD' },
  ticker,
  assetName,
  blockchain,
  networkName,
  about,
  least,
  most: undefined,
})

const OPTIONS: readonly PaymentOption[] = [
  option('USDT', 'Tether USD', 'TRON', 'Tron (TRC-20)', '24.09', undefined, { least: 1, most: 1 }, '2.35'),
  option('USDT', 'Tether USD', 'ETHEREUM', 'Ethereum (ERC-20)', '24.09', undefined, { least: 15, most: 15 }, '0.8'),
  option('USDT', 'Tether USD', 'BINANCE_SMART_CHAIN', 'BNB Smart Chain (BEP-20)', '24.09', undefined, {
    least: 1,
    most: 1,
  }),
  option('BTC', 'Bitcoin', 'BITCOIN', 'Bitcoin', '0.00028913', undefined, { least: 10, most: 60 }, '1.5'),
  option('ETH', 'Ether', 'ETHEREUM', 'Ethereum', '0.00812'),
  option('TRX', 'TRON', 'TRON', 'Tron', '92.4'),
]

const received = (value: string, confirmations: number, more: Partial<Received> = {}): Received => ({
  value,
  ticker: 'USDT',
  networkName: 'Tron (TRC-20)',
  hash: '7c2d4206c03a883dd9066d620335dc1be272a8dc733cfa3f6d10308faa37facc',
  confirmations,
  needed: 20,
  status: confirmations >= 20 ? 'credited' : 'waiting',
  at: NOW - HOUR,
  ...more,
})

const PRICE = { value: '1000', ticker: 'UAH' }
const ASKED = { value: '24.09', ticker: 'USDT' }
const CARD = { value: '1250.50', ticker: 'UAH' }
const TENGE = { value: '45000', ticker: 'KZT' }

const openCrypto: PageState = {
  at: 'open',
  asked: PRICE,
  email: 'ask',
  amountEntry: undefined,
  options: OPTIONS,
  ratesAway: false,
  until: NOW + 47 * HOUR,
}
const pay: PageState = {
  at: 'pay',
  to: TRON,
  asked: ASKED,
  base: PRICE,
  paid: '0',
  missing: '24.09',
  send: '24.09',
  payments: [],
  until: NOW + 47 * HOUR,
  quote: { price: '41.51', until: NOW + 870_000, over: false },
  ratesAway: false,
}
const partly = { ...pay, paid: '10', missing: '14.09', send: '14.09', payments: [received('10', 20)] } as const
const paid: PageState = {
  at: 'paid',
  asked: ASKED,
  paid: ASKED,
  over: undefined,
  givenBack: undefined,
  closed: false,
  when: NOW - 60_000,
  card: undefined,
  payments: [received('24.09', 20)],
  receipt: `/invoices/crypto/${ID}/receipt.pdf`,
}
const underpaid = {
  at: 'underpaid',
  asked: ASKED,
  paid: '10',
  missing: '14.09',
  payments: [received('10', 20)],
} as const
const claim = { canPayRest: true, networkName: 'Tron (TRC-20)', refund: undefined } as const
const openFiat: PageState = {
  at: 'open',
  asked: CARD,
  email: 'ask',
  amountEntry: undefined,
  options: [],
  ratesAway: false,
  until: NOW + 47 * HOUR,
}
const bank = {
  method: 'POST',
  url: 'https://www.liqpay.example/api/3/checkout',
  fields: { data: 'eyJ2ZXJzaW9uIjozfQ==', signature: 'QvJD5u9Fg55PCx' },
} as const

/** By name, in the order a payer may come to them. */
export const VIEWS: Readonly<Record<string, PageView>> = {
  'crypto-open': base('crypto', {
    ...openCrypto,
    asked: ASKED,
    options: [OPTIONS[0]!].map((one) => ({ ...one, about: undefined })),
  }),
  'crypto-choose': base('crypto', openCrypto),
  'crypto-choose-amount': base('crypto', {
    ...openCrypto,
    asked: undefined,
    email: 'known',
    amountEntry: { ticker: undefined, least: '1', most: undefined },
    options: OPTIONS.map((one) => ({ ...one, about: undefined, least: '1' })),
  }),
  'crypto-form-refused': base('crypto', {
    ...openCrypto,
    given: { email: 'not an address', choice: 'USDT:TRON' },
    problems: [{ field: 'email', why: 'malformed' }],
  }),
  'crypto-form-empty': base('crypto', {
    ...openCrypto,
    asked: undefined,
    amountEntry: { ticker: undefined, least: undefined, most: undefined },
    options: OPTIONS.map((one) => ({ ...one, about: undefined, least: '1' })),
    problems: [
      { field: 'email', why: 'missing' },
      { field: 'choice', why: 'missing' },
      { field: 'value', why: 'missing' },
    ],
  }),
  'crypto-rates-away': base('crypto', { ...openCrypto, ratesAway: true }),
  'crypto-pay': base('crypto', pay),
  'crypto-pay-exchange': base('crypto', pay, { exchangeFee: '1.5', keep: { fee: '1.5' } }),
  'crypto-pay-bitcoin': base('crypto', {
    ...pay,
    to: BITCOIN,
    asked: { value: '0.00028913', ticker: 'BTC' },
    missing: '0.00028913',
    send: '0.00028913',
    base: undefined,
    quote: undefined,
  }),
  'crypto-pay-ethereum': base('crypto', {
    ...pay,
    to: ETHEREUM,
    asked: { value: '120', ticker: 'USDC' },
    missing: '120',
    send: '120',
    base: undefined,
    quote: undefined,
  }),
  'crypto-partly-paid': base('crypto', partly),
  'crypto-payment-refused': base('crypto', {
    ...partly,
    payments: [received('10', 20), received('5', 20, { status: 'refused' })],
  }),
  'crypto-rate-over': base('crypto', { ...partly, quote: { price: '41.51', until: NOW - 1, over: true } }),
  'crypto-rate-over-away': base('crypto', {
    ...pay,
    quote: { price: '41.51', until: NOW - 1, over: true },
    ratesAway: true,
  }),
  'crypto-confirming': base('crypto', {
    at: 'confirming',
    asked: ASKED,
    base: PRICE,
    paid: '24.09',
    short: undefined,
    payments: [received('10', 20), received('14.09', 7, { hash: 'a'.repeat(64) })],
  }),
  'crypto-enough': base('crypto', {
    at: 'confirming',
    asked: ASKED,
    base: PRICE,
    paid: '23.09',
    short: '1',
    payments: [received('23.09', 7)],
  }),
  'crypto-paid': base('crypto', paid),
  'crypto-overpaid': base('crypto', {
    ...paid,
    paid: { value: '30', ticker: 'USDT' },
    over: '5.91',
    payments: [received('30', 20)],
  }),
  'crypto-closed': base('crypto', {
    ...paid,
    paid: { value: '10', ticker: 'USDT' },
    closed: true,
    payments: [received('10', 20)],
  }),
  'crypto-expired': base('crypto', { at: 'expired', asked: ASKED }),
  'crypto-underpaid': base('crypto', { ...underpaid, claim: 'mailed' }),
  'crypto-least': base('crypto', {
    ...partly,
    paid: '23.8',
    missing: '0.29',
    send: '1',
    payments: [
      received('23.8', 0, { needed: undefined, hash: undefined }),
      received('0.4', 3, { status: 'tooSmall' }),
      received('5', 0, { status: 'lost' }),
    ],
  }),
  'crypto-underpaid-unknown': base('crypto', { ...underpaid, claim: 'seller' }),
  'crypto-claim': base('crypto', { ...underpaid, claim }, { keep: { claim: 'pT1_2n' } }),
  'crypto-claim-refused-form': base('crypto', {
    ...underpaid,
    claim: { ...claim, given: { address: 'bc1nonsense' }, problem: { field: 'address', why: 'malformed' } },
  }),
  'crypto-claim-asked': base('crypto', {
    ...underpaid,
    claim: { ...claim, refund: { address: TRON.address, status: 'asked', hash: undefined } },
  }),
  'crypto-claim-approved': base('crypto', {
    ...underpaid,
    claim: { ...claim, refund: { address: TRON.address, status: 'onItsWay', hash: undefined } },
  }),
  'crypto-claim-sent': base('crypto', {
    ...underpaid,
    claim: {
      ...claim,
      refund: {
        address: TRON.address,
        status: 'sent',
        hash: '7c2d4206c03a883dd9066d620335dc1be272a8dc733cfa3f6d10308faa37facc',
      },
    },
  }),
  'crypto-claim-failed': base('crypto', {
    ...underpaid,
    claim: { ...claim, refund: { address: TRON.address, status: 'failed', hash: undefined } },
  }),
  'crypto-claim-declined': base('crypto', {
    ...underpaid,
    claim: { ...claim, refund: { address: TRON.address, status: 'refused', hash: undefined } },
  }),
  'crypto-late': base('crypto', { at: 'late', asked: ASKED, paid: ASKED, payments: [received('24.09', 20)] }),
  'crypto-wrong-asset': base('crypto', pay, { wrongAsset: [received('25', 20, { ticker: 'USDC' })] }),
  'fiat-open': base('fiat', openFiat),
  'fiat-choose-amount': base('fiat', {
    ...openFiat,
    asked: undefined,
    amountEntry: { ticker: 'KZT', least: '12000', most: '300000' },
  }),
  'fiat-choose-currency': base('fiat', {
    ...openFiat,
    asked: undefined,
    amountEntry: { ticker: undefined, least: undefined, most: undefined },
    options: [
      { ...option('UAH', 'Ukrainian hryvnia', '', '', undefined, '25'), most: '29999' },
      { ...option('KZT', 'Kazakhstan tenge', '', '', undefined, '12000'), most: '300000' },
    ],
  }),
  'fiat-choose-currency-only': base('fiat', {
    ...openFiat,
    asked: undefined,
    options: [
      { ...option('UAH', 'Ukrainian hryvnia', '', '', undefined, '25'), most: '29999', exact: '15000' },
      { ...option('KZT', 'Kazakhstan tenge', '', '', undefined, '12000'), most: '300000', exact: '15000' },
    ],
  }),
  'fiat-form-refused': base('fiat', {
    ...openFiat,
    asked: undefined,
    amountEntry: { ticker: 'UAH', least: '25', most: '29999' },
    given: { value: '20', email: 'olena@example.com' },
    problems: [
      {
        field: 'value',
        why: 'limits',
        least: { value: '25', ticker: 'UAH' },
        most: { value: '29999', ticker: 'UAH' },
      },
    ],
  }),
  'fiat-waiting': base('fiat', { at: 'waiting', asked: CARD }),
  'fiat-leaving': base('fiat', { at: 'leaving', asked: CARD, ...bank }),
  'fiat-checking': base('fiat', { at: 'checking', asked: CARD, back: bank }),
  'fiat-received': base('fiat', { at: 'received', asked: CARD }),
  'fiat-failed': base('fiat', {
    at: 'failed',
    asked: CARD,
    charged: 'no',
    why: 'funds',
    reason: 'Insufficient funds',
    canRetry: true,
  }),
  'fiat-failed-unknown': base('fiat', {
    at: 'failed',
    asked: CARD,
    charged: 'unknown',
    why: undefined,
    reason: undefined,
    canRetry: false,
  }),
  'fiat-paid': base('fiat', {
    at: 'paid',
    asked: TENGE,
    paid: TENGE,
    over: undefined,
    givenBack: undefined,
    closed: false,
    when: NOW - 60_000,
    card: '440043******1234',
    payments: [],
    receipt: `/invoices/fiat/${ID}/receipt.pdf`,
  }),
  'fiat-refunded': base('fiat', {
    at: 'paid',
    asked: TENGE,
    paid: TENGE,
    over: undefined,
    givenBack: TENGE.value,
    closed: false,
    when: NOW - 60_000,
    card: '440043******1234',
    payments: [],
    receipt: `/invoices/fiat/${ID}/receipt.pdf`,
  }),
  'fiat-expired': base('fiat', { at: 'expired', asked: CARD }),
}

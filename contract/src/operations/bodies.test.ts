import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { signatureVectors } from '../vectors.ts'
import { operationsById } from './index.ts'
import type { OperationId } from './index.ts'

interface Case {
  /** The least that is accepted. */
  readonly base: object
  /**
   * Members that may be added to it: documented samples, and forms that known clients send (`contract.md` 1.1 and 5).
   */
  readonly good?: readonly object[]
  /** Members that may not, by their fault. An undefined field is taken away from the base. */
  readonly bad: Readonly<Record<string, object>>
}

const toCard = '4111111111111111'
const order = {
  ticker: 'USDT',
  spendTicker: 'BTC',
  amount: '1',
  side: 'withdraw',
  fee: '1',
  exchangeFee: '0',
  price: '23000',
}

const bodies: Partial<Record<OperationId, Case>> = {
  createAddress: {
    base: { blockchain: 'TRON' },
    good: [{ target: { ticker: 'USDT' } }, { target: { ticker: 'BTC', address: 'x', blockchain: 'BITCOIN' } }],
    bad: {
      'no blockchain': { blockchain: undefined },
      'an unknown field': { adress: 'x' },
      'an unknown field within target': { target: { ticker: 'USDT', to: 'x' } },
      'a target address without its blockchain': { target: { ticker: 'USDT', address: 'x' } },
      'meta of 2049 characters': { meta: 'x'.repeat(2_049) },
      'NUL in meta': { meta: 'a\0b' },
      'a lone surrogate in meta': { meta: 'a\ud800b' },
      'null for meta': { meta: null },
    },
  },
  createRotatingAddress: {
    base: { blockchain: 'TRON' },
    good: [{ meta: '', duration: 600_000, durationAfterReplenishment: '7200000' }, { duration: 2_592_000_000 }],
    bad: {
      'a duration below 10 minutes': { duration: 599_999 },
      'a duration above 30 days': { duration: 2_592_000_001 },
      'a duration that is no integer': { duration: 600_000.5 },
      'a duration in words': { duration: '1 day' },
    },
  },
  createCryptoWithdrawal: {
    base: { ticker: 'BTC', blockchain: 'BITCOIN', to: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', amount: '1' },
    good: [{ fee: '0', localId: 'a', meta: 'x'.repeat(2_048) }, { localId: '\u{1F600}'.repeat(128) }],
    bad: {
      'an empty localId': { localId: '' },
      'a localId of 129 characters': { localId: 'x'.repeat(129) },
      'a negative fee': { fee: '-1' },
      'no destination': { to: undefined },
    },
  },
  createFiatWithdrawal: {
    base: { ticker: 'KZT', to: toCard, amount: '20000' },
    bad: { 'a card with spaces': { to: '4111 1111 1111 1111' }, 'a blockchain': { blockchain: 'TRON' } },
  },
  createFiatBatchWithdrawal: {
    base: { ticker: 'UAH', to: toCard, amount: '100000' },
    good: [{ fee: '10.5', localId: 'batch-2' }],
    bad: { 'no card': { to: undefined } },
  },
  createCryptoInvoice: {
    base: { name: 'Only a name' },
    good: [
      { amount: { ticker: 'USDT', blockchain: 'TRON' }, baseAmount: { value: '100', ticker: 'USD' } },
      { language: 'kk' },
      { email: 'a@b.c', duration: 259_200_000, clientDuration: 172_800_000, toPendingImmediate: true },
    ],
    bad: {
      'an empty name': { name: '' },
      'a name of 256 characters': { name: 'x'.repeat(256) },
      'a description of 1025 characters': { description: 'x'.repeat(1_025) },
      'an amount of zero': { amount: { value: '0', ticker: 'USDT' } },
      'toPendingImmediate as text': { toPendingImmediate: 'true' },
      'a language without texts': { language: 'de' },
      'a language with a region': { language: 'uk-UA' },
      'an email without @': { email: 'nobody' },
    },
  },
  createFiatInvoice: {
    base: { name: 'Order' },
    good: [{ amount: { value: '25', ticker: 'UAH' }, description: '', redirectUrl: 'http://localhost:3000/done' }],
    bad: {
      'a javascript: redirect': { redirectUrl: 'javascript:alert(1)' },
      'a redirect with a backslash': { redirectUrl: 'https:\\\\evil.example' },
      'an amount without ticker': { amount: { value: '1000' } },
    },
  },
  createPaymentLink: {
    base: { name: 'Donation', method: 'CRYPTO', ticker: 'USDT' },
    good: [
      { amount: '12.5', language: 'kk', description: '', maxPayments: 10_000, expiredAt: 1_767_225_600_000 },
      { minAmount: '5', maxAmount: '50', localId: 'campaign 7' },
    ],
    bad: {
      'no way to pay': { method: undefined },
      'a way to pay in another case': { method: 'crypto' },
      'an amount of zero': { amount: '0' },
      'a limit of no payments': { maxPayments: 0 },
      'a limit of 10001 payments': { maxPayments: 10_001 },
      'an empty localId': { localId: '' },
      'a time as text': { expiredAt: '1767225600000' },
    },
  },
  createCryptoInvoiceByForm: {
    base: { merchantId: 'm', name: 'Donation' },
    good: [{ value: '1', ticker: 'BTC', blockchain: 'BITCOIN', targetTicker: 'BTC', email: 'a@b.c' }],
    bad: { 'an unknown field': { amount: '1' } },
  },
  createFiatInvoiceByForm: {
    base: { merchantID: 'm', name: 'Donation' },
    good: [{ value: '100', ticker: 'UAH', redirectUrl: 'https://shop.example/' }],
    bad: { 'a plain http redirect': { redirectUrl: 'http://shop.example/' }, 'no name': { name: undefined } },
  },
  createExchange: {
    base: { spendTicker: 'UAH', targetTicker: 'USDT', amount: '1', side: 'spend', price: '40' },
    good: [{ fee: '20', localId: '1', meta: '' }, { side: 'exchange' }],
    bad: { 'side withdraw': { side: 'withdraw' }, 'no price': { price: undefined }, 'a price of zero': { price: '0' } },
  },
  createCryptoExchangeWithdrawal: {
    base: { ...order, blockchain: 'TRON', to: 'T' },
    good: [{ localId: '1', meta: 'm' }, { side: 'exchange' }],
    bad: { 'side target': { side: 'target' }, 'no exchange fee': { exchangeFee: undefined } },
  },
  createFiatExchangeWithdrawal: {
    base: { ...order, ticker: 'UAH', to: toCard },
    bad: { 'a blockchain': { blockchain: 'TRON' } },
  },
}

const estimate = { ticker: 'USDT', spendTicker: 'ETH', amount: '1', side: 'spend' }

const page = { limit: '1000', after: 'bGlzdC9h', timeFrom: '0', timeTo: '1767225600000', format: 'csv' }
const badPage = {
  'a page of none': { limit: '0' },
  'a page of 1001': { limit: '1001' },
  'a cursor of another alphabet': { after: 'a+b' },
  'a date': { timeFrom: '2026-01-01' },
  'an unknown format': { format: 'xml' },
}

const queries: Partial<Record<OperationId, Case>> = {
  listBalances: {
    base: { tickers: 'UAH,USDT,BTC' },
    good: [{ unknown: 'ignored' }],
    bad: { 'no tickers': { tickers: undefined }, 'empty tickers': { tickers: '' } },
  },
  getCryptoWithdrawalFee: {
    base: { ticker: 'USDT', amount: '12.00', blockchain: 'TRON' },
    good: [{ address: 'T' }],
    bad: { 'no blockchain': { blockchain: undefined }, 'an amount of zero': { amount: '0' } },
  },
  getFiatWithdrawalFee: { base: { amount: '100.000000', ticker: 'UAH' }, bad: { 'no ticker': { ticker: undefined } } },
  estimateExchange: {
    base: { targetTicker: 'USDT', spendTicker: 'UAH', amount: '100', side: 'target' },
    good: [{ price: '40' }, { side: 'exchange' }],
    bad: { 'side withdraw': { side: 'withdraw' } },
  },
  estimateCryptoExchangeWithdrawal: {
    base: { ...estimate, blockchain: 'TRON' },
    good: [{ to: 'T', price: '1534' }],
    bad: { 'no blockchain': { blockchain: undefined } },
  },
  estimateFiatExchangeWithdrawal: {
    base: { ...estimate, ticker: 'UAH' },
    good: [{ blockchain: '' }],
    bad: { 'no side': { side: undefined } },
  },
  listEvents: {
    base: { after: '0' },
    good: [{ limit: '1' }, { limit: '1000' }],
    bad: {
      'no position': { after: undefined },
      'a negative position': { after: '-1' },
      'a page of none': { limit: '0' },
      'a page of 1001': { limit: '1001' },
    },
  },
  listDeposits: { base: {}, good: [{ ...page, hash: 'ab' }], bad: { ...badPage, 'a hash of two': { hash: 'a,b' } } },
  listCryptoWithdrawals: {
    base: {},
    good: [page, { localId: '1', amountFrom: '0', amountTo: '1.5' }],
    bad: { ...badPage, 'a status of deposits': { status: 'Verified' }, 'a negative amount': { amountTo: '-1' } },
  },
  listCryptoInvoices: {
    base: {},
    good: [page, { email: 'a@b.c', status: 'PAID' }],
    bad: { ...badPage, 'a status in another case': { status: 'Paid' } },
  },
  listFiatInvoices: { base: {}, good: [page], bad: { ...badPage, 'a status of crypto': { status: 'EXPIRED' } } },
  listPaymentLinks: {
    base: {},
    good: [page, { method: 'CARD', status: 'DISABLED', localId: 'campaign 7' }],
    bad: { ...badPage, 'a status of invoices': { status: 'PAID' } },
  },
  listCardPayouts: { base: {}, good: [page], bad: { ...badPage, 'a status of single ones': { status: 'Failed' } } },
  listExchanges: { base: {}, good: [page, { spendTicker: 'UAH' }], bad: { ...badPage, 'no id': { ids: 'x' } } },
  listEntries: { base: { ticker: 'BTC' }, good: [page], bad: { ...badPage, 'no ticker': { ticker: undefined } } },
  findWithdrawals: { base: { localId: 'order-1042' }, bad: { 'no localId': { localId: undefined } } },
}

const ajv = new Ajv({ strict: true })

const accepts = (id: string, part: 'body' | 'query', value: unknown) =>
  ajv.validate(operationsById[id as OperationId][part] ?? false, value)

/** The errors of the value by the operation. */
const faults = (id: string, part: 'body' | 'query', value: unknown) => (accepts(id, part, value) ? [] : ajv.errors)

describe.each([
  ['body', bodies],
  ['query', queries],
] as const)('%s', (part, cases) => {
  describe.each(Object.entries(cases))('%s', (id, { base, good = [], bad }) => {
    test.each([{}, ...good])('accepts %j', (more) => {
      expect(faults(id, part, { ...base, ...more })).toEqual([])
    })

    test.each(Object.entries(bad))('refuses %s', (_, change) => {
      expect(accepts(id, part, { ...base, ...change })).toBe(false)
    })

    test.each([null, [], 'text', 1])('refuses %j in its place', (value) => {
      expect(accepts(id, part, value)).toBe(false)
    })
  })

  test('has cases for every operation', () => {
    const ids = Object.values(operationsById)
      .filter((operation) => operation[part] !== null)
      .map(({ id }) => id)
    expect(Object.keys(cases).toSorted()).toEqual(ids.toSorted())
  })
})

test('the bodies of the signature vectors are accepted', () => {
  const posted = signatureVectors.filter(({ body, form }) => form === 'request' && body !== '')
  for (const { target, body } of posted) {
    const { id } = Object.values(operationsById).find(({ method, path }) => method === 'POST' && path === target)!
    expect(faults(id, 'body', JSON.parse(body))).toEqual([])
  }
  expect(posted).toHaveLength(5)
})

describe('amounts (contract.md 18 #11)', () => {
  const refused: unknown[] = [
    1,
    12.5,
    0,
    '',
    ' ',
    '1e3',
    '+1',
    '-1',
    '0x10',
    'NaN',
    'Infinity',
    '1,5',
    '1.',
    '.5',
    ' 1',
    '1 ',
    '1\n',
    '1_000',
    '\u0661',
    '\uff10',
    null,
    true,
    ['1'],
    {},
    '1.0000000000000000001',
    '1'.repeat(31),
  ]
  const zeros = ['0', '0.00', '00']
  const moving = Object.entries(bodies).filter(([, { base }]) => 'amount' in base)

  const accepted = ['1', '0.1', '007', '12.000', `0.${'0'.repeat(17)}1`, `${'9'.repeat(30)}.${'9'.repeat(18)}`]

  test.each(moving)('%s', (id, { base }) => {
    const accept = (amount: unknown) => accepts(id, 'body', { ...base, amount })
    expect([...accepted, ...zeros, ...refused].filter(accept)).toEqual(accepted)
  })

  test.each(moving)('%s: a fee may be zero too', (id, { base }) => {
    const accept = (fee: unknown) => accepts(id, 'body', { ...base, fee })
    expect([...accepted, ...zeros, ...refused].filter(accept)).toEqual([...accepted, ...zeros])
  })
})

import { expect, test } from 'vitest'
import { scopesOf } from '../scopes.ts'
import { operations } from './index.ts'

/** Method and path of every operation of `contract.md` section 5, aliases of sections 5 and 16 included. */
const documented = `
  GET  /merchants/balances
  POST /merchants/addresses
  POST /merchants/rotating-addresses
  POST /merchants/withdrawals/crypto
  POST /merchants/withdrawals
  GET  /merchants/withdrawals/crypto/fee
  GET  /withdrawals/crypto/fee
  GET  /merchants/replenishment/crypto/:id/compliance
  GET  /merchants/withdrawals/crypto/:id/compliance
  GET  /merchants/assets/crypto
  GET  /merchants/assets/crypto/
  GET  /merchants/assets/fiat
  GET  /merchants/withdrawals/fiat/assets
  GET  /merchants/withdrawals/fiat/fee
  POST /merchants/withdrawals/fiat
  POST /merchants/withdrawals/fiat/batch
  GET  /merchants/withdrawals/fiat/batch/:id
  POST /merchants/invoices/crypto
  POST /merchants/invoices/crypto/form
  GET  /merchants/invoices/crypto/:id
  POST /merchants/invoices/crypto/:id/close
  POST /merchants/invoices/fiat
  POST /merchants/invoices
  POST /merchants/invoices/fiat/form
  GET  /merchants/invoices/fiat/:id
  GET  /merchants/exchange/available-directions
  GET  /merchants/exchange/available-directions/
  GET  /merchants/exchange/estimate
  GET  /merchants/exchange/estimate/
  POST /merchants/exchange
  GET  /merchants/exchange/withdrawals/crypto/estimate
  POST /merchants/exchange/withdrawals/crypto
  GET  /merchants/exchange/withdrawals/fiat/estimate
  POST /merchants/exchange/withdrawals/fiat
`

/** Operations that this project adds. */
const added = `
  GET  /merchants/events
  GET  /merchants/withdrawals
  GET  /merchants/withdrawals/crypto/:id
  GET  /merchants/replenishment/crypto/:id
  GET  /merchants/lists/deposits
  GET  /merchants/lists/withdrawals
  GET  /merchants/lists/crypto-invoices
  GET  /merchants/lists/fiat-invoices
  GET  /merchants/lists/card-payouts
  GET  /merchants/lists/exchanges
  GET  /merchants/lists/entries
  POST /merchants/payment-links
  GET  /merchants/payment-links/:id
  POST /merchants/payment-links/:id/disable
  GET  /merchants/lists/payment-links
`

const routes = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().replace(/ +/, ' '))

const served = operations.flatMap(({ method, path, aliases }) =>
  [path, ...aliases.map((alias) => alias.path)].map((each) => `${method} ${each}`),
)

const ids = (chosen: typeof operations) => chosen.map(({ id }) => id).toSorted()

test('every documented route and every addition is served by exactly one operation, and nothing else is', () => {
  expect(served.toSorted()).toEqual([...routes(documented), ...routes(added)].toSorted())
})

test('ids are unique', () => {
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
})

test("a trailing slash alias is the operation's own path with a slash", () => {
  for (const { path, aliases } of operations) {
    for (const alias of aliases) expect(alias.trailingSlash === true).toBe(alias.path === `${path}/`)
  }
})

test('only the web forms are unsigned, and only they answer 303', () => {
  const forms = ['createCryptoInvoiceByForm', 'createFiatInvoiceByForm']
  expect(ids(operations.filter(({ signed }) => !signed))).toEqual(forms)
  expect(ids(operations.filter(({ success }) => success === 303))).toEqual(forms)
  expect(ids(operations.filter(({ contentType }) => contentType === 'application/x-www-form-urlencoded'))).toEqual(
    forms,
  )
})

test('the calls that send or exchange money are protected against replay', () => {
  expect(ids(operations.filter(({ movesMoney }) => movesMoney))).toEqual([
    'createCryptoExchangeWithdrawal',
    'createCryptoWithdrawal',
    'createExchange',
    'createFiatBatchWithdrawal',
    'createFiatExchangeWithdrawal',
    'createFiatWithdrawal',
  ])
})

test('a GET has no body, and path parameters are exactly those of the path', () => {
  for (const { method, path, body, params, aliases } of operations) {
    if (method === 'GET') expect(body).toBeNull()
    for (const each of [path, ...aliases.map((alias) => alias.path)]) {
      expect([...each.matchAll(/:(\w+)/g)].map(([, name]) => name)).toEqual(Object.keys(params?.properties ?? {}))
    }
  }
})

test('lists are query parameters', () => {
  for (const { lists, query } of operations) {
    expect(Object.keys(query?.properties ?? {})).toEqual(expect.arrayContaining([...lists]))
  }
})

test('audit C-19: the reference says that a deposit after the end of a rotating address is credited', () => {
  expect(operations.find(({ id }) => id === 'createRotatingAddress')!.description).toMatch(
    /comes later is credited and notified as one in time is/,
  )
})

test('every signed operation needs scopes, by this table; the forms need no key', () => {
  const needing = (scopes: string) => ids(operations.filter((operation) => operation.scopes.join(' ') === scopes))
  const table = {
    read: needing('read'),
    invoices: needing('invoices'),
    payouts: needing('payouts'),
    exchange: needing('exchange'),
    'exchange payouts': needing('exchange payouts'),
    '': needing(''),
  }
  expect(table).toEqual({
    read: [
      'findWithdrawals',
      'getCryptoInvoice',
      'getCryptoWithdrawal',
      'getCryptoWithdrawalCompliance',
      'getCryptoWithdrawalFee',
      'getDeposit',
      'getDepositCompliance',
      'getFiatBatchWithdrawal',
      'getFiatInvoice',
      'getFiatWithdrawalFee',
      'getPaymentLink',
      'listBalances',
      'listCardPayouts',
      'listCryptoAssets',
      'listCryptoInvoices',
      'listCryptoWithdrawals',
      'listDeposits',
      'listEntries',
      'listEvents',
      'listExchangeDirections',
      'listExchanges',
      'listFiatAssets',
      'listFiatInvoices',
      'listPaymentLinks',
    ],
    invoices: [
      'closeCryptoInvoice',
      'createAddress',
      'createCryptoInvoice',
      'createFiatInvoice',
      'createPaymentLink',
      'createRotatingAddress',
      'disablePaymentLink',
    ],
    payouts: ['createCryptoWithdrawal', 'createFiatBatchWithdrawal', 'createFiatWithdrawal'],
    exchange: [
      'createExchange',
      'estimateCryptoExchangeWithdrawal',
      'estimateExchange',
      'estimateFiatExchangeWithdrawal',
    ],
    'exchange payouts': ['createCryptoExchangeWithdrawal', 'createFiatExchangeWithdrawal'],
    '': ['createCryptoInvoiceByForm', 'createFiatInvoiceByForm'],
  })
  expect(Object.values(table).flat()).toHaveLength(operations.length)
})

test('a target needs the scopes of what it does, on top of those of the operation', () => {
  const scopes = (body: unknown) => scopesOf({ scopes: ['invoices'] }, body)
  for (const body of [undefined, {}, { target: undefined }, { target: null }])
    expect(scopes(body)).toEqual(['invoices'])
  expect(scopes({ target: { ticker: 'USDT' } })).toEqual(['invoices', 'exchange'])
  expect(scopes({ target: { ticker: 'USDT', address: 'T', blockchain: 'TRON' } })).toEqual([
    'invoices',
    'exchange',
    'payouts',
  ])
})

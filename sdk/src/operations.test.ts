import { operations } from '@bursar/contract'
import type { Operation } from '@bursar/contract'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Bursar } from './index.ts'
import { merchantId, privateKey, startService } from './test-service.ts'
import type { Seen } from './test-service.ts'

const id = '123e4567-e89b-12d3-a456-426614174000'

/** The operation that serves a request. */
const served = ({ method, target }: Pick<Seen, 'method' | 'target'>): Operation => {
  const path = target.split('?')[0]!.replace(id, ':id')
  return operations.find((operation) => operation.method === method && operation.path === path)!
}

/** The example of an answer: its schema's own, or a list of that of its items, or that of its first form. */
const exampleOf = (schema: unknown): unknown => {
  const { examples, items, anyOf } = schema as { examples?: unknown[]; items?: unknown; anyOf?: unknown[] }
  if (items !== undefined) return [exampleOf(items)]
  return examples === undefined ? exampleOf(anyOf![0]) : examples[0]
}

/** The example of the body of an operation: fit for its method, which the compiler can't know. */
const bodyOf = (operationId: string) =>
  exampleOf(operations.find((operation) => operation.id === operationId)!.body) as never

let service: Awaited<ReturnType<typeof startService>>
let client: Bursar

beforeAll(async () => {
  service = await startService((seen) => {
    const { response } = served(seen)
    if (response === null) return { status: 303, headers: { location: '/invoices/1' } }
    return { body: JSON.stringify(exampleOf(response)) }
  })
  client = new Bursar({ url: service.url, merchantId, privateKey })
})
beforeEach(() => service.seen.splice(0))
afterAll(() => service.stop())

const amount = '12.5'
const estimate = { ticker: 'USDT', spendTicker: 'ETH', amount, side: 'spend' as const }

/** One call of every operation, with the query that it must send. */
const calls: Record<string, { call: () => Promise<unknown>; query?: string }> = {
  listBalances: { call: () => client.balances.list(['UAH', 'USDT', 'BTC']), query: 'tickers=UAH%2CUSDT%2CBTC' },
  listEntries: { call: () => client.balances.entries.page({ ticker: 'BTC' }), query: 'ticker=BTC' },
  createAddress: { call: () => client.addresses.create(bodyOf('createAddress')) },
  createRotatingAddress: { call: () => client.rotatingAddresses.create(bodyOf('createRotatingAddress')) },
  getDeposit: { call: () => client.deposits.get(id) },
  getDepositCompliance: { call: () => client.deposits.compliance(id) },
  listDeposits: {
    call: () => client.deposits.page({ ids: [id, id], timeFrom: new Date(5), limit: 2, after: undefined }),
    query: `ids=${id}%2C${id}&timeFrom=5&limit=2`,
  },
  createCryptoWithdrawal: { call: () => client.withdrawals.crypto.create(bodyOf('createCryptoWithdrawal')) },
  getCryptoWithdrawalFee: {
    call: () => client.withdrawals.crypto.fee({ ticker: 'USDT', amount, blockchain: 'TRON', address: undefined }),
    query: 'ticker=USDT&amount=12.5&blockchain=TRON',
  },
  getCryptoWithdrawal: { call: () => client.withdrawals.crypto.get(id) },
  getCryptoWithdrawalCompliance: { call: () => client.withdrawals.crypto.compliance(id) },
  listCryptoWithdrawals: {
    call: () => client.withdrawals.crypto.page({ status: 'Failed', timeTo: new Date(7), after: 'abc' }),
    query: 'status=Failed&after=abc&timeTo=7',
  },
  findWithdrawals: {
    call: async () => [await client.withdrawals.find("order 10/42 \u{1F600}'")],
    query: 'localId=order%2010%2F42%20%F0%9F%98%80%27',
  },
  listCryptoAssets: { call: () => client.assets.crypto() },
  listFiatAssets: { call: () => client.assets.fiat() },
  getFiatWithdrawalFee: {
    call: () => client.withdrawals.fiat.fee({ ticker: 'UAH', amount }),
    query: 'ticker=UAH&amount=12.5',
  },
  createFiatWithdrawal: { call: () => client.withdrawals.fiat.create(bodyOf('createFiatWithdrawal')) },
  createFiatBatchWithdrawal: { call: () => client.withdrawals.fiat.batch.create(bodyOf('createFiatBatchWithdrawal')) },
  getFiatBatchWithdrawal: { call: () => client.withdrawals.fiat.batch.get(id) },
  listCardPayouts: { call: () => client.withdrawals.fiat.page({ localId: 'a b' }), query: 'localId=a%20b' },
  createCryptoInvoice: { call: () => client.invoices.crypto.create(bodyOf('createCryptoInvoice')) },
  createCryptoInvoiceByForm: { call: () => client.invoices.crypto.submitForm({ name: 'Tip & thanks', value: '1' }) },
  getCryptoInvoice: { call: () => client.invoices.crypto.get(id) },
  closeCryptoInvoice: { call: () => client.invoices.crypto.close(id) },
  listCryptoInvoices: { call: () => client.invoices.crypto.page({ email: 'a@b.c' }), query: 'email=a%40b.c' },
  createFiatInvoice: { call: () => client.invoices.fiat.create(bodyOf('createFiatInvoice')) },
  createFiatInvoiceByForm: { call: () => client.invoices.fiat.submitForm({ name: 'Tip & thanks', meta: undefined }) },
  getFiatInvoice: { call: () => client.invoices.fiat.get(id) },
  listFiatInvoices: { call: () => client.invoices.fiat.page({ status: 'DONE' }), query: 'status=DONE' },
  createPaymentLink: { call: () => client.paymentLinks.create(bodyOf('createPaymentLink')) },
  getPaymentLink: { call: () => client.paymentLinks.get(id) },
  disablePaymentLink: { call: () => client.paymentLinks.disable(id) },
  listPaymentLinks: {
    call: () => client.paymentLinks.page({ method: 'CARD', localId: 'a b' }),
    query: 'method=CARD&localId=a%20b',
  },
  listExchangeDirections: { call: () => client.exchange.directions() },
  estimateExchange: {
    call: () => client.exchange.estimate({ targetTicker: 'USDT', spendTicker: 'UAH', amount, side: 'target' }),
    query: 'targetTicker=USDT&spendTicker=UAH&amount=12.5&side=target',
  },
  createExchange: { call: () => client.exchange.create(bodyOf('createExchange')) },
  estimateCryptoExchangeWithdrawal: {
    call: () => client.exchange.withdrawals.crypto.estimate({ ...estimate, blockchain: 'TRON' }),
    query: 'ticker=USDT&spendTicker=ETH&amount=12.5&side=spend&blockchain=TRON',
  },
  createCryptoExchangeWithdrawal: {
    call: () => client.exchange.withdrawals.crypto.create(bodyOf('createCryptoExchangeWithdrawal')),
  },
  estimateFiatExchangeWithdrawal: {
    call: () => client.exchange.withdrawals.fiat.estimate(estimate),
    query: 'ticker=USDT&spendTicker=ETH&amount=12.5&side=spend',
  },
  createFiatExchangeWithdrawal: {
    call: () => client.exchange.withdrawals.fiat.create(bodyOf('createFiatExchangeWithdrawal')),
  },
  listExchanges: { call: () => client.exchange.page({ spendTicker: 'UAH' }), query: 'spendTicker=UAH' },
  listEvents: { call: () => client.events.list({ after: 41, limit: 10 }), query: 'after=41&limit=10' },
}

const ajv = new Ajv({ strict: true })
const faults = (schema: object, value: unknown) => (ajv.validate(schema, value) ? [] : ajv.errors)

const bodySeen = ({ body, signed }: Operation, text: string): unknown => {
  if (body === null) return text
  return signed ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
}

const bodyExpected = ({ id: operationId, body, signed }: Operation): unknown => {
  if (body === null) return ''
  return signed ? bodyOf(operationId) : expect.objectContaining({ merchantId, name: 'Tip & thanks' })
}

test('the client has a method for every operation', () => {
  expect(Object.keys(calls).toSorted()).toEqual(operations.map((operation) => operation.id).toSorted())
})

test.each(operations)('$id arrives signed, as the contract has it, and its answer comes back', async (operation) => {
  const { call, query } = calls[operation.id]!
  const answer = await call()

  const [seen, ...more] = service.seen
  expect(more).toEqual([])
  expect(served(seen!).id).toBe(operation.id)
  expect(seen!.target.split('?')[1]).toBe(query)
  if (operation.query !== null) {
    expect(faults(operation.query, Object.fromEntries(new URLSearchParams(query)))).toEqual([])
  }
  expect(seen!.headers['content-type'] ?? null).toBe(operation.contentType)
  expect(bodySeen(operation, seen!.body)).toEqual(bodyExpected(operation))
  if (operation.body !== null) expect(faults(operation.body, bodySeen(operation, seen!.body))).toEqual([])
  const expected = operation.response === null ? { url: `${service.url}/invoices/1` } : exampleOf(operation.response)
  expect(answer).toEqual(expected)
})

import { Ajv } from 'ajv'
import { sql } from 'kysely'
import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { cryptoExchangeWithdrawNotice, estimateCryptoExchangeWithdrawal } from '@bursar/contract'
import { useDb } from '../../../../test/world/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut } from '../../ledger/effects/index.ts'
import { createQuoteStore, readExchangePolicy } from '../exchanges/index.ts'
import { catalogue, giveBalance, marketsAt, PRICES, stock } from '../../../../test/world/exchange.ts'
import { answerOf } from '../../../../test/world/requests.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import type { ApiRequest } from '../../platform/api/route.ts'
import { createStopsReader } from '../../ledger/stops/index.ts'
import { giveUp } from '../../pay-out/withdrawals/commands.ts'
import { exchangeWithdrawalRoutes } from './index.ts'
import { createOrderPolicy } from '../../pay-out/requests/index.ts'

const { db } = useDb()
const NOW = 1_800_000_000_000
const E18 = 10n ** 18n
const OUTSIDE = '0x1111111111111111111111111111111111111111'
const INSIDE = '0x2222222222222222222222222222222222222222'
const ajv = new Ajv()
let merchant: string
beforeEach(async () => {
  await emptyTables(db)
  merchant = newId()
  await stock(db, 'USDT', 10_000n * E18)
  await giveBalance(db, merchant, 'ETH', 2n * E18)
})

const runtime = () => ({ db, clock: { now: () => NOW, business: () => NOW }, newId, log: pino({ level: 'silent' }) })
/** A withdrawal of a token costs 65,000 gas at 20 gwei: 0.0013 ETH, 3.25 USDT. */
const routes = () =>
  exchangeWithdrawalRoutes({
    trading: {
      runtime: runtime(),
      quoteStore: createQuoteStore(runtime()),
      policy: readExchangePolicy(catalogue, { spreadBps: 0, feeBps: 100 }),
      usdtMarkets: async () => marketsAt(PRICES, NOW),
      stops: createStopsReader(db, () => NOW),
    },
    placing: {
      holders: { holderOf: async (_network, address) => (address === INSIDE ? 'merchant' : 'none') },
      rules: { catalogue, bitcoinChain: 'regtest' },
    },
    terms: async () => ({
      paymentGas: new Map(),
      feeRates: new Map([
        ['ETHEREUM', { kind: 'gas' as const, legacy: false, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1n }],
      ]),
      prices: new Map([
        ['ETH', 2_500n * E18],
        ['USDT', E18],
      ]),
      stops: [],
      days: { signer: new Map(), percents: new Map() },
    }),
    orderPolicy: createOrderPolicy(runtime()),
  })
const ask = (
  operation: string,
  request: { query?: Record<string, string>; body?: unknown; answerKeys?: ApiRequest['answerKeys'] },
) => answerOf(routes(), operation, merchant, request)
const balance = async (asset: string, column = 'posted') => {
  const { rows } = await sql<{
    units: bigint
  }>`select coalesce(sum(${sql.ref(column)}), 0) as units from ledger_accounts where merchant_id = ${merchant} and asset = ${asset} and kind = 'merchant'`.execute(
    db,
  )
  return rows[0]!.units
}
const notices = async () =>
  (await sql<{ body: string }>`select body from events order by sequence`.execute(db)).rows.map(
    ({ body }) => JSON.parse(body) as Record<string, unknown>,
  )
const isValid = (body: unknown) => expect(ajv.compile(cryptoExchangeWithdrawNotice.schema)(body)).toBe(true)

const asked = { ticker: 'USDT', spendTicker: 'ETH', amount: '1', side: 'spend', blockchain: 'ETHEREUM' }
const order = { ...asked, fee: '3.25', exchangeFee: '0.009901', price: '2400', to: OUTSIDE }

describe('an estimate', () => {
  test('includes the exchange fee in the spent amount, and the withdrawal fee in the withdrawn amount', async () => {
    const { status, body } = await ask('estimateCryptoExchangeWithdrawal', { query: asked })
    expect(status).toBe(200)
    expect(ajv.compile(estimateCryptoExchangeWithdrawal.response)(body)).toBe(true)
    expect(body).toMatchObject({
      spend: { ticker: 'ETH', amount: '1' },
      exchange: { ticker: 'ETH' },
      price: { value: '2497.5', pair: ['ETH', 'USDT'] },
    })
    const { withdraw, exchange } = body as unknown as Record<'withdraw' | 'exchange', { amount: string; fee: string }>
    expect(withdraw.fee).toBe('3.25')
    // 1 / 1.01 of an ether at 2497.5, as ETHEREUM's six decimals of USDT carry it
    expect(withdraw.amount).toMatch(/^2472\.77\d{1,4}$/)
    expect(Number(exchange.amount) + Number(exchange.fee)).toBe(1)
  })

  test('of a withdrawn amount keeps it exactly; a transfer within the platform has no withdrawal fee', async () => {
    const { body } = await ask('estimateCryptoExchangeWithdrawal', {
      query: { ...asked, side: 'withdraw', amount: '100.5', to: INSIDE },
    })
    expect(body).toMatchObject({ withdraw: { ticker: 'USDT', amount: '100.5', fee: '0' } })
  })

  test.each([
    [{ ...asked, side: 'withdraw', amount: '0.0000001' }, 0, /finer than the step of USDT: 0\.000001/],
    [{ ...asked, side: 'withdraw', amount: '3' }, 0, /withdrawal fee alone is 3\.25 USDT/],
    [{ ...asked, spendTicker: 'USDT' }, 1, /not allowed/],
    [{ ...asked, blockchain: 'BITCOIN' }, 0, /USDT is not on BITCOIN/],
    [{ ...asked, amount: '10' }, 2, /not that much USDT/],
    [{ ...asked, to: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }, 0, /Destination refused/],
  ])('of %j is refused with code %i', async (query, code, description) => {
    const { body } = await ask('estimateCryptoExchangeWithdrawal', { query })
    expect(body.code).toBe(code)
    expect(body.description).toMatch(description)
  })
})

describe('an order', () => {
  test('exchanges, holds the bought amount, and notifies Exchanged in full', async () => {
    const {
      status,
      body: { id },
    } = await ask('createCryptoExchangeWithdrawal', { body: { ...order, localId: 'p1', meta: 'm' } })
    expect(status).toBe(200)
    expect(await balance('ETH')).toBe(E18)
    expect(await balance('USDT')).toBe(await balance('USDT', 'held'))
    const [notice, ...more] = await notices()
    expect(more).toEqual([])
    isValid(notice)
    expect(notice).toMatchObject({
      id,
      kind: 'CryptoExchangeWithdraw',
      status: 'Exchanged',
      ticker: 'USDT',
      fee: '3.25',
      spendTicker: 'ETH',
      spendAmount: '1',
      exchanged: true,
      address: '0x1111111111111111111111111111111111111111',
      to: '0x1111111111111111111111111111111111111111',
      blockchain: 'ETHEREUM',
      internal: false,
      localId: 'p1',
      meta: 'm',
      pricePair: ['ETH', 'USDT'],
    })
    const { rows } = await sql<{
      id: string
      units: bigint
      fee: bigint
      state: string
    }>`select id, units, fee_units as fee, state from withdrawals`.execute(db)
    expect(rows).toMatchObject([{ id, state: 'requested', fee: 3_250_000n * 10n ** 12n }])
    expect(rows[0]!.units + rows[0]!.fee).toBe(await balance('USDT'))
    expect((await ask('createCryptoExchangeWithdrawal', { body: { ...order, localId: 'p1' } })).body).toMatchObject({
      code: 0,
      description: expect.stringContaining(id!) as string,
    })
    expect(await balance('ETH')).toBe(E18)
    expect(await inTransaction(db, (tx) => auditLedger(tx))).toEqual([])
  })

  test('the same request gets the same answer and is made once', async () => {
    const answerKeys = [{ key: 'sig:1', fingerprint: 'f' }]
    const first = await ask('createCryptoExchangeWithdrawal', { body: order, answerKeys })
    expect(await ask('createCryptoExchangeWithdrawal', { body: order, answerKeys })).toEqual(first)
    expect(await balance('ETH')).toBe(E18)
  })

  test.each([
    [{ ...order, amount: '3', exchangeFee: '0.03' }, 1, /Not enough balance: 2 ETH/],
    [{ ...order, fee: '3.2' }, 2, /current fee is 3\.25 USDT/],
    [{ ...order, exchangeFee: '0.005' }, 2, /current fee is 0\.0099/],
    [{ ...order, price: '2500' }, 3, /the price is 2497\.5 USDT for 1 ETH now/],
    [{ ...order, spendTicker: 'DOGE' }, 4, /not allowed/],
    [{ ...order, fee: '3.2500001' }, 3, /more decimals than the 6/],
    [{ ...order, fee: '9999' }, 5, /of 2472\.\d+ USDT the fee takes 9999/],
    [{ ...order, to: 'nowhere' }, 8, /Destination refused/],
  ])('%j is refused with code %i, and nothing is exchanged', async (body, code, description) => {
    const { body: answer } = await ask('createCryptoExchangeWithdrawal', { body })
    expect(answer.code).toBe(code)
    expect(answer.description).toMatch(description)
    expect([await balance('ETH'), await balance('USDT')]).toEqual([2n * E18, 0n])
    expect(await notices()).toEqual([])
  })

  test('X4 whose withdrawal fails leaves the bought amount on the balance, and notifies that', async () => {
    const {
      body: { id },
    } = await ask('createCryptoExchangeWithdrawal', { body: { ...order, localId: 'p1' } })
    const moment = { at: new Date(NOW), newId }
    await inTransaction(db, async (tx) =>
      carryOut(tx, (await giveUp(tx, { merchantId: merchant, id: id! }, { catalogue }, moment))!, moment),
    )
    expect(await balance('USDT', 'held')).toBe(0n)
    expect(await balance('USDT')).toBeGreaterThan(2_400n * E18)
    const [, failed, ...more] = await notices()
    expect(more).toEqual([])
    isValid(failed)
    expect(failed).toMatchObject({
      id,
      status: 'Failed',
      exchanged: true,
      failedReason: 'ERRROR_CODE_GENERIC',
      localId: 'p1',
    })
  })
})

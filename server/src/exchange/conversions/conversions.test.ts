import { Ajv } from 'ajv'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { cryptoExchangeWithdrawNotice, exchangeNotice } from '@bursar/contract'
import { useDb } from '../../../../test/world/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { poison } from '../../../../test/setup/poison.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Deposit } from '../../pay-in/deposits/index.ts'
import { readExchangePolicy } from '../exchanges/index.ts'
import { catalogue, giveBalance, marketsAt, PRICES, stock } from '../../../../test/world/exchange.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { balanceOf, spendableOf } from '../../../../test/world/ledger.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { notificationsOf } from '../../../../test/world/observed.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import type { UsdtMarkets } from '../../market/rates/index.ts'
import { createStopsReader } from '../../ledger/stops/index.ts'
import {
  createConversionJob,
  createDepositExpecting,
  createTargetKeeper,
  expectFiat,
  type ConversionDeps,
} from './index.ts'

const { db } = useDb()
const E18 = 10n ** 18n
const OUTSIDE = '0x1111111111111111111111111111111111111111'
const ajv = new Ajv()
const rules = { catalogue, bitcoinChain: 'regtest' as const }
let merchant: string
let now: number
let usdtMarkets: UsdtMarkets
let killed: boolean
/** what the signer lets go of USDT */
let largest: { payment: null; hour: bigint; day: bigint } | null
beforeEach(async () => {
  await emptyTables(db)
  ;[merchant, now, killed, largest] = [newId(), 1_800_000_000_000, false, null]
  usdtMarkets = marketsAt(PRICES, now)
  await stock(db, 'USDT', 100_000n * E18)
})

class Killed extends Error {}
const deps = (): ConversionDeps => {
  const runtime = createTestRuntime(db, () => now)
  return {
    trading: {
      runtime: { ...runtime, newId },
      policy: readExchangePolicy(catalogue, { spreadBps: 0, feeBps: 100, assets: { ETH: { max: '2' } } }),
      usdtMarkets: async () => usdtMarkets,
      stops: createStopsReader(db, runtime.clock.now),
    },
    placing: { holders: { holderOf: async () => 'nobody' as const }, rules },
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
      days: { signer: new Map(largest === null ? [] : [['ETHEREUM/USDT', largest]]), percents: new Map() },
    }),
    pause: async () => {
      if (killed) throw new Killed()
    },
  }
}
const run = () => runUntilIdle([createConversionJob(deps(), 1)])

const invoices = new Map<string, string>()
let standard: string | null = null
const expecting = createDepositExpecting({
  invoicesAt: async () => invoices,
  isAsked: async () => false,
  defaultTicker: async () => standard,
})
const received = async (
  asset: string,
  units: bigint,
  addressId: string,
  fee = 0n,
  stored: (id: string) => Promise<unknown> = async () => {},
): Promise<string> => {
  const id = newId()
  await stored(id)
  await giveBalance(db, merchant, asset, units - fee)
  const deposit = { merchantId: merchant, id, addressId, asset, units, fee } as Deposit
  await inTransaction(db, (tx) => expecting(tx, [{ deposit, again: false }], { at: new Date(now), newId }))
  return id
}
const balance = (asset: string) => balanceOf(db, { merchantId: merchant, asset })
const spendable = (asset: string) => spendableOf(db, { merchantId: merchant, asset })
const notices = async () => (await notificationsOf(db, merchant)).map(({ body }) => body)
const states = async () =>
  (
    await sql<{
      state: string
      reason: string | null
    }>`select state, failed_reason as reason from conversions order by created_at`.execute(db)
  ).rows
const target = async (
  body: { ticker: string; address?: string; blockchain?: string },
  kind: 'address' | 'crypto-invoice' | 'fiat-invoice' = 'address',
) => {
  const id = newId()
  await createTargetKeeper(db, rules)({ merchantId: merchant, kind, id }, body)
  return id
}

test('audit C-18: a target tells its address as its merchant wrote it', async () => {
  const written = '0xabcdefabcdefabcdefabcdefabcdefabcdefabcd'
  await received('ETH', E18, await target({ ticker: 'USDT', address: written, blockchain: 'ETHEREUM' }))
  await run()
  expect(await notices()).toMatchObject([
    { kind: 'CryptoExchangeWithdraw', status: 'Exchanged', address: written, to: written },
  ])
})

describe('credited money', () => {
  test('becomes its target, and says what caused it', async () => {
    const id = await received('ETH', E18, await target({ ticker: 'USDT' }))
    await run()
    expect(await balance('ETH')).toBe(0n)
    expect(await balance('USDT')).toBeGreaterThan(2_470n * E18)
    const [notice, ...more] = await notices()
    expect(more).toEqual([])
    expect(ajv.compile(exchangeNotice.schema)(notice)).toBe(true)
    expect(notice).toMatchObject({
      kind: 'Exchange',
      status: 'Done',
      localId: id,
      spendTicker: 'ETH',
      spendAmount: '1',
    })
    expect(await inTransaction(db, (tx) => auditLedger(tx))).toEqual([])
    await run()
    expect(await notices()).toHaveLength(1)
  })

  test('that a defect keeps from being converted keeps no other waiting', async () => {
    const first = await received('ETH', E18, await target({ ticker: 'USDT' }))
    const { rows } = await sql<{ id: string }>`select id from conversions where cause_id = ${first}`.execute(db)
    now += 1
    await received('ETH', E18, await target({ ticker: 'USDT' }))
    const cure = await poison(db, 'conversions', rows[0]!.id)
    await expect(run()).rejects.toThrow('poisoned')
    expect((await states()).map(({ state }) => state)).toEqual(['waiting', 'done'])
    await cure()
    await run()
    expect((await states()).map(({ state }) => state)).toEqual(['done', 'done'])
  })

  test('is sent on where the target says so, of an invoice by its id', async () => {
    const invoice = await target({ ticker: 'USDT', address: OUTSIDE, blockchain: 'ETHEREUM' }, 'crypto-invoice')
    const address = newId()
    invoices.set(address, invoice)
    await received('ETH', E18, address)
    await run()
    const [notice] = await notices()
    expect(ajv.compile(cryptoExchangeWithdrawNotice.schema)(notice)).toBe(true)
    expect(notice).toMatchObject({
      kind: 'CryptoExchangeWithdraw',
      status: 'Exchanged',
      causedBy: 'crypto-invoice',
      localId: invoice,
      address: OUTSIDE,
    })
    expect(await spendable('USDT')).toBe(0n)
  })

  test('audit C-16: that arrives as what is wanted is sent on, and notified as an exchange with withdrawal at a price of 1', async () => {
    const invoice = await target({ ticker: 'USDT', address: OUTSIDE, blockchain: 'ETHEREUM' }, 'crypto-invoice')
    const address = newId()
    invoices.set(address, invoice)
    await received('USDT', 100n * E18, address)
    await received('USDT', 100n * E18, address)
    await run()
    const [notice, second, ...more] = await notices()
    expect(more).toEqual([])
    expect(ajv.compile(cryptoExchangeWithdrawNotice.schema)(notice)).toBe(true)
    expect(notice).toMatchObject({
      kind: 'CryptoExchangeWithdraw',
      status: 'Exchanged',
      causedBy: 'crypto-invoice',
      localId: invoice,
      ticker: 'USDT',
      spendTicker: 'USDT',
      price: '1',
      pricePair: ['USDT', 'USDT'],
      exchangeFee: '0',
      exchanged: true,
      address: OUTSIDE,
      blockchain: 'ETHEREUM',
    })
    const { spendAmount, amount } = notice as Record<string, string>
    expect([spendAmount, second]).toMatchObject([amount, { spendAmount: amount }])
    expect(await spendable('USDT')).toBe(0n)
    // Two payments of one invoice, of the same amount, are two payments to the signer.
    const { rows } = await sql<{
      intents: number
    }>`select count(distinct intent_id) as intents from withdrawals`.execute(db)
    expect(Number(rows[0]!.intents)).toBe(2)
  })

  test.each(['as it is', 'exchanged'])(
    'audit M-A5: is the same payment to the signer when a restored copy reads its deposit again: sent on %s',
    async (how) => {
      const address = await target({ ticker: 'USDT', address: OUTSIDE, blockchain: 'ETHEREUM' })
      const ticker = how === 'exchanged' ? 'ETH' : 'USDT'
      const read = async (transaction: string, index: string): Promise<void> => {
        const id = await received(ticker, how === 'exchanged' ? E18 : 100n * E18, address, 0n, (id) =>
          // Raw: the deposit is forgotten and read again under another id.
          sql`insert into deposits(merchant_id, id, network, asset, transaction, index, address, address_id, senders, units, fee_units, state, told, block_height, block_hash, keys, created_at, updated_at)
          values (${merchant}, ${id}, 'ETHEREUM', ${ticker}, ${transaction}, ${index}, '0x1', ${address}, '{}', 1, 0, 'credited', 'Done', 1, 'b', '{}', now(), now())`.execute(
            db,
          ),
        )
        await run()
        await sql`delete from deposits where id = ${id}`.execute(db)
      }
      for (const [transaction, index] of [
        ['a', 'l:1'],
        ['a', 'l:1'],
        ['a', 'l:2'],
        ['b', 'l:1'],
      ] as const)
        await read(transaction, index)
      const { rows } = await sql<{
        intent: string
      }>`select intent_id as intent from withdrawals order by created_at, id`.execute(db)
      const intents = rows.map(({ intent }) => intent)
      expect(intents).toHaveLength(4)
      expect(intents[1]).toBe(intents[0])
      expect(new Set(intents).size).toBe(3)
    },
  )

  test('of a fiat invoice likewise, less our fee', async () => {
    const invoice = await target({ ticker: 'USDT' }, 'fiat-invoice')
    await giveBalance(db, merchant, 'UAH', 990_00n)
    await inTransaction(db, (tx) =>
      expectFiat(
        tx,
        { merchantId: merchant, id: newId(), invoiceId: invoice, ticker: 'UAH', units: 990_00n },
        async () => null,
        { at: new Date(now), newId },
      ),
    )
    await run()
    expect(await balance('UAH')).toBe(0n)
    expect((await notices())[0]).toMatchObject({
      kind: 'Exchange',
      status: 'Done',
      localId: invoice,
      spendAmount: '990',
    })
  })

  test('in the asset that is wanted is sent as it is', async () => {
    await received('USDT', 100n * E18, await target({ ticker: 'USDT', address: OUTSIDE, blockchain: 'ETHEREUM' }))
    await run()
    const { rows } = await sql<{ units: bigint; fee: bigint }>`select units, fee_units as fee from withdrawals`.execute(
      db,
    )
    expect(rows[0]!.units + rows[0]!.fee).toBe(100n * E18)
    expect(await notices()).toMatchObject([{ kind: 'CryptoExchangeWithdraw', status: 'Exchanged' }])
  })

  test.each([
    ['USDT', 100n * E18],
    ['ETH', E18],
  ])(
    'audit S-11: %s of which more would be sent on than ever leaves at once stays on the balance',
    async (asset, units) => {
      largest = { payment: null, hour: 100n * E18, day: 1_000n * E18 }
      await received(asset, units, await target({ ticker: 'USDT', address: OUTSIDE, blockchain: 'ETHEREUM' }))
      await run()
      expect(await states()).toEqual([{ state: 'failed', reason: 'AMOUNT_TOO_HIGH' }])
      expect([await balance(asset), await spendable(asset)]).toEqual([units, units])
      expect(await notices()).toMatchObject([
        { kind: 'CryptoExchangeWithdraw', status: 'Failed', failedReason: 'AMOUNT_TOO_HIGH' },
      ])
    },
  )

  test('without a target becomes what the merchant set for all', async () => {
    standard = 'USDT'
    await received('ETH', E18, newId())
    await received('USDT', E18, newId())
    standard = null
    await received('ETH', E18, newId())
    await run()
    expect(await balance('ETH')).toBe(E18)
    expect(await states()).toEqual([{ state: 'done', reason: null }])
  })

  test('beyond the most of one exchange is converted in steps, and what is too little for another stays', async () => {
    await received('ETH', 5n * E18 + 5n * 10n ** 14n, await target({ ticker: 'USDT' }))
    await run()
    expect((await notices()).map(({ spendAmount }) => spendAmount)).toEqual(['2', '2', '1.0005'])
    expect(await balance('ETH')).toBe(0n)
  })

  test('in steps is converted exactly, however many are at it', async () => {
    await received('ETH', 9n * E18, await target({ ticker: 'USDT' }))
    await giveBalance(db, merchant, 'ETH', 20n * E18)
    await Promise.all([run(), run(), run(), run()])
    // A worker that meets another's step leaves it to the next run.
    await run()
    expect(await balance('ETH')).toBe(20n * E18)
    expect(await states()).toEqual([{ state: 'done', reason: null }])
  })

  test('that another worker is converting is left to it: the job rests instead of looking again at once', async () => {
    await received('ETH', E18, await target({ ticker: 'USDT' }))
    await inTransaction(db, async (tx) => {
      await sql`select from conversions for update`.execute(tx)
      expect(await createConversionJob(deps(), 1).run(new AbortController().signal)).toBe(false)
    })
    await run()
    expect(await states()).toEqual([{ state: 'done', reason: null }])
  })

  test('that is credited again after a reorganisation is not converted again', async () => {
    const address = await target({ ticker: 'USDT' })
    const id = await received('ETH', E18, address)
    const deposit = { merchantId: merchant, id, addressId: address, asset: 'ETH', units: E18, fee: 0n } as Deposit
    await run()
    await inTransaction(db, (tx) => expecting(tx, [{ deposit, again: true }], { at: new Date(now), newId }))
    await run()
    expect(await notices()).toHaveLength(1)
  })

  test('X4 a worker that dies at the step converts once when it comes back; many at once convert once', async () => {
    await received('ETH', E18, await target({ ticker: 'USDT', address: OUTSIDE, blockchain: 'ETHEREUM' }))
    killed = true
    await expect(run()).rejects.toThrow(Killed)
    expect(await balance('ETH')).toBe(E18)
    killed = false
    await Promise.all([run(), run(), run(), run()])
    expect((await notices()).map(({ status }) => status)).toEqual(['Exchanged'])
    expect(await balance('ETH')).toBe(0n)
  })
})

describe("what can't be converted stays on the balance and is notified", () => {
  test('at once when it never will be: too little', async () => {
    const id = await received('ETH', 10n ** 14n, await target({ ticker: 'USDT' }))
    await run()
    const [notice, ...more] = await notices()
    expect(more).toEqual([])
    expect(ajv.compile(exchangeNotice.schema)(notice)).toBe(true)
    expect(notice).toMatchObject({
      kind: 'Exchange',
      status: 'Failed',
      failedReason: 'AMOUNT_TOO_LOW',
      localId: id,
      spendAmount: '0.0001',
    })
    expect(await balance('ETH')).toBe(10n ** 14n)
  })

  test('because its withdrawal would be refused: then nothing is exchanged either', async () => {
    await received('ETH', 12n * 10n ** 14n, await target({ ticker: 'USDT', address: OUTSIDE, blockchain: 'ETHEREUM' }))
    await run()
    const [notice] = await notices()
    expect(ajv.compile(cryptoExchangeWithdrawNotice.schema)(notice)).toBe(true)
    expect(notice).toMatchObject({
      kind: 'CryptoExchangeWithdraw',
      status: 'Failed',
      exchanged: false,
      causedBy: 'crypto-replenishment',
      address: OUTSIDE,
    })
    expect([await balance('ETH'), await balance('USDT')]).toEqual([12n * 10n ** 14n, 0n])
  })

  test('because the merchant has spent it', async () => {
    await received('ETH', E18, await target({ ticker: 'USDT' }))
    await giveBalance(db, merchant, 'ETH', -E18)
    await run()
    expect((await notices())[0]).toMatchObject({ status: 'Failed', failedReason: 'NOT_ENOUGH_BALANCE' })
  })

  test('while the exchange is closed it waits, for an hour', async () => {
    await received('ETH', E18, await target({ ticker: 'USDT' }))
    usdtMarkets = { open: new Map(), closed: new Map([['ETH', 'it jumped']]) }
    await run()
    expect(await states()).toEqual([{ state: 'waiting', reason: null }])
    now += 20_000
    usdtMarkets = marketsAt(PRICES, now)
    await run()
    expect(await states()).toEqual([{ state: 'done', reason: null }])

    await received('ETH', E18, await target({ ticker: 'USDT' }))
    usdtMarkets = { open: new Map(), closed: new Map() }
    await run()
    now += 3_600_001
    await run()
    expect((await states()).map(({ state }) => state)).toContain('failed')
    expect((await notices()).at(-1)).toMatchObject({ status: 'Failed', failedReason: 'NOT_ENOUGH_LIQUIDITY' })
    expect(await balance('ETH')).toBe(E18)
  })
})

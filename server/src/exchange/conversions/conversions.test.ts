import { Ajv } from 'ajv'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { cryptoExchangeWithdrawNotice, exchangeNotice } from '@bursar/contract'
import { poison } from '../../../../test/setup/poison.ts'
import { giveBalance } from '../../../../test/world/exchange.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import type { Deposit } from '../../pay-in/deposits/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { createConversionJob, expectFiat } from './index.ts'
import { E18, Killed, OUTSIDE, useConversions } from './test-conversions.ts'

const { db, world, deps, invoices, expecting, run, received, balance, spendable, notices, states, target } =
  useConversions()
const ajv = new Ajv()

test('audit C-18: a target shows its address as its merchant wrote it', async () => {
  const written = '0xabcdefabcdefabcdefabcdefabcdefabcdefabcd'
  await received('ETH', E18, await target({ ticker: 'USDT', address: written, blockchain: 'ETHEREUM' }))
  await run()
  expect(await notices()).toMatchObject([
    { kind: 'CryptoExchangeWithdraw', status: 'Exchanged', address: written, to: written },
  ])
})

describe('credited money', () => {
  test('becomes its target, and the notification names its cause', async () => {
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
    world.now += 1
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

  test('audit C-16: that arrives in its target is sent on, and notified as an exchange with withdrawal at a price of 1', async () => {
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
          values (${world.merchant}, ${id}, 'ETHEREUM', ${ticker}, ${transaction}, ${index}, '0x1', ${address}, '{}', 1, 0, 'credited', 'Done', 1, 'b', '{}', now(), now())`.execute(
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
    await giveBalance(db, world.merchant, 'UAH', 990_00n)
    await inTransaction(db, (tx) =>
      expectFiat(
        tx,
        { merchantId: world.merchant, id: newId(), invoiceId: invoice, ticker: 'UAH', units: 990_00n },
        async () => null,
        { at: new Date(world.now), newId },
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
      world.largest = { payment: null, hour: 100n * E18, day: 1_000n * E18 }
      await received(asset, units, await target({ ticker: 'USDT', address: OUTSIDE, blockchain: 'ETHEREUM' }))
      await run()
      expect(await states()).toEqual([{ state: 'failed', reason: 'AMOUNT_TOO_HIGH' }])
      expect([await balance(asset), await spendable(asset)]).toEqual([units, units])
      expect(await notices()).toMatchObject([
        { kind: 'CryptoExchangeWithdraw', status: 'Failed', failedReason: 'AMOUNT_TOO_HIGH' },
      ])
    },
  )

  test("without a target becomes the merchant's default target", async () => {
    world.standard = 'USDT'
    await received('ETH', E18, newId())
    await received('USDT', E18, newId())
    world.standard = null
    await received('ETH', E18, newId())
    await run()
    expect(await balance('ETH')).toBe(E18)
    expect(await states()).toEqual([{ state: 'done', reason: null }])
  })

  test('above the limit of one exchange is converted in steps, and a rest too small for another stays', async () => {
    await received('ETH', 5n * E18 + 5n * 10n ** 14n, await target({ ticker: 'USDT' }))
    await run()
    expect((await notices()).map(({ spendAmount }) => spendAmount)).toEqual(['2', '2', '1.0005'])
    expect(await balance('ETH')).toBe(0n)
  })

  test('in steps is converted exactly, however many are at it', async () => {
    await received('ETH', 9n * E18, await target({ ticker: 'USDT' }))
    await giveBalance(db, world.merchant, 'ETH', 20n * E18)
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
    const deposit = { merchantId: world.merchant, id, addressId: address, asset: 'ETH', units: E18, fee: 0n } as Deposit
    await run()
    await inTransaction(db, (tx) => expecting(tx, [{ deposit, again: true }], { at: new Date(world.now), newId }))
    await run()
    expect(await notices()).toHaveLength(1)
  })

  test('X4 a worker that dies at the step converts once when it comes back; many at once convert once', async () => {
    await received('ETH', E18, await target({ ticker: 'USDT', address: OUTSIDE, blockchain: 'ETHEREUM' }))
    world.killed = true
    await expect(run()).rejects.toThrow(Killed)
    expect(await balance('ETH')).toBe(E18)
    world.killed = false
    await Promise.all([run(), run(), run(), run()])
    expect((await notices()).map(({ status }) => status)).toEqual(['Exchanged'])
    expect(await balance('ETH')).toBe(0n)
  })
})

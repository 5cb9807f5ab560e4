/**
 * How far exchanges may take the position of an asset, what that has earned, and what orders on a venue may spend of
 * it.
 */
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDb } from '../../../../test/world/database.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import {
  auditPositions,
  endReservation,
  exposuresOf,
  fundPosition,
  moveInventory,
  profitOf,
  reserveInventory,
  setPositionLimits,
} from './index.ts'
import { createExchangeWorld, giveBalance, stock, type ExchangeWorld } from '../../../../test/world/exchange.ts'

const { db } = useDb({ max: 20 })
let world: ExchangeWorld
let merchant: string

const E18 = 10n ** 18n
const BTC = 10n ** 8n
const settings = { spreadBps: 50, feeBps: 50, assets: { BTC: { long: '0.5', short: '0.2' } } }
beforeEach(async () => {
  await emptyTables(db)
  world = createExchangeWorld(db, settings)
  merchant = newId()
  await stock(db, 'BTC', BTC)
  await stock(db, 'USDT', 1_000_000n * E18)
  await giveBalance(db, merchant, 'USDT', 1_000_000n * E18)
  await giveBalance(db, merchant, 'BTC', 2n * BTC)
})

const create = (spendTicker: string, targetTicker: string, amount: string, side = 'target') =>
  world.ask('createExchange', merchant, {
    body: { spendTicker, targetTicker, amount, side, price: targetTicker === 'USDT' ? '1' : '1000000' },
  })
const estimate = (spendTicker: string, targetTicker: string, amount: string, side = 'target') =>
  world.ask('estimateExchange', merchant, { query: { spendTicker, targetTicker, amount, side } })
const of = async (asset: string) => (await exposuresOf(db)).find((one) => one.asset === asset)!
const directions = async () => {
  const { body } = await world.ask('listExchangeDirections', merchant, {})
  return (body as unknown as { target: { ticker: string }; exchange: { ticker: string } }[]).map(
    ({ exchange, target }) => `${exchange.ticker}>${target.ticker}`,
  )
}

describe('a limit', () => {
  test('is sold up to, to the unit, and closes the direction; the other way stays open', async () => {
    expect((await create('USDT', 'BTC', '0.15')).status).toBe(200)
    expect((await estimate('USDT', 'BTC', '0.06')).body).toMatchObject({
      code: 2,
      description: 'Not enough liquidity: no more BTC is sold now',
    })
    expect((await create('USDT', 'BTC', '0.05000001')).body).toMatchObject({ code: 6 })
    expect((await create('USDT', 'BTC', '0.05')).status).toBe(200)
    expect((await of('BTC')).exposure).toBe(-20_000_000n)
    expect((await create('USDT', 'BTC', '0.001')).body.code).toBe(6)
    expect(await directions()).not.toContain('USDT>BTC')
    expect(await directions()).toContain('BTC>USDT')
    expect((await create('BTC', 'USDT', '0.6', 'spend')).status).toBe(200)
    expect(await directions()).toContain('USDT>BTC')
  })

  test("of a bought asset holds too, and the owner's money moves it", async () => {
    expect((await create('BTC', 'USDT', '0.5', 'spend')).status).toBe(200)
    expect((await create('BTC', 'USDT', '0.01', 'spend')).body).toMatchObject({
      code: 6,
      description: 'Not enough liquidity: no more BTC is bought now',
    })
    expect((await estimate('BTC', 'USDT', '0.01', 'spend')).body.code).toBe(2)
    await inTransaction(db, (tx) => fundPosition(tx, 'BTC', -BTC / 2n, { at: new Date(), newId }))
    expect((await of('BTC')).exposure).toBe(49_751_243n)
    expect((await create('BTC', 'USDT', '0.01', 'spend')).body.code).toBe(6)
  })

  test('set by an operator wins over the settings, holds where the position already is beyond it, and is lifted again', async () => {
    await create('USDT', 'BTC', '0.1')
    await inTransaction(db, (tx) => setPositionLimits(tx, 'BTC', { long: null, short: 5_000_000n }))
    expect((await create('USDT', 'BTC', '0.001')).body.code).toBe(6)
    expect((await create('BTC', 'USDT', '0.01', 'spend')).status).toBe(200)
    await inTransaction(db, (tx) => setPositionLimits(tx, 'BTC', { long: null, short: null }))
    expect((await create('USDT', 'BTC', '0.05')).status).toBe(200)
  })

  test('50 at once for the last of it: exactly that much is sold', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create('USDT', 'BTC', '0.013')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(15)
    expect((await of('BTC')).exposure).toBe(-19_500_000n)
    expect(await auditPositions(db)).toEqual([])
  })

  test('audit F 8: an order that its merchant can not pay for does not let another one exceed the limit', async () => {
    const [buyer, seller] = [newId(), newId()]
    await giveBalance(db, buyer, 'USDT', 1_000_000n * E18)
    await giveBalance(db, seller, 'BTC', 2n * BTC)
    const selling = (amount: string) => ({
      spendTicker: 'BTC',
      targetTicker: 'USDT',
      amount,
      side: 'spend',
      price: '1',
    })
    const buying = (amount: string) => ({
      spendTicker: 'USDT',
      targetTicker: 'BTC',
      amount,
      side: 'target',
      price: '1000000',
    })
    const together = async (merchantId: string, ...orders: object[]) =>
      (await Promise.all(orders.map((body) => world.ask('createExchange', merchantId, { body })))).map(
        ({ body: { code } }) => code,
      )
    expect(await together(buyer, selling('0.5'), buying('0.6'))).toEqual([1, 6])
    expect(await together(seller, buying('0.2'), selling('0.65'))).toEqual([1, 6])
    expect((await of('BTC')).exposure).toBe(0n)
    expect(await auditPositions(db)).toEqual([])
  })

  test('audit F 8: holds for all chunks together after a hedge has come in, and after orders without enough money', async () => {
    const [seller, poor] = [newId(), newId()]
    await giveBalance(db, seller, 'BTC', 10n * BTC)
    await create('USDT', 'BTC', '0.2')
    await inTransaction(db, (tx) => moveInventory(tx, [{ asset: 'BTC', units: 20_000_000n, bounds: null }]))
    for (const amount of ['0.05', '0.08', '0.05', '0.08', '0.05', '0.08']) {
      expect(
        (
          await world.ask('createExchange', poor, {
            body: { spendTicker: 'USDT', targetTicker: 'BTC', amount, side: 'target', price: '1000000' },
          })
        ).body.code,
      ).toBe(1)
    }
    for (let n = 0; n < 40; n += 1)
      await world.ask('createExchange', seller, {
        body: { spendTicker: 'BTC', targetTicker: 'USDT', amount: '0.0201', side: 'spend', price: '1' },
      })
    expect((await of('BTC')).exposure).toBe(50_000_000n)
  })
})

describe('a reservation', () => {
  test('is not for sale, belongs to the position, and ends as a spent part and a part for sale again', async () => {
    expect(await inTransaction(db, (tx) => reserveInventory(tx, 'BTC', BTC + 1n))).toBe(false)
    expect(await inTransaction(db, (tx) => reserveInventory(tx, 'BTC', 90_000_007n))).toBe(true)
    expect((await estimate('USDT', 'BTC', '0.1')).body.code).toBe(2)
    expect(await of('BTC')).toMatchObject({ units: 9_999_993n, reserved: 90_000_007n, exposure: 0n })
    expect(await auditPositions(db)).toEqual([])
    await inTransaction(db, (tx) => endReservation(tx, 'BTC', { spent: 0n, released: 90_000_007n, beyond: 0n }))
    expect(await of('BTC')).toMatchObject({ units: BTC, reserved: 0n })
    await expect(
      inTransaction(db, (tx) => endReservation(tx, 'BTC', { spent: 1n, released: 0n, beyond: 0n })),
    ).rejects.toThrow('more BTC')
  })
})

describe('profit', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
  const trades = fc.array(
    fc.record({ way: fc.constantFrom<'bought' | 'sold'>('bought', 'sold'), units: amount, value: amount }),
    { maxLength: 12 },
  )
  const flowsOf = (list: readonly { way: 'bought' | 'sold'; units: bigint; value: bigint }[]) => {
    const flows = { boughtUnits: 0n, boughtValue: 0n, soldUnits: 0n, soldValue: 0n }
    for (const { way, units, value } of list) {
      flows[`${way}Units`] += units
      flows[`${way}Value`] += value
    }
    return flows
  }

  test('both parts add up to sales less purchases plus the value of the rest, in any order of trades', () => {
    fc.assert(
      fc.property(trades, amount, (list, price) => {
        const flows = flowsOf(list)
        const rest = flows.boughtUnits - flows.soldUnits
        const worth = (units: bigint) => units * price
        const { realised, unrealised } = profitOf(flows, worth)
        expect(realised + unrealised!).toBe(flows.soldValue - flows.boughtValue + rest * price)
        expect(profitOf(flowsOf(list.toReversed()), worth)).toEqual({ realised, unrealised })
      }),
    )
  })

  test('realises nothing before both sides have traded, and says when the rest has no price', () => {
    expect(profitOf({ boughtUnits: 5n, boughtValue: 100n, soldUnits: 0n, soldValue: 0n }, () => 90n)).toEqual({
      realised: 0n,
      unrealised: -10n,
    })
    expect(profitOf({ boughtUnits: 3n, boughtValue: 100n, soldUnits: 1n, soldValue: 40n }, () => undefined)).toEqual({
      realised: 40n - 34n,
      unrealised: null,
    })
  })
})

test('in any history of exchanges and funding the position is the sum of fills, and the ledger adds up to zero', async () => {
  const act = fc.oneof(
    fc.record({
      kind: fc.constant('exchange' as const),
      pair: fc.constantFrom(
        ['USDT', 'BTC'],
        ['BTC', 'USDT'],
        ['BTC', 'ETH'],
        ['ETH', 'BTC'],
        ['UAH', 'BTC'],
        ['USDT', 'ETH'],
      ),
      cents: fc.integer({ min: 1, max: 40_000 }),
    }),
    fc.record({ kind: fc.constant('fund' as const), units: fc.integer({ min: -30_000_000, max: 30_000_000 }) }),
    fc.record({
      kind: fc.constant('reserve' as const),
      units: fc.integer({ min: 1, max: 90_000_000 }),
      spentOf: fc.integer({ min: 0, max: 100 }),
    }),
  )
  await giveBalance(db, merchant, 'ETH', 100n * E18)
  await giveBalance(db, merchant, 'UAH', 10_000_000_00n)
  await stock(db, 'ETH', 50n * E18)
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (acts) => {
      for (const one of acts) {
        if (one.kind === 'exchange') {
          const [spend, target] = one.pair as [string, string]
          const amount = { BTC: one.cents / 1e6, ETH: one.cents / 1e4, USDT: one.cents / 10, UAH: one.cents }[spend]!
          await world.ask('createExchange', merchant, {
            body: {
              spendTicker: spend,
              targetTicker: target,
              amount: amount.toFixed(spend === 'BTC' ? 6 : 2),
              side: 'spend',
              price: '1',
            },
          })
        } else if (one.kind === 'fund') {
          if (one.units !== 0)
            await inTransaction(db, (tx) =>
              fundPosition(tx, 'BTC', BigInt(one.units), { at: new Date(), newId }),
            ).catch((error: unknown) => expect(error).toBeInstanceOf(RangeError))
        } else if (await inTransaction(db, (tx) => reserveInventory(tx, 'BTC', BigInt(one.units)))) {
          await inTransaction(db, (tx) =>
            endReservation(tx, 'BTC', { spent: 0n, released: BigInt(one.units), beyond: 0n }),
          )
        }
      }
      expect(await auditPositions(db)).toEqual([])
      for (const { asset, exposure, boughtUnits, soldUnits } of await exposuresOf(db))
        expect([asset, exposure]).toEqual([asset, boughtUnits - soldUnits])
      const { rows } = await sql<{ asset: string; units: bigint }>`select asset, sum(units) as units from (
      select spend_ticker as asset, exchange_units as units from exchanges union all select target_ticker, -target_units from exchanges) t group by asset`.execute(
        db,
      )
      const fills = new Map(rows.map(({ asset, units }) => [asset, units]))
      for (const { asset, exposure } of await exposuresOf(db))
        expect([asset, exposure]).toEqual([asset, fills.get(asset) ?? 0n])
      expect(await inTransaction(db, (tx) => auditLedger(tx))).toEqual([])
    }),
    { endOnFailure: true, numRuns: cases(15) },
  )
})

test('the margin is the amount that merchants gave above the amount that they got, at the middle price', async () => {
  await create('USDT', 'BTC', '0.1')
  const {
    rows: [row],
  } = await sql<{ paid: bigint }>`select exchange_units as paid from exchanges`.execute(db)
  expect((await of('BTC')).margin).toBe(row!.paid - 6_500n * E18)
  expect(await of('BTC')).toMatchObject({ soldUnits: 10_000_000n, soldValue: 6_500n * E18, boughtUnits: 0n })
  expect(await of('USDT')).toMatchObject({ boughtUnits: row!.paid, boughtValue: row!.paid, margin: 0n })
})

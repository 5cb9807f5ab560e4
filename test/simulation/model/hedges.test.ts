import { expect, test } from 'vitest'
import type { Simulation } from '../simulation.ts'
import type { SimulatedVenue, VenueOrder, VenueTrade } from '../venue/index.ts'
import { judgeHedgeOrders, judgeVenueBooks } from './hedges.ts'
import { stubSimulation } from './stub.ts'

const E18 = 10n ** 18n
const ID = '0199a000-0000-7000-8000-0000000000b1'

type Placed = Parameters<typeof judgeHedgeOrders>[0][number]

const placed = (more: Partial<Placed> = {}): Placed => ({
  id: ID,
  base: 'BTC',
  quote: 'USDT',
  side: 'buy',
  amount: 2n * E18,
  price: 60_000n * E18,
  executed: 2n * E18,
  state: 'filled',
  ...more,
})

const taken = (more: Partial<VenueOrder> = {}): VenueOrder => ({
  symbol: 'BTCUSDT',
  clientOrderId: ID.replaceAll('-', ''),
  side: 'BUY',
  price: '60000.00000000',
  origQty: '2.00000000',
  executedQty: '2.00000000',
  status: 'FILLED',
  ...more,
})

test.each([
  ['is filled on both sides', placed(), [taken()]],
  [
    'is partly filled on both sides',
    placed({ state: 'partly-filled', executed: E18 }),
    [taken({ executedQty: '1.00000000', status: 'EXPIRED' })],
  ],
  ['traded nothing', placed({ state: 'cancelled', executed: 0n }), [taken({ executedQty: '0.00000000' })]],
  ['never arrived', placed({ state: 'lapsed', executed: 0n }), []],
])('an order that %s is as it should be', (_, order, atVenue) => {
  expect(judgeHedgeOrders([order], atVenue)).toEqual([])
})

test.each([
  ['is at the venue twice', placed(), [taken(), taken({ executedQty: '0.00000000' })], /2 times/],
  ['has not ended', placed({ state: 'sending', executed: 0n }), [taken({ executedQty: '0' })], /at rest/],
  ['lapsed, and was taken', placed({ state: 'lapsed', executed: 0n }), [taken()], /is lapsed, and the venue has 1/],
  ['is filled, and was never taken', placed(), [], /is filled, and the venue has 0/],
  ['traded more than is booked', placed({ state: 'partly-filled', executed: E18 }), [taken()], /the venue traded/],
  ['was changed', placed(), [taken({ price: '61000.00000000' })], /at the venue, and .* in the books/],
  ['sold in place of buying', placed(), [taken({ side: 'SELL' })], /at the venue, and .* in the books/],
])('an order that %s is a problem', (_, order, atVenue, problem) => {
  expect(judgeHedgeOrders([order], atVenue)).toContainEqual(expect.stringMatching(problem))
})

test('an order of the venue that the program does not know is a problem', () => {
  expect(judgeHedgeOrders([], [taken()])).toHaveLength(1)
})

/** Buys 2 BTC for 120,000 USDT; the fee is 0.002 BTC. The owner moved 200,000 USDT and no BTC. */
const BOUGHT: VenueTrade = {
  symbol: 'BTCUSDT',
  qty: '2.00000000',
  quoteQty: '120000.00000000',
  commission: '0.00200000',
  commissionAsset: 'BTC',
  isBuyer: true,
}
const BTC = 10n ** 8n

const books = (balances: Record<string, string>): Pick<Simulation, 'books' | 'catalogue' | 'venue'> => {
  const simulation = stubSimulation({})
  const usdt = 10n ** BigInt(simulation.catalogue.find('USDT')!.scale)
  simulation.books.movedToVenue.push({ ticker: 'USDT', units: 200_000n * usdt })
  return { ...simulation, venue: { trades: () => [BOUGHT], balances: () => balances } as unknown as SimulatedVenue }
}

/** @param more BTC of the books beyond what the venue traded */
const shown = (simulation: Pick<Simulation, 'catalogue'>, more: { bought?: bigint; held?: bigint; fee?: bigint }) => {
  const usdt = 10n ** BigInt(simulation.catalogue.find('USDT')!.scale)
  const [fee, bought] = [BTC / 500n + (more.fee ?? 0n), 2n * BTC + (more.bought ?? 0n)]
  return {
    flows: [
      { asset: 'BTC', boughtUnits: bought, soldUnits: 0n },
      { asset: 'USDT', boughtUnits: 0n, soldUnits: 120_000n * usdt },
    ],
    held: new Map([
      ['BTC', -(2n * BTC - BTC / 500n + (more.held ?? 0n))],
      ['USDT', -80_000n * usdt],
    ]),
    costs: new Map([['BTC', -fee]]),
  }
}

const HELD = { BTC: '1.99800000', USDT: '80000.00000000' }

test('books that follow from the trades, and are what the venue holds, are as they should be', () => {
  const simulation = books(HELD)
  expect(judgeVenueBooks(simulation, shown(simulation, {}))).toEqual([])
})

test.each([
  ['another amount bought', HELD, { bought: 1n }, /bought/],
  ['another fee', HELD, { fee: 1n }, /fees/],
  ['another amount held', HELD, { held: 1n }, /should have/],
  ['less at the venue', { ...HELD, BTC: '1.99799999' }, {}, /it holds 199799999/],
  ['more at the venue', { ...HELD, BTC: '1.99800001' }, {}, /it holds 199800001/],
])('%s is a problem', (_, held, more, problem) => {
  const simulation = books(held)
  expect(judgeVenueBooks(simulation, shown(simulation, more))).toContainEqual(expect.stringMatching(problem))
})

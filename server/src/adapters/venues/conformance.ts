/** Conformance tests for every venue's adapter, against the emulator of its venue. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VenueUnreachable, type Found, type Venue, type VenueOrder } from './port.ts'

export interface VenueWorld {
  venue: Venue
  /** the same account with an adapter that has a short timeout */
  openImpatient(): Venue
  /** sets a fault for the next order in the emulator, like `POST /venue/next` */
  next(fault: {
    fill?: number
    delayMs?: number
    lateMs?: number
    answer?: string
    reject?: string
    end?: string
  }): void
  /** hides an order, as a venue does when it ended without a trade long ago */
  archive(clientId: string): void
  /** orders of a client id that the emulator has */
  ordersOf(clientId: string): number
  stop(): Promise<void>
}

const E18 = 10n ** 18n
const BTC = { base: 'BTC', quote: 'USDT' }

/** @param price per BTC at which a buy order fills, in whole USDT */
export const describeVenue = (name: string, price: bigint, makeWorld: () => Promise<VenueWorld>): void => {
  describe(name, () => {
    let world: VenueWorld
    beforeAll(async () => {
      world = await makeWorld()
    })
    afterAll(() => world?.stop())
    const order = (more: Partial<VenueOrder> = {}): VenueOrder => ({
      clientId: randomBytes(16).toString('hex'),
      market: BTC,
      side: 'buy',
      amount: E18 / 50n,
      price: price * E18,
      placedAt: Date.now(),
      validMs: 60_000,
      ...more,
    })
    const known = async (of: VenueOrder): Promise<Extract<Found, { kind: 'known' }>> => {
      const found = await world.venue.find(of)
      if (found.kind !== 'known') throw new Error('it is not there')
      return found
    }
    const balance = async (asset: string) => (await world.venue.balances()).find((one) => one.asset === asset)!.total

    test('names its markets with their steps, exactly', async () => {
      const markets = await world.venue.markets()
      const btc = markets.find(({ base, quote }) => base === 'BTC' && quote === 'USDT')!
      expect(btc).toMatchObject({ amountStep: E18 / 100_000n, priceStep: E18 / 100n })
      expect(btc.leastNotional > 0n).toBe(true)
    })

    test.each(['buy', 'sell'] as const)('%ss: fills, fee and balances agree to the last digit', async (side) => {
      const before = { BTC: await balance('BTC'), USDT: await balance('USDT') }
      const mine = order({ side, price: side === 'buy' ? price * E18 : 1_000n * E18 })
      expect(await world.venue.place(mine)).toEqual({ kind: 'taken' })
      const { open, executed, fills } = await known(mine)
      expect([open, executed]).toEqual([false, E18 / 50n])
      const [amount, cost] = [
        fills.reduce((sum, fill) => sum + fill.amount, 0n),
        fills.reduce((sum, fill) => sum + fill.cost, 0n),
      ]
      expect(amount).toBe(executed)
      const paid = (asset: string): bigint =>
        fills.reduce((sum, { fee }) => sum + (fee?.asset === asset ? fee.amount : 0n), 0n)
      expect(paid(side === 'buy' ? 'BTC' : 'USDT') > 0n).toBe(true)
      const sign = side === 'buy' ? 1n : -1n
      expect((await balance('BTC')) - before.BTC).toBe(sign * amount - paid('BTC'))
      expect((await balance('USDT')) - before.USDT).toBe(-sign * cost - paid('USDT'))
      for (const fill of fills) expect(Math.abs(fill.at - Date.now())).toBeLessThan(60_000)
    })

    test('an order fills to its limit and not beyond, and the rest is gone', async () => {
      const mine = order({ price: 1_000n * E18 })
      await world.venue.place(mine)
      expect(await known(mine)).toMatchObject({ open: false, executed: 0n, fills: [] })
    })

    test('a part that fills is a part', async () => {
      world.next({ fill: 40 })
      const mine = order()
      await world.venue.place(mine)
      expect(await known(mine)).toMatchObject({ open: false, executed: (E18 / 50n / 10n) * 4n })
    })

    test('an order that rests is open until it trades, or is cancelled', async () => {
      world.next({ delayMs: 1_000 })
      const mine = order()
      await world.venue.place(mine)
      expect((await known(mine)).open).toBe(true)
      await sleep(1_100)
      expect(await known(mine)).toMatchObject({ open: false, executed: E18 / 50n })
      world.next({ delayMs: 60_000 })
      const resting = order()
      await world.venue.place(resting)
      await world.venue.cancel(resting)
      expect(await known(resting)).toMatchObject({ open: false, executed: 0n })
      await world.venue.cancel(resting)
      await world.venue.cancel(order())
    })

    test.each(['match', 'price-range'])(
      'audit D-B9: an order that ends otherwise than by its time (%s) has ended, with the fills before that',
      async (end) => {
        world.next({ fill: 40, end })
        const mine = order()
        await world.venue.place(mine)
        const found = await known(mine)
        expect(found).toMatchObject({ open: false, executed: (E18 / 50n / 10n) * 4n })
        expect(found.fills.reduce((sum, fill) => sum + fill.amount, 0n)).toBe(found.executed)
      },
    )

    test('audit D-B9: an order whose status is a word that is not known may still trade', async () => {
      world.next({ fill: 40, end: 'new-word' })
      const mine = order()
      await world.venue.place(mine)
      expect(await known(mine)).toMatchObject({ open: true, executed: (E18 / 50n / 10n) * 4n })
    })

    test('audit D-B9: an order that is shown no more, as it ended long ago without a trade, has ended', async () => {
      world.next({ fill: 0 })
      const mine = order()
      await world.venue.place(mine)
      world.archive(mine.clientId)
      expect(await known(mine)).toEqual({ kind: 'known', open: false, executed: 0n, fills: [] })
    })

    test.each(['filter', 'balance', 'position', 'suspended', 'symbol', 'closed', 'liquidity'])(
      'a refusal (%s) is proven, and leaves no order',
      async (reject) => {
        world.next({ reject })
        const mine = order()
        expect(await world.venue.place(mine)).toMatchObject({ kind: 'refused' })
        expect((await world.venue.find(mine)).kind).toBe('absent')
      },
    )

    test('a key that is refused after it was good leaves no order, whether or not that counts as proven', async () => {
      world.next({ reject: 'key' })
      const mine = order()
      await world.venue.place(mine).then(
        ({ kind }) => expect(kind).toBe('refused'),
        (error: unknown) => expect(error).toBeInstanceOf(VenueUnreachable),
      )
      expect((await world.venue.find(mine)).kind).toBe('absent')
    })

    test.each(['cut', 'held', 'error', 'garbage', 'bus', 'backend'])(
      'an answer that says nothing (%s) is not a refusal: the order is there, once',
      async (answer) => {
        const impatient = answer === 'held' ? world.openImpatient() : undefined
        const venue = impatient ?? world.venue
        // The process of an adapter may start more slowly than a short timeout allows.
        await expect.poll(() => venue.balances().catch(() => undefined)).toBeDefined()
        world.next({ answer })
        const mine = order()
        await expect(venue.place(mine)).rejects.toThrow(VenueUnreachable)
        await impatient?.close()
        await expect.poll(() => world.ordersOf(mine.clientId)).toBe(1)
        expect(await known(mine)).toMatchObject({ open: false, executed: E18 / 50n })
        expect(world.ordersOf(mine.clientId)).toBe(1)
      },
    )

    test('a duplicate is not called refused: there is an order under this id', async () => {
      world.next({ delayMs: 600_000 })
      const mine = order()
      expect(await world.venue.place(mine)).toEqual({ kind: 'taken' })
      await expect(world.venue.place(mine)).rejects.toThrow(VenueUnreachable)
      expect(await known(mine)).toMatchObject({ open: true, executed: 0n })
      expect(world.ordersOf(mine.clientId)).toBe(1)
      await world.venue.cancel(mine)
    })

    test("an order dated after the venue's own time is refused, and is absent", async () => {
      const early = order({ placedAt: Date.now() + 600_000 })
      expect(await world.venue.place(early)).toMatchObject({ kind: 'refused' })
      expect((await world.venue.find(early)).kind).toBe('absent')
    })

    test('a venue that can not answer may have accepted the order: only a query shows it', async () => {
      world.next({ answer: 'unavailable' })
      const mine = order()
      await expect(world.venue.place(mine)).rejects.toThrow(VenueUnreachable)
      expect((await world.venue.find(mine)).kind).toBe('absent')
    })

    test('an order that arrives after its window is refused by the venue, so that an absent order stays absent', async () => {
      const late = order({ placedAt: Date.now() - 6_000, validMs: 5_000 })
      expect(await world.venue.place(late)).toMatchObject({ kind: 'refused' })
      world.next({ lateMs: 1_500 })
      const cut = order({ validMs: 1_000 })
      await expect(world.venue.place(cut)).rejects.toThrow(VenueUnreachable)
      await sleep(2_000)
      const found = await world.venue.find(cut)
      expect(found.kind === 'absent' && found.venueTime > cut.placedAt + cut.validMs).toBe(true)
    })

    test('an order that is asked for and has not arrived yet is absent before its window has passed', async () => {
      world.next({ lateMs: 1_000 })
      const mine = order()
      await expect(world.venue.place(mine)).rejects.toThrow(VenueUnreachable)
      const found = await world.venue.find(mine)
      expect(found.kind === 'absent' && found.venueTime < mine.placedAt + mine.validMs).toBe(true)
      await sleep(1_200)
      expect((await world.venue.find(mine)).kind).toBe('known')
    })
  })
}

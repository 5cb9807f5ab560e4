import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { AcquirerRefusal, type CardTicker } from '../port.ts'
import { ordinary, paid, paymentOrder, settled } from './orders.ts'
import { anyFailure, whatIsThrown } from './secrecy.ts'
import type { AcquirerTraits, WorldOf } from './world.ts'

const MASK = /^[\d*]{6}\*{6}[\d*]{4}$/

export const describePayments = (world: WorldOf, ticker: CardTicker): void => {
  describe(`payments in ${ticker}`, () => {
    test('a page, a card, a state', async () => {
      const { acquirer, pay, cards } = world()
      const order = paymentOrder(world(), ticker)
      const page = await acquirer.createPayment(order)
      expect(new URL(page.url).protocol).toMatch(/^https?:$/)
      expect(Object.values(page.fields).every((value) => typeof value === 'string')).toBe(true)
      expect(['waiting', 'unknown']).toContain((await acquirer.paymentState(order.reference)).kind)
      await pay(page, cards.good)
      const state = await settled(() => acquirer.paymentState(order.reference))
      expect(state).toMatchObject({
        kind: 'succeeded',
        ticker,
        units: order.units,
        acquirerReference: expect.stringMatching(/./),
      })
      if (state.kind !== 'succeeded') return
      expect(state.maskedCard).toMatch(MASK)
      expect(state.maskedCard?.slice(-2)).toBe(cards.good.slice(-2))
      if (state.feeUnits !== undefined) expect(state.feeUnits >= 0n && state.feeUnits < order.units).toBe(true)
    })

    test('amounts are exact at both limits and between', async () => {
      const { acquirer } = world()
      const { least, most } = acquirer.capabilities.payIn[ticker]!
      for (const units of [least, least + 1n, ordinary(acquirer, 'payIn', ticker), most - 1n, most]) {
        const { reference } = await paid(world, ticker, 'good', { units })
        expect(await settled(() => acquirer.paymentState(reference))).toMatchObject({ kind: 'succeeded', units })
      }
    })

    test('3-D Secure, and each language of the page', async () => {
      const { acquirer } = world()
      for (const language of ['uk', 'kk', 'ru', 'en'] as const) {
        const { reference, units } = await paid(world, ticker, 'secure', {
          language,
          email: language === 'kk' ? undefined : 'a@b.example',
        })
        expect(await settled(() => acquirer.paymentState(reference))).toMatchObject({ kind: 'succeeded', units })
      }
    })

    test('a card that is refused', async () => {
      const { reference } = await paid(world, ticker, 'refused')
      const state = await settled(() => world().acquirer.paymentState(reference))
      expect(state).toMatchObject({ kind: 'refused', code: expect.stringMatching(/./), message: expect.any(String) })
    })

    test("audit D-B1: another card after a refused one, on the same page, is seen as paid by the payment's first number too", async ({
      skip,
    }) => {
      const { acquirer, pay, cards } = world()
      if (acquirer.capabilities.takesOtherCards !== true) return skip()
      const order = paymentOrder(world(), ticker)
      const page = await acquirer.createPayment(order)
      await pay(page, cards.refused, cards.good)
      for (const number of [undefined, page.acquirerReference])
        expect(await settled(() => acquirer.paymentState(order.reference, number))).toMatchObject({
          kind: 'succeeded',
          units: order.units,
        })
    })

    test('a payment that the acquirer does not end is waiting', async () => {
      await world().next({ outcome: 'stuck' })
      const { reference } = await paid(world, ticker)
      expect(await settled(() => world().acquirer.paymentState(reference), ['waiting'])).toMatchObject({
        kind: 'waiting',
      })
    })

    test('a payment that is taken back later is reversed', async () => {
      await world().next({ outcome: 'reversed' })
      const { reference, units } = await paid(world, ticker)
      const before = await settled(() => world().acquirer.paymentState(reference))
      const number = 'acquirerReference' in before ? before.acquirerReference : undefined
      const state = await settled(() => world().acquirer.paymentState(reference, number), ['reversed'])
      expect(state).toMatchObject({ kind: 'reversed', ticker, units })
    })

    test('the paid amount is reported, even if another one was requested', async () => {
      await world().next({ outcome: 'wrong-amount' })
      const { reference, units } = await paid(world, ticker)
      const state = await settled(() => world().acquirer.paymentState(reference))
      expect(state).toMatchObject({ kind: 'succeeded', units: expect.any(BigInt) })
      expect(state.kind === 'succeeded' && state.units).not.toBe(units)
    })

    test('a second order of the same reference is not paid a second time', async () => {
      const { acquirer, pay, cards } = world()
      const order = await paid(world, ticker)
      await settled(() => acquirer.paymentState(order.reference))
      const again = await acquirer.createPayment(order).catch((error: unknown) => error)
      if (again instanceof Error) expect(again).toBeInstanceOf(AcquirerRefusal)
      else await pay(again as never, cards.good).catch(() => {})
      expect(await acquirer.paymentState(order.reference)).toMatchObject({ kind: 'succeeded', units: order.units })
    })
  })
}

export const describeOrdering = (world: WorldOf, { payIn }: AcquirerTraits): void => {
  describe('making a payment', () => {
    const [ticker] = payIn

    test('an amount above the limits of the acquirer is refused', async () => {
      const { acquirer } = world()
      const { most } = acquirer.capabilities.payIn[ticker!]!
      const asked = acquirer.createPayment(paymentOrder(world(), ticker!, { units: most * 10n }))
      await expect(asked).rejects.toBeInstanceOf(AcquirerRefusal)
    })

    test.each(['cut', 'held', 'error', 'garbage', 'empty', 'half', 'unavailable'] as const)(
      'an answer that is %s',
      async (answer) => {
        await world().next({ answer })
        await anyFailure(world(), () => world().acquirer.createPayment(paymentOrder(world(), ticker!)), { sent: true })
      },
    )

    test('an acquirer that is not there', async () => {
      const order = paymentOrder(world(), ticker!)
      await anyFailure(world(), () => world().unreachable.createPayment(order), { sent: false })
    })
  })
}

export const describeAsking = (world: WorldOf): void => {
  describe('asking', () => {
    test('a reference the acquirer does not know is unknown', async () => {
      expect(await world().acquirer.paymentState(randomUUID())).toMatchObject({ kind: 'unknown' })
      expect(await world().acquirer.payoutState(randomUUID())).toMatchObject({ kind: 'unknown' })
    })

    test('an acquirer that is not there', async () => {
      const { unreachable } = world()
      expect(await whatIsThrown(world(), () => unreachable.paymentState(randomUUID()))).toMatchObject({ sent: false })
      expect(await whatIsThrown(world(), () => unreachable.payoutState(randomUUID()))).toMatchObject({ sent: false })
    })
  })
}

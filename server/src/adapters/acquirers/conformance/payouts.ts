import { describe, expect, test } from 'vitest'
import { AcquirerUnreachable, type AcquirerState, type CardTicker, type PayoutOrder } from '../port.ts'
import { ordinary, payoutOrder, settled } from './orders.ts'
import { anyFailure, expectNothingSecret } from './secrecy.ts'
import type { WorldOf } from './world.ts'

/** @param unproven true when the adapter can't treat a refusal by the acquirer's limits as proof */
export const describePayouts = (world: WorldOf, ticker: CardTicker, unproven: boolean): void => {
  describe(`payouts in ${ticker}`, () => {
    const end = (order: PayoutOrder, kinds?: AcquirerState['kind'][]) =>
      settled(() => world().acquirer.payoutState(order.reference), kinds)

    test('reaches the card', async () => {
      const order = payoutOrder(world(), ticker)
      expect(['succeeded', 'waiting']).toContain((await world().acquirer.payOut(order)).kind)
      const state = await end(order)
      expect(state).toMatchObject({
        kind: 'succeeded',
        ticker,
        units: order.units,
        acquirerReference: expect.stringMatching(/./),
      })
      expectNothingSecret(world(), state)
      expect(await world().sentToCard(order.reference)).toEqual([order.units])
    })

    test('amounts are exact at both limits and between', async () => {
      const { acquirer } = world()
      const { least, most } = acquirer.capabilities.payout[ticker]!
      for (const units of [least, least + 1n, ordinary(acquirer, 'payout', ticker), most - 1n, most]) {
        const order = payoutOrder(world(), ticker, { units })
        await acquirer.payOut(order)
        expect(await end(order)).toMatchObject({ kind: 'succeeded', units })
        expect(await world().sentToCard(order.reference)).toEqual([units])
      }
    })

    test('a card that is refused gets nothing', async () => {
      const order = payoutOrder(world(), ticker, { card: world().cards.payoutRefused })
      const answer = await world().acquirer.payOut(order)
      expect(['refused', 'waiting']).toContain(answer.kind)
      const state = await end(order)
      expect(state).toMatchObject({ kind: 'refused', code: expect.stringMatching(/./) })
      expect(state.kind === 'refused' && state.elsewhere).not.toBe(true)
      for (const one of [answer, state]) expectNothingSecret(world(), one)
      expect(await world().sentToCard(order.reference)).toEqual([])
    })

    test(`more than the account's limit is ${unproven ? 'not known to be refused' : 'refused'}, and gets nothing`, async () => {
      const { acquirer } = world()
      const order = payoutOrder(world(), ticker, { units: acquirer.capabilities.payout[ticker]!.most * 10n })
      const answer = await acquirer.payOut(order)
      expect(answer).toMatchObject({ kind: unproven ? 'unknown' : 'refused' })
      expectNothingSecret(world(), answer)
      expect(await world().sentToCard(order.reference)).toEqual([])
    })

    test('a payout that the acquirer does not end is waiting', async () => {
      await world().next({ outcome: 'stuck' })
      const order = payoutOrder(world(), ticker)
      expect(await world().acquirer.payOut(order)).toMatchObject({ kind: 'waiting' })
      expect(await end(order, ['waiting'])).toMatchObject({ kind: 'waiting' })
    })

    test('a payout that comes back later is reversed', async () => {
      await world().next({ outcome: 'reversed' })
      const order = payoutOrder(world(), ticker)
      await world().acquirer.payOut(order)
      expect(await end(order, ['reversed'])).toMatchObject({ kind: 'reversed', ticker, units: order.units })
    })
  })
}

/** Tests that a payout which may have been sent is never reported as refused. */
export const describeUnknownPayouts = (
  world: WorldOf,
  ticker: CardTicker,
  ambiguousCodes: readonly string[] = [],
): void => {
  describe('payouts of which nothing is heard', () => {
    if (ambiguousCodes.length > 0)
      test.each(ambiguousCodes)(
        'audit D-B4: error %s after the money left is unknown, and no reason to send it elsewhere',
        async (answerCode) => {
          await world().next({ answerCode })
          const order = payoutOrder(world(), ticker)
          await expectUnknown(world, order)
          expect(await settled(() => world().acquirer.payoutState(order.reference))).toMatchObject({
            kind: 'succeeded',
            units: order.units,
          })
          expect(await world().sentToCard(order.reference)).toEqual([order.units])
        },
      )

    test.each(['cut', 'held', 'error', 'garbage', 'empty', 'half'] as const)(
      'an answer that is %s after the money left',
      async (answer) => {
        await world().next({ answer })
        const order = payoutOrder(world(), ticker)
        await expectUnknown(world, order)
        const state = await settled(() => world().acquirer.payoutState(order.reference))
        expect(state).toMatchObject({ kind: 'succeeded', units: order.units })
        expect(await world().sentToCard(order.reference)).toEqual([order.units])
      },
    )

    test('an acquirer that says it can not now', async () => {
      await world().next({ answer: 'unavailable' })
      const order = payoutOrder(world(), ticker)
      await expectUnknown(world, order)
      expect(await world().acquirer.payoutState(order.reference)).toMatchObject({ kind: 'unknown' })
      expect(await world().sentToCard(order.reference)).toEqual([])
    })

    test('an acquirer that is not there: nothing was sent', async () => {
      const order = payoutOrder(world(), ticker)
      await anyFailure(world(), () => world().unreachable.payOut(order), { sent: false })
    })

    test('an order that comes a second time is neither sent again nor called refused', async () => {
      const order = payoutOrder(world(), ticker)
      await world().acquirer.payOut(order)
      await settled(() => world().acquirer.payoutState(order.reference))
      for (const again of [order, { ...order, units: order.units - 1n }]) {
        expect(['succeeded', 'waiting', 'unknown']).toContain((await world().acquirer.payOut(again)).kind)
        expect(await world().sentToCard(order.reference)).toEqual([order.units])
      }
    })
  })
}

const expectUnknown = async (world: WorldOf, order: PayoutOrder): Promise<void> => {
  const answer = await world()
    .acquirer.payOut(order)
    .catch((error: unknown) => error)
  expectNothingSecret(world(), answer)
  if (answer instanceof Error) {
    expect(answer).toBeInstanceOf(AcquirerUnreachable)
    expect(answer).toMatchObject({ sent: true })
  } else {
    expect(answer).toMatchObject({ kind: 'unknown' })
  }
}

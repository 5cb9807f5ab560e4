import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { AcquirerState, CardTicker, PaymentOrder } from '../port.ts'
import { paid, paymentOrder, settled } from './orders.ts'
import { anyFailure } from './secrecy.ts'
import type { WorldOf } from './world.ts'

/** @param wholeOnly the account gives back whole payments only, as it declares */
export const describeRefunds = (world: WorldOf, ticker: CardTicker, wholeOnly: boolean): void => {
  describe('refunds', () => {
    const refund = (
      { reference }: PaymentOrder,
      units: bigint,
      { refundReference = randomUUID() as string, refundedUnits = 0n }: { refundReference?: string; refundedUnits?: bigint } = {},
    ): Promise<AcquirerState> => world().acquirer.refund!({ reference, refundReference, units, refundedUnits, ticker })
    const settledPayment = async (): Promise<PaymentOrder> => {
      const order = await paid(world, ticker)
      await settled(() => world().acquirer.paymentState(order.reference))
      return order
    }

    test('the whole: the payment is reversed', async () => {
      const order = await settledPayment()
      expect(await refund(order, order.units)).toMatchObject({ kind: 'succeeded', ticker, units: order.units })
      expect(await settled(() => world().acquirer.paymentState(order.reference), ['reversed'])).toMatchObject({ kind: 'reversed' })
    })

    test(wholeOnly ? 'a part is refused' : 'a part, and then the rest', async () => {
      const order = await settledPayment()
      const part = order.units / 3n
      if (wholeOnly) {
        expect(await refund(order, part)).toMatchObject({ kind: 'refused' })
        expect(await world().acquirer.paymentState(order.reference)).toMatchObject({ kind: 'succeeded', units: order.units })
        return
      }
      expect(await refund(order, part)).toMatchObject({ kind: 'succeeded', units: part })
      expect(await world().acquirer.paymentState(order.reference)).toMatchObject({ kind: 'succeeded', units: order.units })
      expect(await refund(order, order.units - part, { refundedUnits: part })).toMatchObject({ kind: 'succeeded', units: order.units - part })
      expect(await world().acquirer.paymentState(order.reference)).toMatchObject({ kind: 'reversed' })
    })

    test('repeated it is the same refund', async () => {
      const order = await settledPayment()
      const [part, refundReference] = [wholeOnly ? order.units : order.units / 2n, randomUUID()]
      for (let i = 0; i < 3; i += 1) expect(await refund(order, part, { refundReference })).toMatchObject({ kind: 'succeeded', units: part })
      expect(await world().acquirer.paymentState(order.reference)).toMatchObject({ kind: wholeOnly ? 'reversed' : 'succeeded' })
    })

    test('whose answer is lost is repeated', async () => {
      const order = await settledPayment()
      const refundReference = randomUUID()
      await world().next({ answer: 'cut' })
      await anyFailure(world(), () => refund(order, order.units, { refundReference }), { sent: true })
      expect(await refund(order, order.units, { refundReference })).toMatchObject({ kind: 'succeeded', units: order.units })
    })

    test('more than was paid, at once or together, is refused', async () => {
      const order = await settledPayment()
      expect(await refund(order, order.units + 1n)).toMatchObject({ kind: 'refused' })
      if (wholeOnly) return
      expect(await refund(order, order.units - 1n)).toMatchObject({ kind: 'succeeded' })
      expect(await refund(order, 2n, { refundedUnits: order.units - 1n })).toMatchObject({ kind: 'refused' })
    })

    test('of what was not paid is refused', async () => {
      const order = paymentOrder(world(), ticker)
      await world().acquirer.createPayment(order)
      expect(await refund(order, order.units)).toMatchObject({ kind: 'refused' })
    })
  })
}

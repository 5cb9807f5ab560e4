import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import type { AcquirerState, CardTicker, PaymentOrder, RefundOrder } from '../port.ts'
import { paid, paymentOrder, settled } from './orders.ts'
import { anyFailure } from './secrecy.ts'
import type { WorldOf } from './world.ts'

interface RefundTraits {
  /** the account declares that it refunds whole payments only */
  wholeOnly: boolean
  /** error codes that may answer a refund that succeeded */
  ambiguousCodes: readonly string[]
  /** error codes that refuse a refund, when the payment shows none */
  refusals: readonly string[]
  /** possible outcomes of an accepted refund */
  faults: readonly ('late' | 'failed')[]
}

export const describeRefunds = (
  world: WorldOf,
  ticker: CardTicker,
  { wholeOnly, ambiguousCodes, refusals, faults }: RefundTraits,
): void => {
  describe('refunds', () => {
    interface Paid {
      order: PaymentOrder
      acquirerReference?: string | undefined
    }
    interface More {
      refundReference?: string
      refundedUnits?: bigint
    }
    const orderOf = (
      { order: { reference }, acquirerReference }: Paid,
      units: bigint,
      { refundReference = randomUUID(), refundedUnits = 0n }: More,
    ): RefundOrder => ({ reference, acquirerReference, refundReference, units, refundedUnits, ticker })
    const refund = (
      paid: Paid,
      units: bigint,
      more: More = {},
      sending?: () => Promise<void>,
    ): Promise<AcquirerState> => world().acquirer.refund!(orderOf(paid, units, more), sending)
    const stateOfRefund = (paid: Paid, units: bigint, more: More = {}): Promise<AcquirerState> =>
      world().acquirer.refundState!(orderOf(paid, units, more))
    const stateOf = ({ order, acquirerReference }: Paid): Promise<AcquirerState> =>
      world().acquirer.paymentState(order.reference, acquirerReference)
    const settledPayment = async (): Promise<Paid> => {
      const order = await paid(world, ticker)
      const state = await settled(() => world().acquirer.paymentState(order.reference))
      return { order, acquirerReference: 'acquirerReference' in state ? state.acquirerReference : undefined }
    }

    test('the whole: the payment is reversed', async () => {
      const made = await settledPayment()
      expect(await refund(made, made.order.units)).toMatchObject({ kind: 'succeeded', ticker, units: made.order.units })
      expect(await settled(() => stateOf(made), ['reversed'])).toMatchObject({ kind: 'reversed' })
    })

    test(wholeOnly ? 'a part is refused' : 'a part, and then the rest', async () => {
      const made = await settledPayment()
      const { units } = made.order
      const part = units / 3n
      if (wholeOnly) {
        expect(await refund(made, part)).toMatchObject({ kind: 'refused' })
        expect(await stateOf(made)).toMatchObject({ kind: 'succeeded', units })
        return
      }
      expect(await refund(made, part)).toMatchObject({ kind: 'succeeded', units: part })
      expect(await stateOf(made)).toMatchObject({ kind: 'succeeded', units, backUnits: part })
      expect(await refund(made, units - part, { refundedUnits: part })).toMatchObject({
        kind: 'succeeded',
        units: units - part,
      })
      expect(await stateOf(made)).toMatchObject({ kind: 'reversed', backUnits: units })
    })

    test('asked for again it is the same refund', async () => {
      const made = await settledPayment()
      const [part, refundReference] = [wholeOnly ? made.order.units : made.order.units / 2n, randomUUID()]
      expect(await refund(made, part, { refundReference })).toMatchObject({ kind: 'succeeded', units: part })
      for (let i = 0; i < 3; i += 1)
        expect(await stateOfRefund(made, part, { refundReference })).toMatchObject({ kind: 'succeeded', units: part })
      expect(await stateOf(made)).toMatchObject({ kind: wholeOnly ? 'reversed' : 'succeeded' })
    })

    test('audit F-1: one that the acquirer has in its queue is waited for, sent once, and done when it ends', async () => {
      for (const part of wholeOnly ? [1n] : [1n, 4n]) {
        const made = await settledPayment()
        const [units, more, sent] = [made.order.units / part, { refundReference: randomUUID() }, vi.fn(async () => {})]
        await world().next({ refund: 'pending' })
        const first = await refund(made, units, more, sent)
        expect(['waiting', 'unknown']).toContain(first.kind)
        for (let i = 0; i < 3; i += 1)
          expect(['waiting', 'unknown']).toContain((await stateOfRefund(made, units, more)).kind)
        // Another worker that does not know of this refund must not send it again.
        expect(['waiting', 'unknown']).toContain((await refund(made, units, more, sent)).kind)
        expect(sent).toHaveBeenCalledTimes(1)
        await world().endRefunds(made.order.reference)
        expect(await stateOfRefund(made, units, more)).toMatchObject({ kind: 'succeeded', units })
        if (part === 1n) expect(await stateOf(made)).toMatchObject({ kind: 'reversed' })
        else expect(await stateOf(made)).toMatchObject({ kind: 'succeeded', backUnits: units })
      }
    })

    test('audit F-1: one whose answer is lost is found by asking, at once or once it ends', async () => {
      for (const pending of [false, true]) {
        const made = await settledPayment()
        const { units } = made.order
        const more = { refundReference: randomUUID() }
        await world().next({ answer: 'cut', ...(pending ? { refund: 'pending' } : {}) })
        await anyFailure(world(), () => refund(made, units, more), { sent: true })
        if (pending) {
          expect(['waiting', 'unknown']).toContain((await stateOfRefund(made, units, more)).kind)
          await world().endRefunds(made.order.reference)
        }
        expect(await stateOfRefund(made, units, more)).toMatchObject({ kind: 'succeeded', units })
      }
    })

    if (ambiguousCodes.length > 0)
      test.each(ambiguousCodes)('audit D-B4: error %s of a refund that was made is no refusal', async (answerCode) => {
        for (const pending of [false, true]) {
          const made = await settledPayment()
          const { units } = made.order
          const more = { refundReference: randomUUID() }
          await world().next({ answerCode, ...(pending ? { refund: 'pending' } : {}) })
          expect(pending ? ['waiting', 'unknown'] : ['succeeded', 'unknown']).toContain(
            (await refund(made, units, more)).kind,
          )
          if (pending) await world().endRefunds(made.order.reference)
          expect(await stateOfRefund(made, units, more)).toMatchObject({ kind: 'succeeded', units })
        }
      })

    if (refusals.length > 0)
      test.each(refusals)(
        'audit D-B4: error %s refuses a refund only where the payment shows none',
        async (answerCode) => {
          for (const pending of [false, true]) {
            const made = await settledPayment()
            const { units } = made.order
            const more = { refundReference: randomUUID() }
            await world().next({ answerCode, ...(pending ? { refund: 'pending' } : {}) })
            const said = await refund(made, units, more)
            expect(said).toMatchObject(pending ? { kind: 'waiting' } : { kind: 'succeeded', units })
            if (pending) await world().endRefunds(made.order.reference)
            expect(await stateOfRefund(made, units, more)).toMatchObject({ kind: 'succeeded', units })
          }
          const untouched = await settledPayment()
          await world().next({ answerCode, refund: 'failed' })
          expect(await refund(untouched, untouched.order.units)).toMatchObject({ kind: 'refused', code: answerCode })
        },
      )

    if (faults.includes('late'))
      test('audit D-B1: one that shows later was not refused, and is done when it shows', async () => {
        const made = await settledPayment()
        const { units } = made.order
        const more = { refundReference: randomUUID() }
        await world().next({ refund: 'late' })
        expect(['waiting', 'unknown']).toContain((await refund(made, units, more)).kind)
        expect(await settled(() => stateOfRefund(made, units, more))).toMatchObject({ kind: 'succeeded', units })
      })

    if (faults.includes('failed'))
      test('audit D-B1: one that was taken up and failed is neither done nor taken for one that will not come', async () => {
        const made = await settledPayment()
        const { units } = made.order
        const more = { refundReference: randomUUID() }
        await world().next({ refund: 'failed' })
        expect(await refund(made, units, more)).toMatchObject({ kind: 'unknown' })
        expect(await stateOfRefund(made, units, more)).toMatchObject({ kind: 'unknown' })
        expect(await stateOf(made)).toMatchObject({ kind: 'succeeded', units })
        expect(await refund(made, units, { refundReference: randomUUID() })).toMatchObject({ kind: 'succeeded', units })
      })

    test("audit D-B9: a part given back in the acquirer's cabinet has its sum, or as money back of an unknown sum", async ({
      skip,
    }) => {
      const { giveBackOutside } = world()
      if (giveBackOutside === undefined) return skip()
      const made = await settledPayment()
      const part = made.order.units / 3n
      await giveBackOutside(made.order.reference, part)
      const state = await stateOf(made)
      if (wholeOnly) expect(state).toMatchObject({ kind: 'reversed', units: made.order.units })
      else expect(state).toMatchObject({ kind: 'succeeded', units: made.order.units, backUnits: part })
      if ('backUnits' in state && wholeOnly) expect(state.backUnits).toBeUndefined()
      expect((await refund(made, made.order.units, {})).kind).not.toBe('succeeded')
    })

    test('is not sent when sending is not allowed', async () => {
      const made = await settledPayment()
      const refusal = new Error('another worker has it')
      await expect(refund(made, made.order.units, {}, () => Promise.reject(refusal))).rejects.toBe(refusal)
      expect((await stateOfRefund(made, made.order.units)).kind).toBe('unknown')
      expect(await stateOf(made)).toMatchObject({ kind: 'succeeded' })
    })

    test('more than was paid, at once or together, is refused', async () => {
      const made = await settledPayment()
      const { units } = made.order
      expect(await refund(made, units + 1n)).toMatchObject({ kind: 'refused' })
      if (wholeOnly) return
      expect(await refund(made, units - 1n)).toMatchObject({ kind: 'succeeded' })
      expect(await refund(made, 2n, { refundedUnits: units - 1n })).toMatchObject({ kind: 'refused' })
    })

    test('of a refused payment is refused; of a payment that is not paid yet it is not made', async () => {
      const declined = await paid(world, ticker, 'refused')
      await settled(() => world().acquirer.paymentState(declined.reference))
      expect(await refund({ order: declined }, declined.units)).toMatchObject({ kind: 'refused' })
      const open = paymentOrder(world(), ticker)
      await world().acquirer.createPayment(open)
      expect((await refund({ order: open }, open.units)).kind).not.toBe('succeeded')
    })
  })
}

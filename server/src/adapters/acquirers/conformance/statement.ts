import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { CardTicker, StatementLine } from '../port.ts'
import { paid, payoutOrder, settled } from './orders.ts'
import { anyFailure } from './secrecy.ts'
import type { AcquirerTraits, WorldOf } from './world.ts'

const EVER = { from: 0, to: 8_640_000_000_000_000 }

export const describeStatement = (world: WorldOf, { payIn, payout, refund }: AcquirerTraits): void => {
  describe('statement', () => {
    const linesOf = async (reference: string, range = EVER): Promise<StatementLine[]> =>
      (await world().acquirer.statement!(range)).filter((line) => line.reference === reference)

    test.each(payIn)(
      'received payments in %s are positive, and refused ones are absent',
      async (ticker: CardTicker) => {
        const order = await paid(world, ticker)
        const refused = await paid(world, ticker, 'refused')
        const state = await settled(() => world().acquirer.paymentState(order.reference))
        await settled(() => world().acquirer.paymentState(refused.reference))
        const lines = await linesOf(order.reference)
        expect(lines).toMatchObject([
          { kind: 'payment', ticker, units: order.units, acquirerReference: expect.stringMatching(/./) },
        ])
        if (state.kind === 'succeeded' && state.feeUnits !== undefined) expect(lines[0]!.feeUnits).toBe(state.feeUnits)
        expect(await linesOf(refused.reference)).toEqual([])
      },
    )

    test.each(payout)('payouts in %s are negative', async (ticker: CardTicker) => {
      const order = payoutOrder(world(), ticker)
      await world().acquirer.payOut(order)
      await settled(() => world().acquirer.payoutState(order.reference))
      const lines = await linesOf(order.reference)
      expect(lines).toMatchObject([{ kind: 'payout', ticker, units: -order.units }])
      expect(lines[0]!.feeUnits >= 0n).toBe(true)
    })

    if (refund)
      test('a refund is a line of its own', async () => {
        const ticker = payIn[0]!
        const order = await paid(world, ticker)
        await settled(() => world().acquirer.paymentState(order.reference))
        await world().acquirer.refund!({
          reference: order.reference,
          refundReference: randomUUID(),
          units: order.units,
          refundedUnits: 0n,
          ticker,
        })
        const lines = await linesOf(order.reference)
        expect(lines.map(({ kind, units }) => ({ kind, units })).sort((a, b) => a.kind.localeCompare(b.kind))).toEqual([
          { kind: 'payment', units: order.units },
          { kind: 'refund', units: -order.units },
        ])
        expect(new Set(lines.map((line) => line.acquirerReference)).size).toBe(2)
      })

    test('from is within, to is not', async () => {
      const order = await paid(world, payIn[0]!)
      await settled(() => world().acquirer.paymentState(order.reference))
      const [{ at } = { at: NaN }] = await linesOf(order.reference)
      expect(Number.isSafeInteger(at)).toBe(true)
      expect(Math.abs(at - Date.now())).toBeLessThan(60_000)
      const step = at % 1_000 === 0 ? 1_000 : 1
      expect(await linesOf(order.reference, { from: at, to: at + step })).toHaveLength(1)
      expect(await linesOf(order.reference, { from: at - step, to: at })).toHaveLength(0)
      expect(await linesOf(order.reference, { from: at + step, to: EVER.to })).toHaveLength(0)
    })

    test('an acquirer that is not there', async () => {
      await anyFailure(world(), () => world().unreachable.statement!(EVER), { sent: false })
    })
  })
}

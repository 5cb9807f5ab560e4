/** Conformance tests for every acquirer's adapter, over HTTP against the emulator of its acquirer. */
import { beforeAll, describe, expect, test } from 'vitest'
import { describeCallbacks } from './conformance/callbacks.ts'
import { describeAsking, describeOrdering, describePayments } from './conformance/payments.ts'
import { describePayouts, describeUnknownPayouts } from './conformance/payouts.ts'
import { describeRefunds } from './conformance/refunds.ts'
import { describeStatement } from './conformance/statement.ts'
import type { AcquirerTraits, AcquirerWorld } from './conformance/world.ts'
import type { AmountLimits } from './port.ts'

export type { AcquirerTraits, AcquirerWorld } from './conformance/world.ts'

/** @param traits capabilities that the account must have, so that it can't pass by declaring none */
export const describeAcquirer = (
  name: string,
  traits: AcquirerTraits,
  makeWorld: () => Promise<AcquirerWorld>,
): void => {
  describe(name, () => {
    let started: AcquirerWorld
    const world = (): AcquirerWorld => started
    beforeAll(async () => {
      started = await makeWorld()
    })

    test('declares what it can do', () => {
      const { name, capabilities, refund, statement } = world().acquirer
      expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,31}$/i)
      expect(Object.keys(capabilities.payIn).sort()).toEqual([...traits.payIn].sort())
      expect(Object.keys(capabilities.payout).sort()).toEqual([...traits.payout].sort())
      expect(capabilities).toMatchObject({ refund: traits.refund, statement: traits.statement })
      expect(capabilities.refundsWholeOnly ?? false).toBe(traits.refundsWholeOnly ?? false)
      expect([refund !== undefined, statement !== undefined]).toEqual([traits.refund, traits.statement])
      const limits: AmountLimits[] = [...Object.values(capabilities.payIn), ...Object.values(capabilities.payout)]
      for (const { least, most } of limits) expect(least > 0n && least <= most).toBe(true)
    })

    for (const ticker of traits.payIn) describePayments(world, ticker)
    if (traits.payIn.length > 0) describeCallbacks(world, { payIn: traits.payIn[0]!, payout: traits.payout[0] })
    if (traits.paymentIsOrdered) describeOrdering(world, traits)
    describeAsking(world)
    for (const ticker of traits.payout) describePayouts(world, ticker, traits.refusesUnproven ?? false)
    if (traits.payout.length > 0) describeUnknownPayouts(world, traits.payout[0]!, traits.ambiguousCodes)
    if (traits.refund)
      describeRefunds(world, traits.payIn[0]!, {
        wholeOnly: traits.refundsWholeOnly ?? false,
        ambiguousCodes: traits.ambiguousCodes ?? [],
        refusals: traits.refundRefusals ?? [],
        faults: traits.refundFaults ?? [],
      })
    if (traits.statement) describeStatement(world, traits)
  })
}

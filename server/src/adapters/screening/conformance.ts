/** Conformance tests for every screener. */
import { signalKeys } from '@bursar/contract'
import { describe, expect, test } from 'vitest'
import { ScreeningUnavailable, type Report, type Screened, type Screener, type Subject } from './port.ts'
import type { SignalKey } from './signals.ts'

export interface ScreenerWorld {
  screener: Screener
  /** a subject without risk */
  clean: Subject
  sanctioned: Subject
  /** the signal of the sanctioned subject; `sanctions` when absent */
  danger?: SignalKey
  /** a subject that is first `pending`; undefined when every answer is immediate */
  slow?: Subject
  /** makes the provider unavailable; undefined where that can't happen */
  fail?(): void
  mend?(): void
}

const MOST_RECHECKS = 10

/** Queries until there is a report, like the job. */
export const settle = async (screener: Screener, subject: Subject): Promise<Report> => {
  let screened: Screened = await screener.screen(subject)
  for (let n = 0; n < MOST_RECHECKS && screened.kind === 'pending'; n += 1)
    screened = await screener.recheck(subject, screened.ref)
  if (screened.kind !== 'report') throw new Error(`no report but ${screened.kind}`)
  return screened.report
}

export const describeScreener = (name: string, world: () => ScreenerWorld): void => {
  describe(name, () => {
    test.each(['clean', 'sanctioned'] as const)(
      'a report of %s money has all 47 signals as whole percents, a score from 0 to 1 and a time',
      async (which) => {
        const { riskScore, signals, madeAt, flags } = await settle(world().screener, world()[which])
        expect(Object.keys(signals).sort()).toEqual([...signalKeys].sort())
        for (const percent of Object.values(signals))
          expect(Number.isInteger(percent) && percent >= 0 && percent <= 100).toBe(true)
        expect(riskScore >= 0 && riskScore <= 1).toBe(true)
        expect(Math.abs(Date.now() - madeAt)).toBeLessThan(60_000)
        expect([signals[world().danger ?? 'sanctions'], flags.length > 0, riskScore]).toEqual(
          which === 'clean' ? [0, false, expect.any(Number)] : [100, true, 1],
        )
      },
    )

    test('the same subject asked again is judged alike', async () => {
      const [first, second] = [
        await settle(world().screener, world().sanctioned),
        await settle(world().screener, world().sanctioned),
      ]
      expect({ ...second, madeAt: 0, raw: 0 }).toEqual({ ...first, madeAt: 0, raw: 0 })
    })

    test('where nothing is known to ask about, it says so', async () => {
      const { screener, clean } = world()
      expect(await screener.screen({ ...clean, transaction: null, own: null, others: [] })).toEqual({ kind: 'nothing' })
    })

    test('a report that takes longer is pending under a reference, and is requested by it', async ({ skip }) => {
      const { screener, slow } = world()
      if (slow === undefined) return skip()
      const first = await screener.screen(slow)
      expect(first).toEqual({ kind: 'pending', ref: expect.stringMatching(/./) })
      expect((await settle(screener, slow)).riskScore).toBeLessThan(1)
    })

    test('no answer is thrown, never taken for a clean one', async ({ skip }) => {
      const { screener, clean, fail, mend } = world()
      if (fail === undefined) return skip()
      fail()
      await expect(screener.screen(clean)).rejects.toThrow(ScreeningUnavailable)
      mend?.()
      expect((await settle(screener, clean)).flags).toEqual([])
    })
  })
}

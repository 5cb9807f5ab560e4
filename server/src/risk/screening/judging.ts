import { dangerSignalKeys, signalKeys, type Compliance } from '@bursar/contract'
import type { Static } from 'typebox'
import type { Report } from '../../adapters/screening/port.ts'
import type { Answers, Judgement, Screening, ScreeningRules } from './screening.ts'

/** The compliance object of the wire (`contract.md` 6.1). */
export type ComplianceBody = Static<typeof Compliance>

const NONE = Object.fromEntries(signalKeys.map((key) => [key, 0])) as Judgement['signals']

/** Combines all answers into one judgement: the worst value of each. Without any answer it is not complete. */
export const judge = (answers: Answers, { riskyFrom }: Pick<ScreeningRules, 'riskyFrom'>, now: number): Judgement => {
  const reports = Object.entries(answers).flatMap(([provider, answer]): [string, Report][] =>
    answer.kind === 'report' ? [[provider, answer.report]] : [],
  )
  const riskScore = Math.max(0, ...reports.map(([, report]) => report.riskScore))
  const signals = { ...NONE }
  for (const key of signalKeys) signals[key] = Math.max(0, ...reports.map(([, report]) => report.signals[key]))
  const flags = reports.flatMap(([, report]) => [...report.flags])
  return {
    riskScore,
    signals,
    flags,
    risky: flags.length > 0 || signals.sanctions > 0 || (reports.length > 0 && riskScore >= riskyFrom),
    providers: reports.map(([provider]) => provider),
    complete: reports.length > 0 && !Object.values(answers).some(({ kind }) => kind === 'pending'),
    madeAt: reports.length === 0 ? now : Math.max(...reports.map(([, report]) => report.madeAt)),
  }
}

/** The compliance object of a judged screening. */
export const complianceOf = (
  { token, report }: Pick<Screening, 'token' | 'report'>,
  publicUrl: string,
): ComplianceBody => {
  if (report === null) throw new Error('nothing has been judged')
  const { signals, riskScore, madeAt, risky } = report
  const dangerSignals = Object.fromEntries(
    dangerSignalKeys.map((key) => [key, signals[key]]),
  ) as ComplianceBody['dangerSignals']
  return {
    url: `${publicUrl}/compliance/${token}.pdf`,
    signals: { ...signals },
    riskScore,
    timestamp: madeAt,
    dangerSignals,
    risky,
  }
}

import type { Screened, Subject } from '../../adapters/screening/port.ts'
import type { Signals } from '../../adapters/screening/signals.ts'
import type { ScreeningState } from './machine.ts'

export type ScreeningKind = 'deposit' | 'withdrawal'

/** What is asked to be judged. */
export interface Asked {
  merchantId: string
  kind: ScreeningKind
  /** of the deposit or the withdrawal */
  subjectId: string
  subject: Subject
}

/** The judgement out of what all providers said. */
export interface Judgement {
  /** 0 to 1, the highest that any provider gave */
  riskScore: number
  /** whole percents, the highest that any provider gave */
  signals: Signals
  /** facts that make it risky whatever the score */
  flags: string[]
  risky: boolean
  /** that had a report; empty where none had anything to ask about */
  providers: string[]
  /**
   * every provider that had something to ask about has answered, and at least one had; absent in judgements from before
   * this was kept
   */
  complete?: boolean
  /** ms since the epoch */
  madeAt: number
}

/** By provider's name; `at`: when it answered, ms on the business clock. */
export type Answers = Readonly<Record<string, Screened & { at: number }>>

export interface Screening extends Asked {
  id: string
  state: ScreeningState
  answers: Answers
  /** null until it is judged */
  report: Judgement | null
  token: string
  attempts: number
  /** why the last attempt gave no judgement */
  problem: string | null
  createdAt: Date
}

/** What one person says about something risky, and why. */
export interface Opinion {
  event: 'released' | 'rejected'
  actor: string
  reason: string
}

export interface ScreeningRules {
  /** a score from which money is risky, 0 to 1 */
  riskyFrom: number
  /** ms without a judgement after which an alert is raised, and `flag` lets withdrawals go */
  lateAfterMs: number
  /** what an unanswered withdrawal does: waits, or goes and stays flagged. Deposits are unverified in the meantime */
  whenUnanswered: 'hold' | 'flag'
  /** how far back what was judged is held against a new list, ms */
  rescreenMs: number
  /** how many people must say the same before something risky is released or rejected */
  deciders: number
}

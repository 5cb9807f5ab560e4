import type { Screened, Subject } from '../../adapters/screening/port.ts'
import type { Signals } from '../../adapters/screening/signals.ts'
import type { ScreeningState } from './machine.ts'

export type ScreeningKind = 'deposit' | 'withdrawal'

/** A request for a judgement. */
export interface Asked {
  merchantId: string
  kind: ScreeningKind
  /** of the deposit or the withdrawal */
  subjectId: string
  subject: Subject
}

/** The judgement from the answers of all providers. */
export interface Judgement {
  /** 0 to 1, the highest of all providers */
  riskScore: number
  /** whole percents, the highest of all providers */
  signals: Signals
  /** facts that make the subject risky regardless of the score */
  flags: string[]
  risky: boolean
  /** providers with a report; empty if none had anything to check */
  providers: string[]
  /**
   * whether every provider with something to check has answered, and there was at least one; absent in older judgements
   */
  complete?: boolean
  /** ms since the epoch */
  madeAt: number
}

/** By the provider's name; `at`: time of the answer, ms on the business clock. */
export type Answers = Readonly<Record<string, Screened & { at: number }>>

export interface Screening extends Asked {
  id: string
  state: ScreeningState
  answers: Answers
  /** null until it is judged */
  report: Judgement | null
  token: string
  attempts: number
  /** why the last attempt produced no judgement */
  problem: string | null
  createdAt: Date
}

/** A person's opinion on a risky subject, and the reason. */
export interface Opinion {
  event: 'released' | 'rejected'
  actor: string
  reason: string
}

export interface ScreeningRules {
  /** a score from which money is risky, 0 to 1 */
  riskyFrom: number
  /** ms without a judgement before an alert is raised, and before `flag` releases withdrawals */
  lateAfterMs: number
  /** an unanswered withdrawal waits, or is sent and flagged. Deposits are unverified in the meantime */
  whenUnanswered: 'hold' | 'flag'
  /** the age up to which earlier judgements are compared with a new list, ms */
  rescreenMs: number
  /** number of people who must agree before a risky subject is released or rejected */
  deciders: number
}

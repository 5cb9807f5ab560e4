import type { Network } from '@bursar/chainkit'
import type { Signals } from './signals.ts'

/** Money whose other side is to be judged. */
export interface Subject {
  network: Network
  /** ticker of the asset */
  asset: string
  /** money in, or money out */
  direction: 'deposit' | 'withdrawal'
  /** hash of the chain's transaction; null before there is one, and where it is not known */
  transaction: string | null
  /** ours: where a deposit arrived; null of a withdrawal */
  own: string | null
  /** the strangers' addresses: senders of a deposit, destination of a withdrawal. Empty where the chain doesn't say */
  others: readonly string[]
  /** the chain says more of them, too many to be named */
  othersOmitted?: boolean
  /** the withdrawal of another merchant of this installation that sent it; null or absent of what came from a chain */
  internal?: string | null
}

/** What a provider holds of a subject. */
export interface Report {
  /** 0 (no risk) to 1 */
  riskScore: number
  /** whole percents from 0 to 100 */
  signals: Signals
  /** facts that make it risky whatever the score: sentences for a person */
  flags: readonly string[]
  /** ms since the epoch, of the provider's clock where it says */
  madeAt: number
  /** the answer as it came, to be kept beside */
  raw: unknown
}

/**
 * `pending`: the provider works on it and is asked again by `ref`. `nothing`: it has nothing it could be asked about.
 */
export type Screened = { kind: 'report'; report: Report } | { kind: 'pending'; ref: string } | { kind: 'nothing' }

/**
 * Judges money. Both methods may be called again at any time for the same subject; they throw a ScreeningUnavailable
 * when no answer can be had or believed, which says nothing about the money.
 */
export interface Screener {
  readonly name: string
  screen(subject: Subject): Promise<Screened>
  /** @param ref of a `pending` answer about the same subject */
  recheck(subject: Subject, ref: string): Promise<Screened>
}

export class ScreeningUnavailable extends Error {
  override name = 'ScreeningUnavailable'
}

import type { Network } from '@bursar/chainkit'
import type { Signals } from './signals.ts'

/** A transfer whose other party is to be screened. */
export interface Subject {
  network: Network
  /** ticker of the asset */
  asset: string
  /** incoming or outgoing */
  direction: 'deposit' | 'withdrawal'
  /** hash of the chain transaction; null while there is none, or when it is unknown */
  transaction: string | null
  /** our address that received a deposit; null for a withdrawal */
  own: string | null
  /**
   * the other party's addresses: senders of a deposit, destination of a withdrawal. Empty when the chain does not name
   * them
   */
  others: readonly string[]
  /** true: there are more senders than can be listed */
  othersOmitted?: boolean
  /** id of another merchant's withdrawal in this installation that sent it; null or absent for money from a chain */
  internal?: string | null
}

/** A provider's judgement of a subject. */
export interface Report {
  /** 0 (no risk) to 1 */
  riskScore: number
  /** whole percents from 0 to 100 */
  signals: Signals
  /** facts that make it risky regardless of the score, as sentences for operators */
  flags: readonly string[]
  /** ms since the epoch, by the provider's clock where it is reported */
  madeAt: number
  /** the unprocessed answer, to be stored with the report */
  raw: unknown
}

/**
 * `pending`: the provider needs more time and is queried again by `ref`. `nothing`: there is nothing to query the
 * provider about.
 */
export type Screened = { kind: 'report'; report: Report } | { kind: 'pending'; ref: string } | { kind: 'nothing' }

/**
 * Screens money. Both methods may be repeated at any time for the same subject. They throw a ScreeningUnavailable when
 * there is no plausible answer, which proves nothing about the money.
 */
export interface Screener {
  readonly name: string
  screen(subject: Subject): Promise<Screened>
  /** @param ref from a `pending` answer for the same subject */
  recheck(subject: Subject, ref: string): Promise<Screened>
}

export class ScreeningUnavailable extends Error {
  override name = 'ScreeningUnavailable'
}

import type { Screener } from './port.ts'
import { noSignals } from './signals.ts'

/** Screening results for the received money of a merchant that sent money to another merchant of this installation. */
export interface SenderScreenings {
  /** unfinished screenings of its received money */
  unjudged: readonly string[]
  /** undecided screenings of its received money with a risky result, or with an address that was listed later */
  open: readonly string[]
}

/**
 * Screens money from another merchant of this installation by the open screenings of that merchant's received money.
 * The flag names no party, because the receiving merchant reads it too. The ids are in the raw answer, for operators.
 * @param screeningsOf by the id of the withdrawal that sent the money; undefined when it is unknown
 */
export const createInternalTransfers = (
  screeningsOf: (withdrawalId: string) => Promise<SenderScreenings | undefined>,
  now: () => number,
): Screener => {
  const screen: Screener['screen'] = async ({ internal }) => {
    const screenings = internal === undefined || internal === null ? undefined : await screeningsOf(internal)
    if (screenings === undefined) return { kind: 'nothing' }
    const { unjudged, open } = screenings
    if (open.length === 0 && unjudged.length > 0) return { kind: 'pending', ref: unjudged[0]! }
    const flags =
      open.length === 0 ? [] : ['it was sent by a merchant of this service with received money that was found risky']
    return {
      kind: 'report',
      report: {
        riskScore: open.length === 0 ? 0 : 1,
        signals: noSignals(),
        flags,
        madeAt: now(),
        raw: { screenings: open },
      },
    }
  }
  return { name: 'internal-transfers', screen, recheck: (subject) => screen(subject) }
}

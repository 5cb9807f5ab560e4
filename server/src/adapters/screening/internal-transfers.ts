import type { Screener } from './port.ts'
import { noSignals } from './signals.ts'

/** What screening knows of the money of a merchant that has sent some to another one of this installation. */
export interface SenderStanding {
  /** screenings of its received money that are not concluded yet */
  unjudged: readonly string[]
  /**
   * screenings of its received money that were found risky, or found to name a listed address later, and that nobody
   * has decided
   */
  open: readonly string[]
}

/**
 * Money from another merchant of this installation inherits what is open about that merchant's own received money. The
 * flag names no one: the merchant that receives the money reads it too. The ids are in the raw answer, for operators.
 * @param standingOf by the id of the withdrawal that sent it; undefined where it is not known
 */
export const createInternalTransfers = (
  standingOf: (withdrawalId: string) => Promise<SenderStanding | undefined>,
  now: () => number,
): Screener => {
  const screen: Screener['screen'] = async ({ internal }) => {
    const standing = internal === undefined || internal === null ? undefined : await standingOf(internal)
    if (standing === undefined) return { kind: 'nothing' }
    const { unjudged, open } = standing
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

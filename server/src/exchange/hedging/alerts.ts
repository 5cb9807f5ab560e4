import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'

/** Raises a hedging alert while a text describes the problem, and ends it when there is none. */
export const alertHedging = async (
  db: Db | Tx,
  kind: HedgeAlert,
  subject: string,
  text: string | undefined,
  moment: Moment,
): Promise<void> => {
  if (text === undefined) await resolveAlert(db, kind, subject, moment.at)
  else await raiseOrRenewAlert(db, { kind, subject, text }, moment)
}

export type HedgeAlert =
  /** of an asset: a limit of its position is nearly used, or exceeded */
  | 'position-limit-near'
  /** of an asset: orders don't fill, or none can be begun */
  | 'hedge-failing'
  /** of an order: its outcome is unknown */
  | 'hedge-unknown'
  /** of an asset on a venue: the balance is too low */
  | 'venue-balance-low'
  /** of an asset on a venue: its balance differs from the books */
  | 'venue-drift'
  /** of a venue: it does not answer */
  | 'venue-unreachable'

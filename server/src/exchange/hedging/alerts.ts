import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'

/** Raises an alert of hedging while a text says what is wrong, and ends it when there is none. */
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
  /** of an asset: a limit of its position is nearly used, or more than used */
  | 'position-limit-near'
  /** of an asset: orders don't fill, or none is begun */
  | 'hedge-failing'
  /** of an order: its outcome is not known */
  | 'hedge-unknown'
  /** of an asset on a venue: too little to spend */
  | 'venue-balance-low'
  /** of an asset on a venue: it holds something else than the books say */
  | 'venue-drift'
  /** of a venue: it doesn't answer */
  | 'venue-unreachable'

import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { raiseAlert, raiseOrRenewAlert } from '../../platform/runtime/alerts.ts'
import type { Attempt, Part } from './payout.ts'

export const UNKNOWN_ALERT = 'card-payout-unknown'
export const MISMATCH_ALERT = 'card-payout-mismatch'
export const NOT_TAKEN_UP_ALERT = 'card-payout-not-taken-up'
export const REFUSES_ALERT = 'acquirer-refuses-payouts'
export const NO_ROUTE_ALERT = 'card-payout-no-route'

const named = ({ id, payoutId }: Part): string => `Part ${id} of card payout ${payoutId}`

/** Raises the alert for a part whose outcome is still unknown after the expected time. */
export const alertUnknown = (db: Db | Tx, attempt: Attempt, reason: string, moment: Moment): Promise<void> =>
  raiseOrRenewAlert(
    db,
    {
      kind: UNKNOWN_ALERT,
      subject: attempt.partId,
      text:
        `Part ${attempt.partId} of card payout ${attempt.payoutId} was sent to ${attempt.account} at ${attempt.sentAt.toISOString()} and has not ` +
        `ended (${reason}). Its state is queried again; it is never sent again. Ask ${attempt.account} for the result of reference ${attempt.reference}, ` +
        `and when that is certain, record it: bursar card-payout resolve ${attempt.reference} REASON, with --refused or --paid`,
    },
    moment,
  )

/** Raises the alert for an acquirer that reports another payment than the one it was asked for: nothing is posted. */
export const alertMismatch = (
  tx: Tx,
  part: Part,
  attempt: Attempt,
  said: { ticker: string; units: bigint },
  moment: Moment,
): Promise<void> =>
  raiseAlert(
    tx,
    {
      kind: MISMATCH_ALERT,
      subject: part.id,
      text:
        `${named(part)} is ${part.units} minor units of ${part.ticker}, and ${attempt.account} says it paid ${said.units} of ${said.ticker} ` +
        `under reference ${attempt.reference}: nothing is posted. Settle it with ${attempt.account}`,
    },
    moment,
  )

/**
 * Raises the alert for an acquirer that contradicts the outcome it reported: money may have moved for a part that was
 * refunded to the merchant.
 */
export const alertContradiction = (tx: Tx, part: Part, attempt: Attempt, said: string, moment: Moment): Promise<void> =>
  raiseAlert(
    tx,
    {
      kind: 'card-payout-contradiction',
      subject: attempt.reference,
      text:
        `${named(part)} was ${attempt.state} by ${attempt.account} under reference ${attempt.reference}, which now says: ${said}. Nothing is posted. ` +
        `Settle it with ${attempt.account}, and correct the books with \`bursar adjust\` (docs/operating/adjustments.md)`,
    },
    moment,
  )

/** Raises the alert for a paid part whose money was returned. The merchant has it again. */
export const alertReturned = (tx: Tx, part: Part, attempt: Attempt, moment: Moment): Promise<void> =>
  raiseAlert(
    tx,
    {
      kind: 'card-payout-returned',
      subject: part.id,
      text:
        `${named(part)} was paid by ${attempt.account} and returned: amount and fee are on the merchant's balance again. ` +
        `Check that ${attempt.account} has the money, reference ${attempt.reference}`,
    },
    moment,
  )

/** Raises the alert for a part that no configured account can take. */
export const alertNoRoute = (db: Db | Tx, part: Part, moment: Moment): Promise<void> =>
  raiseAlert(
    db,
    {
      kind: NO_ROUTE_ALERT,
      subject: part.id,
      text: `${named(part)} waits: no acquirer is configured that pays out ${part.units} minor units of ${part.ticker}. Configure one`,
    },
    moment,
  )

/** Raises the alert for a part that can't be sent for a reason of our own, such as a missing key. */
export const alertNotTakenUp = (db: Db | Tx, part: Part, why: string, moment: Moment): Promise<void> =>
  raiseOrRenewAlert(
    db,
    {
      kind: NOT_TAKEN_UP_ALERT,
      subject: part.id,
      text: `${named(part)} can't be sent: ${why}. It is tried again; is a key missing from BURSAR_CARD_KEY_FILE?`,
    },
    moment,
  )

/**
 * Raises the alert for an account that refuses payouts for a reason of its own. Its parts go to another account, or
 * fail.
 */
export const alertRefuses = (
  tx: Tx,
  account: string,
  { code, message }: { code: string; message: string },
  moment: Moment,
): Promise<void> =>
  raiseOrRenewAlert(
    tx,
    {
      kind: REFUSES_ALERT,
      subject: account,
      text: `${account} refuses payouts, because our account there can't make them (${code}: ${message}): fund it, or check its limits and keys`,
    },
    moment,
  )

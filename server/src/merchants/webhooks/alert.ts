import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { raiseNewAlert, resolveAlert, type Alert } from '../../platform/runtime/alerts.ts'
import type { Settlement } from './stream.ts'

/** Kind of the alert of a merchant that has exhausted deliveries. */
const EXHAUSTED_ALERT = 'webhooks-exhausted'

const exhaustedAlert = ({ stream, attempts }: Settlement): Alert => ({
  kind: EXHAUSTED_ALERT,
  subject: stream.merchantId,
  text:
    `The receiver of merchant ${stream.merchantId} has refused a notification for over 8 hours. Later notifications of the same ` +
    'object wait. Once it is mended, replay the notification or wake the merchant; skip the notification if it is not wanted.',
  detail: { objectId: stream.objectId, sequence: attempts.at(-1)!.sequence, error: attempts.at(-1)!.error },
})

/** Called in the same transaction when a merchant's deliveries first become exhausted. */
export type ExhaustedSubscriber = (
  tx: Tx,
  exhausted: { merchantId: string; objectId: string; sequence: number; error: string | null; at: number },
  moment: Moment,
) => Promise<void>

/** Raises the alert, and calls the subscriber once for each outage. */
export const raiseExhausted = async (
  tx: Tx,
  settlement: Settlement,
  subscriber: ExhaustedSubscriber,
  moment: Moment,
): Promise<void> => {
  if (!(await raiseNewAlert(tx, exhaustedAlert(settlement), moment))) return
  const { merchantId, objectId } = settlement.stream
  const { sequence, error, status, at } = settlement.attempts.at(-1)!
  const reason = [status, error].filter((one) => one !== null && one !== '').join(' ')
  await subscriber(tx, { merchantId, objectId, sequence, error: reason === '' ? null : reason, at }, moment)
}

/** Resolves a merchant's alert when none of its deliveries is exhausted any more. */
export const endAlertIfOver = async (tx: Tx, merchantId: string, at: Date): Promise<void> => {
  const { rows } =
    await sql`select 1 from event_streams where merchant_id = ${merchantId} and state = 'exhausted' limit 1`.execute(tx)
  if (rows.length === 0) await resolveAlert(tx, EXHAUSTED_ALERT, merchantId, at)
}

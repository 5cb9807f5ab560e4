import { sql } from 'kysely'
import type { Tx } from '../db/index.ts'
import { resolveAlert, type Alert } from '../platform/alerts.ts'
import type { Settlement } from './stream.ts'

/** One alert a merchant while any of its deliveries is exhausted. */
const EXHAUSTED_ALERT = 'webhooks-exhausted'

export const exhaustedAlert = ({ stream, attempts }: Settlement): Alert => ({
  kind: EXHAUSTED_ALERT,
  subject: stream.merchantId,
  text:
    `The receiver of merchant ${stream.merchantId} has refused a notification for over 8 hours. Later notifications of the same ` +
    'object wait. Once it is mended, replay the notification or wake the merchant; skip the notification if it is not wanted.',
  detail: { objectId: stream.objectId, sequence: attempts.at(-1)!.sequence, error: attempts.at(-1)!.error },
})

/** Ends a merchant's alert when none of its deliveries is exhausted any more. */
export const endAlertIfOver = async (tx: Tx, merchantId: string, at: Date): Promise<void> => {
  const { rows } = await sql`select 1 from event_streams where merchant_id = ${merchantId} and state = 'exhausted' limit 1`.execute(tx)
  if (rows.length === 0) await resolveAlert(tx, EXHAUSTED_ALERT, merchantId, at)
}

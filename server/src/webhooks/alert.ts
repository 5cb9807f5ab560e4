import type { Alert } from '../platform/alerts.ts'
import type { Settlement } from './stream.ts'

/** One alert a merchant while any of its deliveries is exhausted. */
export const EXHAUSTED_ALERT = 'webhooks-exhausted'

export const exhaustedAlert = ({ stream, attempts }: Settlement): Alert => ({
  kind: EXHAUSTED_ALERT,
  subject: stream.merchantId,
  text:
    `The receiver of merchant ${stream.merchantId} has refused a notification for over 8 hours. Later notifications of the same ` +
    'object wait. Once it is mended, replay the notification or wake the merchant; skip the notification if it is not wanted.',
  detail: { objectId: stream.objectId, sequence: attempts.at(-1)!.sequence, error: attempts.at(-1)!.error },
})

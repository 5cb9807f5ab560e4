import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { raiseNewAlert, resolveAlert, type Alert } from '../../platform/runtime/alerts.ts'
import type { Settlement } from './stream.ts'

/** Kind of the alert of a receiver that has exhausted deliveries. */
const EXHAUSTED_ALERT = 'webhooks-exhausted'

/** Subject of an endpoint's alert. Its id is chosen with a form: a bare one could be the id of a merchant. */
const subjectOf = (endpointId: string): string => `endpoint/${endpointId}`

/** Without the option, the commands change deliveries of the endpoint of the merchant's settings. */
const commandOf = (name: string, args: string, endpointId: string | null): string =>
  `bursar events ${name} ${args}${endpointId === null ? '' : ` --endpoint ${endpointId}`}`

const exhaustedAlert = ({ stream, attempts }: Settlement, endpointId: string | null): Alert => ({
  kind: EXHAUSTED_ALERT,
  subject: endpointId === null ? stream.merchantId : subjectOf(endpointId),
  text:
    `The ${endpointId === null ? 'webhook endpoint' : `additional endpoint ${endpointId}`} of merchant ${stream.merchantId} has not accepted a notification for over 8 hours. Later notifications of the same object wait. ` +
    `When the endpoint works again, run \`${commandOf('wake', stream.merchantId, endpointId)}\`; ` +
    `to leave the notification out, run \`${commandOf('skip', `${stream.merchantId} ${stream.objectId}`, endpointId)}\`.`,
  detail: { objectId: stream.objectId, sequence: attempts.at(-1)!.sequence, error: attempts.at(-1)!.error },
})

/** Called in the same transaction when a receiver's deliveries first become exhausted. */
export type ExhaustedSubscriber = (
  tx: Tx,
  exhausted: {
    merchantId: string
    /** null: the endpoint of the merchant's settings */
    endpointId: string | null
    objectId: string
    sequence: number
    error: string | null
    at: number
  },
  moment: Moment,
) => Promise<void>

/**
 * Raises the alert, and calls the subscriber once for each outage.
 * @param endpointId the additional endpoint; null: the receiver is the endpoint of the merchant's settings
 */
export const raiseExhausted = async (
  tx: Tx,
  settlement: Settlement,
  endpointId: string | null,
  subscriber: ExhaustedSubscriber,
  moment: Moment,
): Promise<void> => {
  if (!(await raiseNewAlert(tx, exhaustedAlert(settlement, endpointId), moment))) return
  const { merchantId, objectId } = settlement.stream
  const { sequence, error, status, at } = settlement.attempts.at(-1)!
  const reason = [status, error].filter((one) => one !== null && one !== '').join(' ')
  await subscriber(tx, { merchantId, endpointId, objectId, sequence, error: reason === '' ? null : reason, at }, moment)
}

/** Resolves a receiver's alert when none of its deliveries is exhausted any more. */
export type EndAlert = (tx: Tx, receiverId: string, at: Date) => Promise<void>

export const endAlertIfOver: EndAlert = async (tx, merchantId, at) => {
  const { rows } =
    await sql`select 1 from event_streams where merchant_id = ${merchantId} and state = 'exhausted' limit 1`.execute(tx)
  if (rows.length === 0) await resolveAlert(tx, EXHAUSTED_ALERT, merchantId, at)
}

/** The same for an additional endpoint; its alert ends also when it is removed. */
export const endEndpointAlertIfOver: EndAlert = async (tx, endpointId, at) => {
  const { rows } = await sql`select 1 from endpoint_streams s join webhook_endpoints e on e.id = s.endpoint_id
    where s.endpoint_id = ${endpointId} and s.state = 'exhausted' and e.removed_at is null limit 1`.execute(tx)
  if (rows.length === 0) await resolveAlert(tx, EXHAUSTED_ALERT, subjectOf(endpointId), at)
}

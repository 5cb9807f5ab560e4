import { failingReceivers } from '../../platform/runtime/alert-notices.ts'
import type { Opened } from '../installation/open.ts'
import type { Report } from './doctor-acquirers.ts'
import type { Note } from './doctor-networks.ts'

/** Reports whether alerts are sent to anyone, and the receivers that did not take the last ones. */
export const reportAlerting = async (
  { config, runtime }: Pick<Opened, 'config' | 'runtime'>,
  report: Report,
  note: Note,
): Promise<void> => {
  const { alerts, smtp } = config
  if (alerts === null)
    return note('alerts: BURSAR_ALERTS_FILE is not set, so alerts reach no person (docs/operating/alerts.md)')
  if ((alerts.mail ?? []).length > 0 && smtp === null)
    report(false, 'alerts: the alerts file names mail addresses, but BURSAR_SMTP_URL is not set')
  const count = [alerts.mail, alerts.webhooks, alerts.alertmanager].reduce((sum, list) => sum + (list?.length ?? 0), 0)
  report(count > 0, `alerts: ${count} receivers`)
  for (const { name, since, failure } of await failingReceivers(runtime.db))
    report(false, `alerts: ${name} has taken none since ${since.toISOString()}: ${failure}`)
}

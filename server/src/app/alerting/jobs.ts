import type { ReceivedAlert } from '../../adapters/alert-receivers/index.ts'
import { forEachIsolated, type Job } from '../../platform/jobs/index.ts'
import { alertRowOf } from '../../platform/runtime/alert-kinds.ts'
import {
  dueNotices,
  leaseReceiver,
  noteDelivery,
  noteSent,
  type DueNotice,
} from '../../platform/runtime/alert-notices.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { TimedReceiver } from '../composition/alerts-file.ts'

const EVERY_MS = 10_000
/** Longer than a delivery takes: a mail server may scan a mail for a minute. */
const LEASE_MS = 3 * 60_000

/**
 * Creates the job that sends alerts to their receivers: each alert once, again while it stays open, and once when it
 * has ended. A receiver that fails delays no other one. After a crash between a delivery and its record, the notices
 * are sent again.
 */
export const createAlertingJob = (runtime: Runtime, receivers: readonly TimedReceiver[]): Job => ({
  name: 'alerts to receivers',
  everyMs: EVERY_MS,
  run: async () => {
    await forEachIsolated(receivers, (receiver) => sendDue(runtime, receiver))
    return false
  },
})

const sendDue = async (runtime: Runtime, { receiver, ...times }: TimedReceiver): Promise<void> => {
  const { db } = runtime
  const { at } = momentOf(runtime)
  const due = () => dueNotices(db, receiver.name, times, at)
  // Without this look, each round would write a row, although nothing has happened.
  if ((await due()).length === 0 || !(await leaseReceiver(db, receiver.name, at, LEASE_MS))) return
  const notices = await due()
  try {
    if (notices.length > 0) await receiver.send(notices.map(receivedOf), at)
  } catch (error) {
    await noteDelivery(db, receiver.name, (error as Error).message, momentOf(runtime).at)
    throw new Error(`${receiver.name}: ${(error as Error).message}`, { cause: error })
  }
  await noteSent(db, receiver.name, notices, at)
  await noteDelivery(db, receiver.name, null, momentOf(runtime).at)
}

const receivedOf = (notice: DueNotice): ReceivedAlert => {
  const row = alertRowOf(notice.kind)
  return {
    ...notice,
    severity: row?.severity ?? 'critical',
    page: row?.page ? `docs/operating/${row.page}` : null,
  }
}

import { describeStop, listStops } from '../../ledger/stops/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import { ENDED_BY_OPERATORS } from '../../platform/runtime/alert-kinds.ts'
import { endAlertByHand, openAlerts } from '../../platform/runtime/alerts.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import type { ReceivedAlert } from '../../adapters/alert-receivers/index.ts'
import { openReceivers } from '../alerting/receivers.ts'
import { withInstallation } from '../installation/open.ts'
import { actor } from './recording.ts'
import { command, type Command } from './command.ts'

export const alertCommands: readonly Command[] = [
  command({
    name: 'alerts',
    summary: 'list the stops in force and the open alerts',
    more: 'Alerts with an id in brackets report an event: end them with `alerts end` when you have dealt with it. The others end when the condition that they report ends.',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime }) => {
        const alerts = await openAlerts(runtime.db)
        const stops = await listStops(runtime.db)
        out.show({ stops: [], alerts: [] }, [])
        for (const stop of stops)
          out.add('stops', { ...stop }, `${stop.createdAt.toISOString()} stopped: ${describeStop(stop)}`)
        for (const { id, raisedAt, kind, text } of alerts) {
          const end = ENDED_BY_OPERATORS.includes(kind) ? ` [${id}]` : ''
          out.add('alerts', { id, raisedAt, kind, text }, `${raisedAt.toISOString()} ${kind}: ${text}${end}`)
        }
        if (alerts.length + stops.length === 0) out.show({}, ['no open alerts, and nothing is stopped'])
      }),
  }),
  command({
    name: 'alerts test',
    summary: 'send a test alert to each receiver of the alerts file',
    run: async (_given, env, out) =>
      withInstallation(env, async ({ runtime, config }) => {
        const { receivers, close } = openReceivers(runtime, config)
        try {
          if (receivers.length === 0)
            throw new Error('there is no receiver: set BURSAR_ALERTS_FILE, see docs/operating/alerts.md')
          const at = momentOf(runtime).at
          for (const { receiver } of receivers) {
            const failure = await receiver.send([testAlert(runtime.newId(), at)], at).then(
              () => null,
              (error: unknown) => (error as Error).message,
            )
            if (failure !== null) process.exitCode = 1
            out.add('receivers', { name: receiver.name, failure }, `${receiver.name}: ${failure ?? 'sent'}`)
          }
        } finally {
          close()
        }
      }),
  }),
  command({
    name: 'alerts end',
    summary: 'end an alert about an event, with a note of your action',
    args: ['ID', 'NOTE...'],
    run: async ({ args: { ID: id, NOTE: note } }, env, out) => {
      if (!isUuid(id)) throw new Error('ID must be an id that `bursar alerts` shows in brackets')
      await withInstallation(env, async ({ runtime }) => {
        const ended = await endAlertByHand(
          runtime.db,
          id,
          { kinds: ENDED_BY_OPERATORS, actor: actor(), note },
          momentOf(runtime).at,
        )
        if (!ended) throw new Error('no alert of this id is open: bursar alerts')
        if (!ended.isEnded) throw new Error(`${ended.kind} reports a condition, and ends when the condition ends`)
        out.say('ended')
      })
    },
  }),
]

/** It is ended, so that a monitoring system does not keep it open. */
const testAlert = (id: string, at: Date): ReceivedAlert => ({
  id,
  kind: 'test',
  severity: 'warning',
  subject: 'test',
  text: 'This is a test of the receivers of alerts. You need not do anything.',
  page: 'docs/operating/alerts.md',
  raisedAt: at,
  endedAt: at,
  isRepeated: false,
})

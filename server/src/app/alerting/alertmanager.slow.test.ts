/** Alerts at a real Alertmanager of Debian, behind a login. Under ten seconds; on a new machine it is fetched first. */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { findAlertmanager, startAlertmanager } from '../../../../test/setup/alertmanager.ts'
import { makeOwnedFolder } from '../../../../test/setup/scratch.ts'
import { useDb } from '../../../../test/world/database.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import type { AlertKind } from '../../platform/runtime/alert-kinds.ts'
import { failingReceivers } from '../../platform/runtime/alert-notices.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createReceivers, readAlertsFile } from '../composition/alerts-file.ts'
import { createAlertingJob } from './jobs.ts'

const MINUTE = 60_000
const found = await findAlertmanager()
const missing = typeof found === 'string' ? found : undefined
/** Under CI a missing program is a failure. */
const isSkipped = missing !== undefined && process.env['CI'] === undefined

const { db } = useDb()
/** Bursar is a minute behind first: Alertmanager compares the ends of alerts with the clock of the machine. */
let behindMs = MINUTE
const now = (): number => Date.now() - behindMs
const runtime: Runtime = {
  db,
  clock: { now, business: now } as Runtime['clock'],
  newId: () => uuidv7(now(), randomBytes(10)),
  log: pino({ enabled: false }),
}
const raise = (kind: AlertKind, subject: string) =>
  raiseAlert(db, { kind, subject, text: `text of ${kind}` }, { at: new Date(now()), newId: runtime.newId })

/** The password is `p@ss:word`. */
const LOGIN = {
  user: 'bursar',
  password: 'p@ss:word',
  hash: '$2b$04$y02/GeIQAjYsDeHTU4DtIuulgP7P16pIzdmjyuIxr0.CNILX3GMpG',
}

/** A person's system that gets what Alertmanager sends: the label of each group. */
const startPager = async () => {
  const groups: string[] = []
  const server = createServer(async (request, response) => {
    let raw = ''
    for await (const chunk of request.setEncoding('utf8')) raw += chunk
    groups.push((JSON.parse(raw) as { groupLabels: { alertname: string } }).groupLabels.alertname)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, groups }
}

interface Group {
  labels: { alertname: string }
  alerts: { labels: Record<string, string>; annotations: Record<string, string>; startsAt: string; endsAt: string }[]
}

test.skipIf(isSkipped)(
  `Alertmanager has each open alert once, groups those of a kind, and sends a group once${missing === undefined ? '' : ` (${missing})`}`,
  async () => {
    if (typeof found === 'string') throw new Error(found)
    const pager = await startPager()
    const settings = {
      route: {
        receiver: 'pager',
        group_by: ['alertname'],
        group_wait: '1s',
        group_interval: '1h',
        repeat_interval: '4h',
      },
      receivers: [{ name: 'pager', webhook_configs: [{ url: pager.url }] }],
    }
    const program = await startAlertmanager(found, makeOwnedFolder('alertmanager'), settings, LOGIN)
    onTestFinished(() => program.stop())
    const jobFor = (login: string) =>
      createAlertingJob(
        runtime,
        createReceivers(readAlertsFile({ alertmanager: [program.url.replace('//', `//${login}`)] }), null),
      )
    const run = (login = 'bursar:p%40ss%3Aword@') => jobFor(login).run(new AbortController().signal)
    const groups = async (): Promise<Group[]> => {
      const authorization = `Basic ${Buffer.from(`${LOGIN.user}:${LOGIN.password}`).toString('base64')}`
      const answer = await fetch(`${program.url}/api/v2/alerts/groups`, { headers: { authorization } })
      return (await answer.json()) as Group[]
    }
    const subjects = async (): Promise<Record<string, (string | undefined)[]>> =>
      Object.fromEntries(
        (await groups()).map(({ labels, alerts }) => [
          labels.alertname,
          alerts.map((alert) => alert.labels['subject']).toSorted(),
        ]),
      )

    const raisedAt = now()
    await raise('hot-low', 'TRON USDT')
    await raise('hot-low', 'ETHEREUM ETH')
    await raise('custody-shortage', 'TRON USDT')
    await expect(run('bursar:wrong@')).rejects.toThrow('HTTP 401')
    await run()
    const both = { 'custody-shortage': ['TRON USDT'], 'hot-low': ['ETHEREUM ETH', 'TRON USDT'] }
    await expect.poll(subjects).toEqual(both)
    behindMs = 0
    await run()
    expect(await subjects()).toEqual(both)
    const shortage = (await groups()).find(({ labels }) => labels.alertname === 'custody-shortage')!.alerts[0]!
    expect(shortage).toMatchObject({
      labels: { alertname: 'custody-shortage', severity: 'critical', subject: 'TRON USDT', job: 'bursar' },
      annotations: { summary: 'text of custody-shortage', page: expect.stringMatching(/^docs\/operating\//) },
    })
    expect(Math.abs(Date.parse(shortage.startsAt) - raisedAt)).toBeLessThan(MINUTE)
    expect(Date.parse(shortage.endsAt)).toBeGreaterThan(raisedAt + 5 * MINUTE)
    await expect.poll(() => pager.groups.toSorted()).toEqual(['custody-shortage', 'hot-low'])

    await resolveAlert(db, 'hot-low', 'TRON USDT', new Date(now()))
    await run()
    await expect.poll(subjects).toEqual({ 'custody-shortage': ['TRON USDT'], 'hot-low': ['ETHEREUM ETH'] })
    expect(await failingReceivers(db)).toEqual([])
    expect(pager.groups).toHaveLength(2)
  },
)

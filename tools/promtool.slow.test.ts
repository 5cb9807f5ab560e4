/**
 * The files for Prometheus and Grafana, read by Prometheus' own tool: the rules, a test in which each alert fires, and
 * each query of a dashboard. About two seconds; on a new machine Debian's package is fetched first.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPromtool } from '../test/setup/promtool.ts'
import { makeScratch, type Scratch } from '../test/setup/scratch.ts'
import { ALERT_KINDS } from '../server/src/platform/runtime/alert-kinds.ts'
import { alertNameOf } from './generate-alerts.ts'
import { DASHBOARDS } from './generate-dashboards.ts'
import { listMetrics } from './generate-metrics.ts'

const RULES = join(import.meta.dirname, '../docs/operating/prometheus/alerts.yml')
let scratch: Scratch
let promtool = ''
beforeAll(async () => {
  const found = await findPromtool()
  if (typeof found === 'string') throw new Error(found)
  promtool = found.program
  scratch = await makeScratch('promtool')
  copyFileSync(RULES, join(scratch.dir, 'alerts.yml'))
})
afterAll(() => scratch.remove())

/** Runs promtool on one file. JSON is YAML, so files are written as JSON. */
const check = (command: 'check' | 'test', name: string, contents?: unknown) => {
  const file = join(scratch.dir, name)
  if (contents !== undefined) writeFileSync(file, JSON.stringify(contents))
  const { status, stdout, stderr } = spawnSync(promtool, [command, 'rules', file], { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

test('the rules are valid', () => {
  const { status, output } = check('check', 'alerts.yml')
  expect(output).toContain(`SUCCESS: ${Object.keys(ALERT_KINDS).length + 1} rules found`)
  expect(status).toBe(0)
})

const kinds = Object.entries(ALERT_KINDS).map(([kind, row]) => ({
  alert: alertNameOf(kind),
  kind: kind.replace('*', 'limit'),
  ...row,
}))
/** Two processes report the same alert. */
const openAlerts = kinds.flatMap(({ kind }) =>
  ['api', 'worker'].map((instance) => ({
    series: `bursar_open_alerts{kind="${kind}", instance="${instance}"}`,
    values: '0 1x30',
  })),
)
const alive = { series: 'bursar_sign_of_life_age_seconds{role="worker"}', values: '10x60' }
const firesAt = (minutes: number, { alert, kind, severity, page, cause }: (typeof kinds)[number]) => ({
  eval_time: `${minutes}m`,
  alertname: alert,
  exp_alerts:
    severity === 'warning' && minutes < 11
      ? []
      : [
          {
            exp_labels: { severity, kind },
            exp_annotations: { summary: cause, page: `docs/operating/${page ?? 'alerts.md'}` },
          },
        ],
})
const silent = {
  alertname: 'BursarProcessSilent',
  exp_alerts: [
    {
      exp_labels: { severity: 'critical' },
      exp_annotations: {
        summary: 'no process of Bursar answers, or a role has not reported for a minute',
        page: 'docs/operating/production.md',
      },
    },
  ],
}

test('each alert fires once for two processes, a warning after ten minutes, and silence fires too', () => {
  const of = (input_series: object[], alert_rule_test: object[]) => ({ interval: '1m', input_series, alert_rule_test })
  const { status, output } = check('test', 'tests.yml', {
    rule_files: ['alerts.yml'],
    evaluation_interval: '1m',
    tests: [
      of(
        [...openAlerts, alive],
        [
          ...kinds.flatMap((one) => [firesAt(2, one), firesAt(15, one)]),
          { eval_time: '15m', alertname: silent.alertname, exp_alerts: [] },
        ],
      ),
      of([{ series: alive.series, values: '61x10' }], [{ eval_time: '3m', ...silent }]),
      of([], [{ eval_time: '3m', ...silent }]),
    ],
  })
  expect(output).toContain('SUCCESS')
  expect(status).toBe(0)
})

const queries = DASHBOARDS.flatMap(({ name, panels }) =>
  panels.flatMap(({ title, queries: list }) => list.map(([expr]) => ({ of: `${name}: ${title}`, expr }))),
)

test('each query of a dashboard is PromQL, and its metrics exist', () => {
  const rules = queries.map(({ expr }, at) => ({ record: `panel_${at}`, expr }))
  const { status, output } = check('check', 'panels.yml', { groups: [{ name: 'panels', rules }] })
  expect(output).toContain(`SUCCESS: ${queries.length} rules found`)
  expect(status).toBe(0)
  const names = new Set(
    listMetrics().flatMap(({ name, type }) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  )
  for (const { of, expr } of queries)
    for (const [metric] of expr.matchAll(/bursar_\w+/g)) expect(names, `${of}: ${metric}`).toContain(metric)
})

test('each metric of Bursar is in a dashboard', () => {
  const shown = queries.map(({ expr }) => expr).join(' ')
  const missing = listMetrics().filter(({ name }) => !shown.includes(name))
  expect(missing.map(({ name }) => name)).toEqual([])
})

/** The list of all metrics, from the figures and counters that the roles register. */
import type { Metric } from 'prom-client'
import { createRequestMeter } from '../server/src/app/http/index.ts'
import { createJobMeter, createSignerMeter } from '../server/src/app/observability/meters.ts'
import { createTraceMeter } from '../server/src/platform/traces/exporter.ts'
import { exchangeMetricsOf } from '../server/src/app/observability/metrics-exchange.ts'
import { metricsOf, poolMetrics } from '../server/src/app/observability/metrics.ts'
import { lifeMetrics } from '../server/src/app/serving/living.ts'
import { readPolicies } from '../server/src/app/composition/policy.ts'
import { readExchangePolicy } from '../server/src/exchange/exchanges/index.ts'
import { createCatalogue } from '../server/src/market/assets/index.ts'
import { createDb, createPool } from '../server/src/platform/db/index.ts'
import { createClock } from '../server/src/platform/runtime/clock.ts'

interface ListedMetric {
  name: string
  help: string
  labels: readonly string[]
  type: 'gauge' | 'counter' | 'histogram'
  /** the process that has it; every role when absent */
  role?: 'api' | 'worker'
}

/** Every metric of Bursar, by name. Nothing is read: no database is needed. */
export const listMetrics = (): ListedMetric[] => {
  const runtime = { db: createDb(createPool({ url: 'postgres:///nothing-is-asked' })), clock: createClock() }
  const catalogue = createCatalogue({ crypto: [], fiat: [] })
  const figures = [
    ...lifeMetrics(runtime),
    ...metricsOf(runtime, catalogue, readPolicies({}).treasury),
    ...exchangeMetricsOf(runtime, catalogue, readExchangePolicy(catalogue, undefined)),
    ...poolMetrics(() => ({ total: 0, idle: 0, waiting: 0 })),
  ].map(({ name, help, labels, kind = 'gauge' }) => ({ name, help, labels, type: kind }))
  const counted = [
    ...createRequestMeter().metrics.map((metric) => ({ ...describe(metric), role: 'api' as const })),
    ...createJobMeter().metrics.map(describe),
    ...createTraceMeter().metrics.map(describe),
    ...createSignerMeter().metrics.map((metric) => ({ ...describe(metric), role: 'worker' as const })),
  ]
  return [...figures, ...counted].toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** prom-client stores its settings on the metric, and its types do not name them. */
const describe = (metric: Metric): Omit<ListedMetric, 'role'> => {
  const { name, help, labelNames } = metric as unknown as { name: string; help: string; labelNames: string[] }
  return { name, help, labels: labelNames, type: metric.constructor.name === 'Histogram' ? 'histogram' : 'counter' }
}

/** `docs/operating/metrics.md` */
export const metricsDocument = (): string => `# Metrics

Written by \`npm run generate\` from the metrics that the roles register.

Each role serves \`/metrics\` in the format of Prometheus on its inner address (\`BURSAR_INNER\`). Besides the table, each has the metrics of Node of the package prom-client, such as \`process_resident_memory_bytes\` and \`nodejs_eventloop_lag_seconds\`.

Metrics that are read from the database are the same in each process: use \`max\`, not \`sum\`. Metrics with a role in the table, those of jobs and those of the pool are counted by one process: use \`sum\`. A histogram has the suffixes \`_bucket\`, \`_sum\` and \`_count\`. No label has a merchant, an address or another value of a person.

[grafana](grafana) has dashboards to import, [prometheus/alerts.yml](prometheus/alerts.yml) the rules ([alerts.md](alerts.md)). [production.md](production.md) describes \`/health/live\` and \`/health/ready\`.

| metric | type | labels | role | meaning |
|---|---|---|---|---|
${listMetrics()
  .map(({ name, type, labels, role, help }) => {
    const shown = labels.map((label) => `\`${label}\``).join(', ')
    return `| \`${name}\` | ${type} | ${shown} | ${role ?? 'all'} | ${help} |`
  })
  .join('\n')}
`

import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Registry, type Metric } from 'prom-client'

/** A metric whose value is read when it is requested. */
export interface Figure {
  name: string
  help: string
  labels: readonly string[]
  /** `counter`: only increases while the process lives; `gauge` when absent */
  kind?: 'gauge' | 'counter'
  read(): Promise<{ labels: Record<string, string>; value: number }[]>
}

/** Answers of the inner server about the process. */
interface Health {
  /** rejects while the database does not answer: `/health` */
  healthy(): Promise<unknown>
  /** the reasons why the process can't do its work; empty if it can: `/health/ready` */
  missing(): Promise<readonly string[]>
  /**
   * the offset of the business clock that the process uses, in ms: `/business-clock`. Only in a sandbox, whose control
   * server moves the clock
   */
  clockOffset?: (() => number) | undefined
}

/**
 * Creates the server for metrics and health of one process, on an internal address that merchants can't reach.
 * `/health/live` is answered without any look at other systems: a service manager that restarts a process because its
 * database is away makes nothing better.
 * @param metrics those that the process counts itself
 */
export const createInnerServer = (
  figures: readonly Figure[],
  { healthy, missing, clockOffset }: Health,
  metrics: readonly Metric[] = [],
): Server => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const metric of metrics) registry.registerMetric(metric)
  for (const figure of figures) register(registry, figure)
  return createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'content-type': type }).end(body)
    }
    if (request.url === '/metrics') {
      registry.metrics().then(
        (text) => answer(200, registry.contentType, text),
        (error: unknown) => answer(500, 'text/plain', String(error)),
      )
    } else if (request.url === '/health') {
      healthy().then(
        () => answer(200, 'text/plain', 'ok'),
        (error: unknown) => answer(503, 'text/plain', String(error)),
      )
    } else if (request.url === '/health/live') {
      answer(200, 'application/json', '{"status":"live"}')
    } else if (request.url === '/health/ready') {
      missing().then(
        (reasons) =>
          reasons.length === 0
            ? answer(200, 'application/json', '{"status":"ready"}')
            : answer(503, 'application/json', JSON.stringify({ status: 'not ready', reasons })),
        (error: unknown) => answer(503, 'text/plain', String(error)),
      )
    } else if (request.url === '/business-clock' && clockOffset) {
      answer(200, 'application/json', JSON.stringify({ offsetMs: clockOffset() }))
    } else answer(404, 'text/plain', 'not found')
  })
}

const register = (registry: Registry, { name, help, labels, kind, read }: Figure): void => {
  const settings = { name, help, labelNames: [...labels], registers: [registry] }
  if (kind === 'counter') {
    const counter: Counter = new Counter({
      ...settings,
      async collect() {
        counter.reset()
        for (const { labels: at, value } of await read()) counter.inc(at, value)
      },
    })
  } else {
    const gauge: Gauge = new Gauge({
      ...settings,
      async collect() {
        gauge.reset()
        for (const { labels: at, value } of await read()) gauge.set(at, value)
      },
    })
  }
}

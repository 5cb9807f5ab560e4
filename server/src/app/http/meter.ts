import { Counter, Histogram, type Metric } from 'prom-client'

/** Counts requests and their durations. */
export interface RequestMeter {
  /** @param operation the contract's id of the operation, or method and path of a page */
  note(operation: string, status: number, ms: number): void
  /** for the registry of the inner server only */
  readonly metrics: readonly Metric[]
}

/** Upper bounds of the histogram of durations, in seconds. */
const RANGES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export const createRequestMeter = (): RequestMeter => {
  const answered = new Counter({
    name: 'bursar_requests_total',
    help: 'Requests answered, by operation and HTTP status',
    labelNames: ['operation', 'status'],
    registers: [],
  })
  const seconds = new Histogram({
    name: 'bursar_request_seconds',
    help: 'Time that answering took, by operation',
    labelNames: ['operation'],
    buckets: RANGES,
    registers: [],
  })
  return {
    note: (operation, status, ms) => {
      answered.inc({ operation, status })
      seconds.observe({ operation }, ms / 1_000)
    },
    metrics: [answered, seconds],
  }
}

import type { Metric } from 'prom-client'
import type { Role } from '../../platform/config/settings.ts'
import { VERSION } from '../../platform/process/version.ts'
import { createExporter } from '../../platform/traces/exporter.ts'
import { setTracing } from '../../platform/traces/tracing.ts'
import type { Opened } from '../installation/open.ts'

/** Starts the traces of a role if its settings name a receiver. `close` sends the last spans. */
export const startTracing = (
  role: Exclude<Role, 'cli'>,
  { config, runtime }: Pick<Opened, 'config' | 'runtime'>,
): { metrics: readonly Metric[]; close(): Promise<void> } => {
  if (config.tracesUrl === null) return { metrics: [], close: async () => {} }
  const exporter = createExporter({
    url: config.tracesUrl,
    headers: config.tracesHeaders ?? {},
    resource: { role, version: VERSION },
    onFailure: (err) => runtime.log.warn({ err }, 'the receiver of traces does not take them: they are dropped'),
  })
  setTracing(exporter, config.tracesPercent / 100)
  return {
    metrics: exporter.metrics,
    close: () => {
      setTracing(undefined)
      return exporter.close()
    },
  }
}

import pg from 'pg'
import type { PoolSettings } from './pool.ts'

export interface Listener {
  close(): Promise<void>
}

const RETRY_MS = 250

/**
 * Listens on channels over a connection of its own, for ever. After every (re)connection `onConnected` is called first:
 * what was announced while nobody listened is lost, so the caller forgets what it had kept.
 */
export const listen = (
  settings: PoolSettings,
  channels: readonly string[],
  on: { connected(): void; notified(channel: string, payload: string): void },
): Listener => {
  let closed = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: settings.url, application_name: settings.applicationName ?? 'bursar', keepAlive: true })
    let lost = false
    const again = (): void => {
      if (lost) return
      lost = true
      next.end().catch(() => {})
      if (!closed) timer = setTimeout(() => void connect(), RETRY_MS)
    }
    next.on('error', again)
    next.on('end', again)
    next.on('notification', ({ channel, payload }) => on.notified(channel, payload ?? ''))
    try {
      await next.connect()
      for (const channel of channels) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
      client = next
      on.connected()
    } catch {
      again()
    }
  }
  void connect()
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}

import pg from 'pg'
import { DatabaseClient } from './client.ts'
import type { PoolSettings } from './pool.ts'

export interface Listener {
  close(): Promise<void>
}

export interface ListenerEvents {
  /** The connection now listens. Earlier notifications may be lost, so the caller must discard its cached values. */
  connected(): void
  notified(channel: string, payload: string): void
}

const RETRY_MS = 250
/** Interval of heartbeats. A connection that was lost silently is detected within two of them. */
const HEARTBEAT_MS = 250

/** Listens on channels over its own connection until closed. Calls `connected` after every (re)connection. */
export const listen = (settings: PoolSettings, channels: readonly string[], on: ListenerEvents): Listener => {
  let closed = false
  let current: { end(): void } | undefined
  let timer: NodeJS.Timeout | undefined
  const connect = (): void => {
    current = openOne(settings, channels, on, () => {
      if (!closed) timer = setTimeout(connect, RETRY_MS)
    })
  }
  connect()
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      current?.end()
    },
  }
}

/** Opens one connection. Calls `onEnd` once when it is lost or closed. */
const openOne = (
  settings: PoolSettings,
  channels: readonly string[],
  on: ListenerEvents,
  onEnd: () => void,
): { end(): void } => {
  const client = new DatabaseClient({
    connectionString: settings.url,
    application_name: `${settings.applicationName ?? 'bursar'} listener`,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
  })
  let ended = false
  let heartbeat: NodeJS.Timeout | undefined
  const end = (): void => {
    if (ended) return
    ended = true
    clearInterval(heartbeat)
    client.end().catch(() => {})
    onEnd()
  }
  const start = async (): Promise<void> => {
    await client.connect()
    for (const channel of channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    if (ended) return
    on.connected()
    let waiting = false
    heartbeat = setInterval(() => {
      if (waiting) {
        client.abandon(new Error('the database did not answer a heartbeat'))
        return end()
      }
      waiting = true
      client.query('select').then(() => {
        waiting = false
      }, end)
    }, HEARTBEAT_MS)
  }
  client.on('error', end)
  client.on('end', end)
  client.on('notification', ({ channel, payload }) => on.notified(channel, payload ?? ''))
  start().catch(end)
  return { end }
}

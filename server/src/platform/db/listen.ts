import pg from 'pg'
import { openClient } from './client.ts'
import type { PoolSettings } from './pool.ts'
import { ReconnectingConnection } from './reconnecting.ts'

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
  let isClosed = false
  const connection = new ReconnectingConnection({
    open: () =>
      openClient({
        connectionString: settings.url,
        application_name: `${settings.applicationName ?? 'bursar'} listener`,
        keepAlive: true,
        connectionTimeoutMillis: 5_000,
      }),
    prepare: async (client) => {
      client.on('notification', ({ channel, payload }) => on.notified(channel, payload ?? ''))
      for (const channel of channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      if (!isClosed) on.connected()
    },
    heartbeat: { everyMs: HEARTBEAT_MS, answerMs: HEARTBEAT_MS },
  })
  connection.keepOpen(RETRY_MS)
  return {
    close: async () => {
      isClosed = true
      // The end of a connection to a silent server may take long.
      void connection.close()
    },
  }
}

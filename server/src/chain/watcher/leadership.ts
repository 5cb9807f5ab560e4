import type { Network } from '@bursar/chainkit'
import type pg from 'pg'
import { DatabaseClient } from '../../platform/db/index.ts'

/** An arbitrary lock key, the same in every process; the second half of the key is the network's. */
const LOCK_CLASS = 726_263

/**
 * Leads a network while its own database session holds an advisory lock. The server ends a session that is silent for
 * `silenceMs`, so that a suspended process, which can't close its connection, loses the lead. Later writes of that
 * process fail because their epoch is old.
 */
export interface Leadership {
  /** True when this process leads. Asks for the lead when it does not. */
  lead(): Promise<boolean>
  /** False as soon as the session is known to be gone. */
  held(): boolean
  /** Gives up the lead, so that another process can get it at once. */
  release(): Promise<void>
}

export const createLeadership = (options: { url: string; network: Network; silenceMs?: number }): Leadership => {
  const { url, network, silenceMs = 10_000 } = options
  let session: pg.Client | undefined
  let leads = false
  let heartbeat: NodeJS.Timeout | undefined

  const drop = (lost: pg.Client): void => {
    if (session !== lost) return
    session = undefined
    leads = false
    clearInterval(heartbeat)
    lost.end().catch(() => {})
  }

  const connect = async (): Promise<pg.Client> => {
    const client = new DatabaseClient({
      connectionString: url,
      application_name: `bursar watcher ${network}`,
      connectionTimeoutMillis: 5_000,
      query_timeout: silenceMs,
      keepAlive: true,
    })
    client.on('error', () => drop(client))
    client.on('end', () => drop(client))
    try {
      await client.connect()
      await client.query(`set idle_session_timeout = ${Math.trunc(silenceMs)}`)
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
    session = client
    heartbeat = setInterval(() => void client.query('select 1').catch(() => drop(client)), silenceMs / 4)
    heartbeat.unref()
    return client
  }

  return {
    held: () => leads,
    lead: async () => {
      if (leads) return true
      const client = session ?? (await connect())
      try {
        const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as got', [
          LOCK_CLASS,
          network,
        ])
        leads = rows[0]!.got && session === client
      } catch (error) {
        drop(client)
        throw error
      }
      return leads
    },
    release: async () => {
      const client = session
      session = undefined
      leads = false
      clearInterval(heartbeat)
      await client?.end().catch(() => {})
    },
  }
}

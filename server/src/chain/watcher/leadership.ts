import type { Network } from '@bursar/chainkit'
import { openClient, ReconnectingConnection } from '../../platform/db/index.ts'

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
  let leads = false
  const connection = new ReconnectingConnection({
    open: () =>
      openClient({
        connectionString: url,
        application_name: `bursar watcher ${network}`,
        connectionTimeoutMillis: 5_000,
        query_timeout: silenceMs,
        keepAlive: true,
      }),
    prepare: async (client) => {
      await client.query(`set idle_session_timeout = ${Math.trunc(silenceMs)}`)
    },
    ended: () => {
      leads = false
    },
    heartbeat: { everyMs: silenceMs / 4, answerMs: silenceMs },
  })

  return {
    held: () => leads,
    lead: async () => {
      if (leads) return true
      const session = await connection.get()
      try {
        const { rows } = await session.query<{ got: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as got', [
          LOCK_CLASS,
          network,
        ])
        leads = rows[0]!.got && connection.isCurrent(session)
      } catch (error) {
        connection.drop(session)
        throw error
      }
      return leads
    },
    release: () => connection.close(),
  }
}

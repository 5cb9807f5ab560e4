import { randomUUID } from 'node:crypto'
import { DatabaseClient } from './client.ts'

/**
 * A program such as pgbouncer is between this process and PostgreSQL. It drops the settings of a session: limits of
 * time, and plan settings. In its transaction mode also `LISTEN`, session locks and prepared statements break.
 */
class PoolerBetween extends Error {
  override name = 'PoolerBetween'

  constructor(options?: ErrorOptions) {
    super(
      'DATABASE_URL leads to a connection pooler, such as pgbouncer, which drops settings, locks and LISTEN of a session: connect to PostgreSQL itself (docs/operating/high-availability.md)',
      options,
    )
  }
}

/** The refusal of pgbouncer that does not ignore a setting (protocol error 08P01, pgbouncer/src/client.c). */
const REFUSES = /unsupported startup parameter/

/** Sends a setting of a session that has no meaning, and asks for it. Throws PoolerBetween when it did not arrive. */
export const requireNoPooler = async (url: string): Promise<void> => {
  const sent = randomUUID()
  const client = new DatabaseClient({
    connectionString: url,
    application_name: 'bursar-probe',
    options: `-c bursar.sent=${sent}`,
  })
  try {
    await client.connect()
    const { rows } = await client.query<{ arrived: string | null }>(
      "select current_setting('bursar.sent', true) as arrived",
    )
    if (rows[0]!.arrived !== sent) throw new PoolerBetween()
  } catch (error) {
    if (error instanceof Error && REFUSES.test(error.message)) throw new PoolerBetween({ cause: error })
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}

import { DatabaseClient } from '../../platform/db/client.ts'

/** Key of the advisory lock of backups. Any number, the same in every process. */
const LOCK = 726_264

/**
 * Runs while no other backup of this database is made. The lock is that of a database session, so that it ends with
 * this process. Throws an Error when another backup is being made.
 */
export const oneAtATime = async <T>(url: string, work: () => Promise<T>): Promise<T> => {
  const client = new DatabaseClient({ connectionString: url, application_name: 'bursar backup', keepAlive: true })
  // A lost session is noticed at the end: two backups may then have run at once, each with a name of its own.
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK])
    if (rows[0]?.locked !== true)
      throw new Error('another backup of this database is being made: wait until it has ended')
    return await work()
  } finally {
    await client.end().catch(() => {})
  }
}

/** Checks that a server answers and has our database. */
import type { Client } from 'pg'
import { DatabaseClient } from '../../server/src/platform/db/index.ts'
import { socketUrl } from './socket.ts'

export async function answers(socketDir: string): Promise<boolean> {
  try {
    await withClient(socketUrl(socketDir, 'postgres'), (client) => client.query('select 1'))
    return true
  } catch {
    return false
  }
}

export async function ensureDatabase(socketDir: string, name: string): Promise<void> {
  await withClient(socketUrl(socketDir, 'postgres'), async (client) => {
    const found = await client.query('select 1 from pg_database where datname = $1', [name])
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  })
}

/** Connects, runs the work, and always disconnects. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new DatabaseClient({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

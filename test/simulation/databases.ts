/** A PostgreSQL of the simulation's own, and a migrated database for each run. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { startPostgres } from '../../sandbox/postgres/index.ts'
import { migrate } from '../../server/src/platform/db/migrate.ts'
import { fastFolder } from '../setup/fast-folder.ts'

export interface Databases {
  /** of the server; `startDatabases` takes it */
  readonly url: string
  /** Calls `work` with a new database and an empty folder, and removes both. */
  use<T>(work: (place: { databaseUrl: string; dir: string }) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

/**
 * Without fsync, and without waiting for the log: neither the machine nor the server crashes here. Tables are small:
 * more processes for a query cost more than they save.
 */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_parallel_workers_per_gather: '0',
  shared_buffers: '128MB',
  max_wal_size: '256MB',
}
const TEMPLATE = 'simulation_template'

/** @param running a server that another process has started by this function: it stays */
export const startDatabases = async (running?: string): Promise<Databases> => {
  const folder = mkdtempSync(join(fastFolder() ?? tmpdir(), 'bursar-simulation-'))
  const server =
    running === undefined
      ? await startPostgres({ dataDir: join(folder, 'postgres'), settings: SETTINGS })
      : { url: running, stop: async () => {} }
  const urlOf = (name: string): string => server.url.replace(/^(postgres:\/\/[^/]*\/)[^?]*/, `$1${name}`)
  const query = (text: string): Promise<unknown> => withClient(server.url, (client) => client.query(text))
  if (running === undefined) {
    await query(`create database ${TEMPLATE} template template0`)
    await migrate(urlOf(TEMPLATE))
  }
  let last = 0
  return {
    url: server.url,
    use: async (work) => {
      const name = `simulation_${process.pid}_${(last += 1)}`
      const dir = join(folder, name)
      await query(`create database ${name} template ${TEMPLATE} strategy file_copy`)
      try {
        return await work({ databaseUrl: urlOf(name), dir })
      } finally {
        await query(`drop database if exists ${name} with (force)`)
        rmSync(dir, { recursive: true, force: true })
      }
    },
    stop: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../sandbox/postgres/index.ts'
import { withClient } from '../sandbox/postgres/connection.ts'

/** Runs a bench on its own durable PostgreSQL, which is deleted afterwards. `folder` is for files of the bench. */
export const withServer = async <T>(name: string, work: (url: string, folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), `bursar-bench-${name}-`))
  const postgres = await startPostgres({ dataDir: join(folder, 'pg') })
  try {
    return await work(postgres.url, folder)
  } finally {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Creates another database on the server of `url`. @returns its URL */
export const createDatabase = async (url: string, name: string): Promise<string> => {
  await withClient(url, (client) => client.query(`create database ${name}`))
  return url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`)
}

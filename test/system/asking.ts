/**
 * Means of tests of the whole system, besides those of merchants: the operator's command, the database, and waiting.
 */
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Pool } from 'pg'
import { DatabaseClient } from '../../server/src/platform/db/index.ts'
import { buildPrograms } from '../../tools/build.ts'

export interface Asking {
  /** Runs `bursar` as the operator of this sandbox would. Returns its output, of both streams when it failed. */
  bursar(...args: string[]): Promise<{ text: string; code: number }>
  query<T extends object>(text: string, values?: unknown[]): Promise<T[]>
  /**
   * Looks again and again until there is something, neither undefined nor false; fails with the logs when it does not
   * come within `PATIENCE_MS`, or the time given.
   */
  until<T>(what: string, look: () => Promise<T | undefined | false>, withinMs?: number): Promise<T>
}

const { bursar } = await buildPrograms()

/** Less than a test has, so that a test that fails shows the logs; a busy machine may take that long. */
export const PATIENCE_MS = 240_000

/**
 * Keeps its connections, because tests look ten times a second, and a new connection costs the server a process. They
 * end with the server, or when they have been idle.
 */
const openPool = (connectionString: string): Pool => {
  const pool = new Pool({
    connectionString,
    max: 8,
    idleTimeoutMillis: 5_000,
    allowExitOnIdle: true,
    Client: DatabaseClient,
  })
  // A server that goes away between two queries must not end this process; the next query reports it.
  pool.on('error', () => {})
  return pool
}

export const askingOf = ({
  environment,
  database,
  logs,
}: {
  environment: NodeJS.ProcessEnv
  database: string
  logs(): string
}): Asking => {
  const pool = openPool(database)
  return {
    bursar: (...args) =>
      promisify(execFile)(process.execPath, [bursar, ...args], { env: environment }).then(
        ({ stdout }) => ({ text: stdout, code: 0 }),
        (error: { stdout: string; stderr: string; code: number }) => ({
          text: error.stdout + error.stderr,
          code: error.code,
        }),
      ),
    query: async <T extends object>(text: string, values: unknown[] = []) => (await pool.query<T>(text, values)).rows,
    until: async (what, look, withinMs = PATIENCE_MS) => {
      const deadline = performance.now() + withinMs
      for (;;) {
        const found = await look()
        if (found !== undefined && found !== false) return found
        if (performance.now() > deadline) throw new Error(`never came: ${what}\n${logs()}`)
        await sleep(100)
      }
    },
  }
}

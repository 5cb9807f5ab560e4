/**
 * What tests of the whole ask it besides what its merchants can: the operator's command, the database, and patience.
 */
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { buildPrograms } from '../../tools/build.ts'
import { withClient } from '../../sandbox/postgres/connection.ts'

export interface Asking {
  /** Runs `bursar` as the operator of this sandbox would; what it wrote, on both streams when it failed. */
  bursar(...args: string[]): Promise<{ text: string; code: number }>
  query<T extends object>(text: string, values?: unknown[]): Promise<T[]>
  /**
   * Looks again and again until there is something, neither undefined nor false; fails with the logs when it does not
   * come.
   */
  until<T>(what: string, look: () => Promise<T | undefined | false>, withinMs?: number): Promise<T>
}

const { bursar } = await buildPrograms()

export const askingOf = ({
  environment,
  database,
  logs,
}: {
  environment: NodeJS.ProcessEnv
  database: string
  logs(): string
}): Asking => ({
  bursar: (...args) =>
    promisify(execFile)(process.execPath, [bursar, ...args], { env: environment }).then(
      ({ stdout }) => ({ text: stdout, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => ({
        text: error.stdout + error.stderr,
        code: error.code,
      }),
    ),
  query: (text, values = []) => withClient(database, async (client) => (await client.query(text, values)).rows),
  until: async (what, look, withinMs = 120_000) => {
    const deadline = performance.now() + withinMs
    for (;;) {
      const found = await look()
      if (found !== undefined && found !== false) return found
      if (performance.now() > deadline) throw new Error(`never came: ${what}\n${logs()}`)
      await sleep(100)
    }
  },
})

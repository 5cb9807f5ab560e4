/** Starts the two servers of the edge bench, each in a separate process. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

export const startServer = (kind: 'bare' | 'app', url: string): ChildProcess =>
  fork(new URL('server.ts', import.meta.url), [kind], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })

export const portOf = async (server: ChildProcess): Promise<number> =>
  ((await once(server, 'message')) as [{ port: number }])[0].port

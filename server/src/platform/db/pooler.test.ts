import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reservePorts } from '../../../../test/setup/ports.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { makeOwnedFolder } from '../../../../test/setup/scratch.ts'
import { DatabaseClient, requireMigrated } from './index.ts'

const database = useDatabase({ template: migrated })

const PROGRAM = '/usr/sbin/pgbouncer'
const isMissing = !existsSync(PROGRAM)
const UNPRIVILEGED = 65_534
const SETTINGS = 'options,lock_timeout,statement_timeout,idle_in_transaction_session_timeout'

/** @param ignored settings of a connection that it accepts and drops */
const startPooler = async (mode: string, ignored: string): Promise<{ pooler: ChildProcess; url: string }> => {
  const [port] = await reservePorts(1)
  const socket = decodeURIComponent(/host=([^&]+)/.exec(database.url)![1]!)
  const name = /\/([^/?]+)\?/.exec(database.url)![1]!
  const lines = [
    '[databases]',
    `${name} = host=${socket} dbname=${name} user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    ...(ignored === '' ? [] : [`ignore_startup_parameters = ${ignored}`]),
  ]
  const file = join(makeOwnedFolder('pooler'), 'pgbouncer.ini')
  writeFileSync(file, `${lines.join('\n')}\n`)
  chmodSync(file, 0o644)
  // It refuses to run as root.
  const owner = process.geteuid?.() === 0 && { uid: UNPRIVILEGED, gid: UNPRIVILEGED }
  const pooler = spawn(PROGRAM, [file], { stdio: 'ignore', ...owner })
  return { pooler, url: `postgres://postgres@127.0.0.1:${port}/${name}` }
}

/** Without settings a connection through it works: it is there, and leads to the database. */
const answer = async (url: string): Promise<unknown> => {
  const client = new DatabaseClient({ connectionString: url })
  try {
    await client.connect()
    return (await client.query('select 1 as one')).rows
  } catch (error) {
    return (error as Error).message
  } finally {
    await client.end().catch(() => {})
  }
}

test('a connection to PostgreSQL itself is accepted', async () => {
  await expect(requireMigrated(database.url)).resolves.toEqual([])
})

test.skipIf(isMissing).each([
  ['session', ''],
  ['session', SETTINGS],
  ['transaction', ''],
  ['transaction', SETTINGS],
])(
  `no role starts behind pgbouncer in its mode %s that ignores %j${isMissing ? " (needs Debian's pgbouncer)" : ''}`,
  async (mode, ignored) => {
    const { pooler, url } = await startPooler(mode, ignored)
    try {
      await expect.poll(() => answer(url)).toEqual([{ one: 1 }])
      await expect(requireMigrated(url)).rejects.toThrow('connection pooler, such as pgbouncer')
    } finally {
      const ended = once(pooler, 'exit')
      pooler.kill('SIGKILL')
      await ended
    }
  },
)

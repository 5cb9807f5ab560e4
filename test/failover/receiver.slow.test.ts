/** The receiver of the backup beside Patroni: commits wait while no standby streams. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { isLong } from '../setup/cases.ts'
import { makeKeptFolder } from '../setup/scratch.ts'
import { startMachines } from './machines.ts'
import { debianRoot, whyNoMachines } from './root.ts'

const missing = whyNoMachines()
/** Patroni looks every three seconds whether a standby streams. */
const ALONE_MS = 15_000

/** Programs of the newer Debian, for this machine: those of the server's version. */
const writePrograms = (root: string, folder: string): string => {
  mkdirSync(folder)
  for (const name of ['pg_receivewal', 'psql', 'pg_waldump']) {
    const path = join(folder, name)
    const libraries = `${root}/usr/lib/x86_64-linux-gnu:${root}/usr/lib/aarch64-linux-gnu`
    writeFileSync(
      path,
      `#!/bin/sh\nexec ${root}/usr/lib*/ld-linux-*.so.* --library-path ${libraries} ${root}/usr/lib/postgresql/17/bin/${name} "$@"\n`,
    )
    chmodSync(path, 0o755)
  }
  return folder
}

test.skipIf(!isLong || missing !== undefined)(
  `P5 a commit waits while no standby streams, although the backup receives the log${missing === undefined ? '' : ` (${missing})`}`,
  async () => {
    const dir = makeKeptFolder('receiver')
    const root = debianRoot()
    const machines = await startMachines(root, dir)
    try {
      const [leader, ...standbys] = await machines.healthy()
      const url = machines.urlOf(leader).replace('/bursar?', '/postgres?')
      const programs = writePrograms(root, join(dir, 'programs'))
      writeFileSync(join(dir, 'backup.url'), url, { mode: 0o600 })
      const main = join(import.meta.dirname, '../../server/src/main.ts')
      const args = ['backup', 'wal', '--folder', join(dir, 'backup'), '--url-file', join(dir, 'backup.url')]
      const receiver = spawn(process.execPath, [main, ...args, '--programs', programs], {
        env: { PATH: process.env['PATH'], DATABASE_URL: url },
        stdio: 'inherit',
      })
      const ended = once(receiver, 'close')
      await withClient(url, async (client) => {
        const look = async (): Promise<Record<string, string | null>> => {
          const { rows } = await client.query<{ name: string; state: string; flush: string | null }>(
            'select application_name as name, sync_state as state, flush_lsn::text as flush from pg_stat_replication',
          )
          return Object.fromEntries(rows.map(({ name, state, flush }) => [name, flush === null ? 'silent' : state]))
        }
        const names = async (): Promise<string> => {
          const { rows } = await client.query<{ value: string }>(
            "select current_setting('synchronous_standby_names') as value",
          )
          return rows[0]!.value
        }
        await expect.poll(look, { timeout: 60_000 }).toHaveProperty('bursar_backup')
        await client.query('create table before as select 1')
        for (const standby of standbys) machines.kill(standby)
        await expect.poll(names, { timeout: 60_000 }).toBe('*')
        await expect.poll(look, { timeout: 60_000 }).toEqual({ bursar_backup: 'silent' })
        let isAcknowledged = false
        const waiting = withClient(url, (second) => second.query('create table alone as select 1')).then(() => {
          isAcknowledged = true
        })
        await sleep(ALONE_MS)
        expect([isAcknowledged, await look()]).toEqual([false, { bursar_backup: 'silent' }])
        for (const standby of standbys) machines.start(standby)
        await waiting
        expect(Object.keys(await look()).length).toBeGreaterThan(1)
      })
      receiver.kill('SIGTERM')
      await ended
    } finally {
      machines.stop()
    }
  },
)

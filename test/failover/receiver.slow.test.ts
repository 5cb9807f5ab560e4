/** The receiver of the backup beside Patroni: commits wait while no standby streams. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { isLong } from '../setup/cases.ts'
import { makeOwnedFolder } from '../setup/scratch.ts'
import { startMachines } from './machines.ts'
import { debianRoot, whyNoMachines } from './root.ts'

const missing = whyNoMachines()
/** Patroni looks every three seconds whether a standby streams. */
const ALONE_MS = 15_000
const timeout = 120_000
const MAIN = join(import.meta.dirname, '../../server/src/main.ts')

/** Makes programs of the newer Debian runnable here: the server has its version. @returns their folder */
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

const startReceiver = (dir: string, url: string, programs: string): (() => Promise<unknown>) => {
  writeFileSync(join(dir, 'backup.url'), url, { mode: 0o600 })
  const args = ['backup', 'wal', '--folder', join(dir, 'backup'), '--url-file', join(dir, 'backup.url')]
  const receiver = spawn(process.execPath, [MAIN, ...args, '--programs', programs], {
    env: { PATH: process.env['PATH'], DATABASE_URL: url },
    stdio: 'inherit',
  })
  const ended = once(receiver, 'close')
  return () => {
    receiver.kill('SIGTERM')
    return ended
  }
}

/** The programs that receive the log, each with its state, or `silent` if it tells no position on its disk. */
const followersOf = async (client: pg.Client): Promise<Record<string, string>> => {
  const { rows } = await client.query<{ name: string; state: string; flush: string | null }>(
    'select application_name as name, sync_state as state, flush_lsn::text as flush from pg_stat_replication',
  )
  return Object.fromEntries(rows.map(({ name, state, flush }) => [name, flush === null ? 'silent' : state]))
}

const standbyNamesOf = async (client: pg.Client): Promise<string> => {
  const { rows } = await client.query<{ value: string }>("select current_setting('synchronous_standby_names') as value")
  return rows[0]!.value
}

/** How many commits wait for a standby. */
const waitsOf = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ n: number }>(
    "select count(*)::int as n from pg_stat_activity where wait_event = 'SyncRep'",
  )
  return rows[0]!.n
}

test.skipIf(!isLong || missing !== undefined)(
  `P5 a commit waits while no standby streams, although the backup receives the log${missing === undefined ? '' : ` (${missing})`}`,
  async () => {
    const dir = makeOwnedFolder('receiver')
    const root = debianRoot()
    const machines = await startMachines(root, dir)
    let stop: (() => Promise<unknown>) | undefined
    try {
      const [leader, ...standbys] = await machines.healthy()
      const url = machines.urlOf(leader).replace('/bursar?', '/postgres?')
      stop = startReceiver(dir, url, writePrograms(root, join(dir, 'programs')))
      await withClient(url, async (client) => {
        await expect.poll(() => followersOf(client), { timeout }).toHaveProperty('bursar_backup')
        await client.query('create table before as select 1')
        const mends = standbys.map((standby) =>
          machines.lose(standby, [{ to: leader.address, ports: { side: 'dport', range: '5432' } }]),
        )
        await expect.poll(async () => Object.keys(await followersOf(client)), { timeout }).toEqual(['bursar_backup'])
        await expect.poll(() => standbyNamesOf(client), { timeout }).toBe('*')
        let isAcknowledged = false
        const waiting = withClient(url, (second) => second.query('create table alone as select 1')).then(() => {
          isAcknowledged = true
        })
        await expect.poll(async () => isAcknowledged || (await waitsOf(client)) > 0, { timeout }).toBe(true)
        await sleep(ALONE_MS)
        expect([isAcknowledged, await standbyNamesOf(client), await followersOf(client)]).toEqual([
          false,
          '*',
          { bursar_backup: 'silent' },
        ])
        for (const mend of mends) mend()
        await waiting
        expect(Object.keys(await followersOf(client)).length).toBeGreaterThan(1)
      })
    } finally {
      await stop?.()
      machines.stop()
    }
  },
)

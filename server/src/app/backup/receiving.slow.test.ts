/** The receiver of the write-ahead log across a failover, with two servers of Debian's PostgreSQL. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { debianPrograms, initCluster, startCluster, type Cluster } from '../../../../test/drill/cluster.ts'
import { drillFolder } from '../../../../test/drill/folder.ts'
import { connectionOf, runProgram, startProgram } from './programs.ts'
import { receiveLog } from './receiving.ts'
import { makeFolder } from './taking.ts'
import { forkOf } from './following.ts'

const programs = debianPrograms()
/** Under CI missing programs are a failure. */
const isSkipped = programs === undefined && process.env['CI'] === undefined

const ending: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

/** A primary, a standby that follows it, and a URL that finds whichever accepts writes. */
const startPair = async () => {
  const root = drillFolder(programs!)
  const [a, b] = [join(root, 'a'), join(root, 'b')]
  await initCluster(programs!, a)
  const primary = await startCluster(programs!, a, join(root, 's'))
  ending.push(primary.stop)
  await runProgram(programs!, 'pg_basebackup', [
    '-d',
    connectionOf(primary.url).text,
    '-D',
    b,
    '-R',
    '-X',
    'stream',
    '-c',
    'fast',
  ])
  const standby = await startCluster(programs!, b, join(root, 't'))
  ending.push(standby.stop)
  const hosts = encodeURIComponent(`${join(root, 's')},${join(root, 't')}`)
  const url = `postgres:///postgres?host=${hosts}&user=postgres&target_session_attrs=read-write`
  const wal = join(root, 'w')
  await makeFolder(programs!, wal)
  return { primary, standby, url, wal }
}

const receive = (url: string, folder: string) => {
  const stopping = new AbortController()
  const notes: string[] = []
  const ended = receiveLog(
    programs!,
    { url, folder, name: 'receiver' },
    { signal: stopping.signal, note: (text) => notes.push(text) },
  )
  const result = ended.then(
    () => undefined,
    (error: Error) => error,
  )
  const stop = async (): Promise<Error | undefined> => {
    stopping.abort()
    return result
  }
  ending.push(stop)
  return { stop, result, notes }
}

const write = (cluster: Cluster, name: string): Promise<unknown> =>
  withClient(cluster.url, (client) => client.query(`create table ${name} as select generate_series(1, 1000) as n`))

/** Waits until a receiver, or a standby, has everything that the primary has. */
const caughtUp = (cluster: Cluster, name: string) =>
  expect
    .poll(() =>
      withClient(cluster.url, async (client) => {
        const { rows } = await client.query<{ done: boolean }>(
          'select flush_lsn >= pg_current_wal_flush_lsn() as done from pg_stat_replication where application_name = $1',
          [name],
        )
        return rows[0]?.done ?? false
      }),
    )
    .toBe(true)

const promote = (cluster: Cluster): Promise<unknown> =>
  withClient(cluster.url, (client) => client.query('select pg_promote()'))

test.skipIf(isSkipped)(
  'goes on with the promoted standby: its slot is made, and the new timeline follows',
  async () => {
    const { primary, standby, url, wal } = await startPair()
    const { stop, notes } = receive(url, wal)
    await caughtUp(primary, 'receiver')
    await write(primary, 'before')
    await caughtUp(primary, 'receiver')
    await caughtUp(primary, 'walreceiver')
    await primary.kill()
    await promote(standby)
    await write(standby, 'after')
    await caughtUp(standby, 'receiver')
    const names = readdirSync(wal)
    expect(names).toContain('00000002.history')
    expect(
      names.some((name) => name.startsWith('00000002') && name.endsWith('.partial')),
      `${names} ${notes}`,
    ).toBe(true)
    const { rows } = await withClient(standby.url, (client) =>
      client.query('select slot_name, active from pg_replication_slots'),
    )
    expect(rows).toEqual([{ slot_name: 'bursar_backup', active: true }])
    expect(await stop()).toBeUndefined()
  },
)

test.skipIf(isSkipped)('does not go on with a primary that lacks what was received, and says what to do', async () => {
  const { primary, standby, url, wal } = await startPair()
  const { result } = receive(url, wal)
  await caughtUp(primary, 'receiver')
  await caughtUp(primary, 'walreceiver')
  await withClient(standby.url, (client) => client.query("alter system set primary_conninfo = ''"))
  await withClient(standby.url, (client) => client.query('select pg_reload_conf()'))
  await expect
    .poll(() =>
      withClient(
        primary.url,
        async (client) =>
          (await client.query("select 1 from pg_stat_replication where application_name = 'walreceiver'")).rowCount,
      ),
    )
    .toBe(0)
  await write(primary, 'lost')
  await caughtUp(primary, 'receiver')
  await primary.kill()
  await promote(standby)
  const before = readdirSync(wal)
  expect((await result)?.message).toMatch(/was promoted at \S+, and \S+ has [1-9]\d* bytes of log after that/)
  expect(readdirSync(wal)).toEqual(before)
})

test.skipIf(isSkipped)('says what to do when the server has removed log that was not received', async () => {
  const { primary, url, wal } = await startPair()
  const first = receive(url, wal)
  await caughtUp(primary, 'receiver')
  await write(primary, 'received')
  await caughtUp(primary, 'receiver')
  await first.stop()
  await withClient(primary.url, async (client) => {
    await client.query("select pg_drop_replication_slot('bursar_backup')")
    for (const number of [1, 2, 3]) {
      await client.query(`create table later_${number} as select 1`)
      await client.query('select pg_switch_wal()')
    }
    await client.query('checkpoint')
    await client.query('checkpoint')
  })
  await write(primary, 'more')
  await withClient(primary.url, (client) => client.query('checkpoint'))
  const second = receive(url, wal)
  expect((await second.result)?.message).toMatch(/has already been removed: the received log would have a hole/)
})

const setStandbys = (cluster: Cluster, names: string): Promise<unknown> =>
  withClient(cluster.url, async (client) => {
    await client.query(`alter system set synchronous_standby_names = '${names}'`)
    await client.query('select pg_reload_conf()')
  })

/** How many commits wait for a standby. */
const waitsOf = (cluster: Cluster): Promise<number> =>
  withClient(cluster.url, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where wait_event = 'SyncRep'",
    )
    return rows[0]!.n
  })

const stateOf = (cluster: Cluster): Promise<unknown> =>
  withClient(cluster.url, async (client) => {
    const { rows } = await client.query(
      `select r.sync_state as state, r.flush_lsn is null as silent, s.active as "usesSlot",
        s.restart_lsn >= pg_lsn '0/2000000' as moved
      from pg_stat_replication r, pg_replication_slots s where r.application_name = 'receiver'`,
    )
    return rows[0]
  })

test.skipIf(isSkipped)(
  'acknowledges no commit for the name *, which Patroni writes without a standby, and moves its slot all the same',
  async () => {
    const { primary, standby, url, wal } = await startPair()
    await standby.kill()
    await withClient(primary.url, (client) => client.query('select pg_switch_wal()'))
    await setStandbys(primary, '*')
    const { stop } = receive(url, wal)
    await expect.poll(() => stateOf(primary), { timeout: 20_000 }).toMatchObject({ silent: true, usesSlot: false })
    let isAcknowledged = false
    const waiting = write(primary, 'waits').then(
      () => {
        isAcknowledged = true
      },
      () => {},
    )
    await expect.poll(() => waitsOf(primary)).toBe(1)
    await withClient(primary.url, async (client) => {
      await client.query('set synchronous_commit = local')
      for (const number of [1, 2, 3]) {
        await client.query(`create table later_${number} as select 1`)
        await client.query('select pg_switch_wal()')
      }
    })
    await expect.poll(() => stateOf(primary), { timeout: 20_000 }).toMatchObject({ silent: true, moved: true })
    expect([isAcknowledged, await waitsOf(primary)]).toEqual([false, 1])
    await setStandbys(primary, 'FIRST 1 (receiver)')
    await expect.poll(() => stateOf(primary), { timeout: 20_000 }).toMatchObject({ state: 'sync', usesSlot: true })
    await waiting
    expect(isAcknowledged).toBe(true)
    expect(await stop()).toBeUndefined()
  },
)

test.skipIf(isSkipped)('says which line pg_hba.conf lacks if its login may not use its database', async () => {
  const { primary, url, wal } = await startPair()
  await withClient(primary.url, (client) => client.query('create role receiver login replication'))
  const rules = 'local all postgres trust\nlocal replication all trust\n'
  writeFileSync(join(wal, '../s/hba'), rules)
  await setStandbys(primary, '*')
  const { stop, notes } = receive(url.replace('user=postgres', 'user=receiver'), wal)
  await expect.poll(() => notes.join('\n')).toMatch(/no pg_hba.conf entry[^]*add the line for its database/)
  writeFileSync(join(wal, '../s/hba'), `${rules}local postgres receiver trust\n`)
  await withClient(primary.url, (client) => client.query('select pg_reload_conf()'))
  await expect.poll(() => stateOf(primary), { timeout: 20_000 }).toMatchObject({ silent: true, usesSlot: false })
  expect(await stop()).toBeUndefined()
})

test('the place where a timeline was left is read from the history of a later one', () => {
  const history = '1\t0/3000148\tno recovery target specified\n\n2\t0/A0000A0\tat restore point'
  expect([1, 2, 3].map((timeline) => forkOf(history, timeline))).toEqual(['0/3000148', '0/A0000A0', undefined])
})

/**
 * Stops each process of a server: its connections stay open, and no byte passes. The postmaster is stopped first and
 * continued last, because it removes processes that have ended.
 * @returns a function that continues them
 */
const stopAll = (data: string): (() => void) => {
  const server = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  process.kill(server, 'SIGSTOP')
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').trim().split(' ').map(Number)
  for (const pid of children) process.kill(pid, 'SIGSTOP')
  return () => {
    for (const pid of [...children, server]) process.kill(pid, 'SIGCONT')
  }
}

test.skipIf(isSkipped)('says that a server does not answer, and ends while it is silent', async () => {
  const { primary, url, wal } = await startPair()
  const { stop, notes } = receive(url, wal)
  await caughtUp(primary, 'receiver')
  const resume = stopAll(join(wal, '../a'))
  ending.push(async () => resume())
  await expect.poll(() => notes.join('\n')).toMatch(/psql got no answer in 30 seconds/)
  expect(await stop()).toBeUndefined()
})

/** Seconds until the kernel asks whether the other end of a connection to a port is there (`proc_net_tcp`, IPv4). */
const secondsToKeepalive = (port: number): number => {
  const there = port.toString(16).toUpperCase().padStart(4, '0')
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  const row = rows.map((line) => line.trim().split(/\s+/)).find(([, , remote]) => remote?.endsWith(`:${there}`))
  const [timer, when] = row?.[5]?.split(':') ?? []
  return timer === '02' ? Number.parseInt(when!, 16) / 100 : Infinity
}

test.skipIf(isSkipped)('lets the machine notice a silent network in seconds', async () => {
  const silent = createServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  ending.push(async () => silent.close())
  const { port } = silent.address() as AddressInfo
  const { text, env } = connectionOf(`postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`)
  const child = startProgram(programs!, 'psql', ['-d', text], { env, stdio: 'ignore' })
  ending.push(async () => child.kill('SIGKILL'))
  await expect.poll(() => secondsToKeepalive(port)).toBeLessThanOrEqual(10)
})

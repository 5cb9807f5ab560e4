/** A primary database and its synchronous standby, of which the primary is lost. */
import { randomUUID } from 'node:crypto'
import { appendFileSync, chmodSync, cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { startPostgres, type Postgres } from '../../../../sandbox/postgres/index.ts'
import { actualDataDir } from '../../../../sandbox/postgres/placement.ts'
import { makeScratch, type Scratch } from '../../../../test/setup/scratch.ts'
import { createDb, createPool, migrate } from '../../platform/db/index.ts'
import { auditLedger, balancesOf, createCommitter, type Committer, type Item, type Outcome } from './index.ts'
import { fund, hold } from './test-items.ts'

/** The machine outlives the test, and has little memory for more servers. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', shared_buffers: '32MB', max_wal_size: '256MB' }
const FUNDS = 1_000_000n
const merchants = Array.from({ length: 8 }, () => randomUUID())

let scratch: Scratch
let servers: { primary: Postgres; standby: Postgres }
let started: Postgres[]
let committers: Committer[]

const start = async (name: string): Promise<Postgres> => {
  const server = await startPostgres({ dataDir: join(scratch.dir, name), settings: SETTINGS })
  scratch.owns(name, server)
  started.push(server)
  return server
}
const ask = async <T>(url: string, text: string): Promise<T[]> =>
  withClient(url, async (client) => (await client.query(text)).rows as T[])
const committerOf = ({ url }: Postgres): Committer => {
  const committer = createCommitter({ url })
  committers.push(committer)
  return committer
}

beforeEach(async () => {
  scratch = await makeScratch('failover')
  started = []
  committers = []
  const first = await start('primary')
  await migrate(first.url)
  const pool = createPool({ url: first.url })
  for (const merchant of merchants) await fund(createDb(pool), merchant, FUNDS)
  await pool.end()
  await first.stop()
  const copy = actualDataDir(join(scratch.dir, 'standby'))
  cpSync(actualDataDir(join(scratch.dir, 'primary')), copy, { recursive: true })
  // PostgreSQL refuses a folder that others may read.
  chmodSync(copy, 0o700)
  const primary = await start('primary')
  const [{ socket } = { socket: '' }] = await ask<{ socket: string }>(
    primary.url,
    `select current_setting('unix_socket_directories') as socket`,
  )
  writeFileSync(join(copy, 'standby.signal'), '')
  appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = 'host=${socket} user=postgres'\n`)
  servers = { primary, standby: await start('standby') }
  await ask(primary.url, `alter system set synchronous_standby_names = '*'`)
  await ask(primary.url, 'select pg_reload_conf()')
  await expect
    .poll(() => ask(primary.url, 'select sync_state from pg_stat_replication'))
    .toEqual([{ sync_state: 'sync' }])
})
afterEach(async () => {
  // A committer waits for the answers to its items, so the servers end first.
  for (const server of started) await server.stop()
  for (const committer of committers) await committer.close()
  scratch.remove()
})

/** Submits items from several callers until the database fails. Adds each item and its outcome, undefined: unknown. */
const drive = async (committer: Committer, placed: Map<Item, Outcome | undefined>): Promise<void> => {
  const loop = async (merchant: string): Promise<void> => {
    for (;;) {
      const item = hold(merchant, 1n)
      placed.set(item, undefined)
      placed.set(item, await committer.submit(item))
    }
  }
  await Promise.allSettled(merchants.map(loop))
}

/**
 * Every order that was answered is on the promoted standby, and one of unknown outcome is placed once when it is
 * repeated.
 */
const expectPlacedOnce = async (placed: ReadonlyMap<Item, Outcome | undefined>): Promise<void> => {
  const { standby } = servers
  const pool = createPool({ url: standby.url })
  const db = createDb(pool)
  try {
    const rows = await ask<{ id: string }>(standby.url, 'select id from ledger_transfers')
    const there = new Set(rows.map(({ id }) => id))
    const lost = [...placed].filter(([item, outcome]) => outcome !== undefined && !there.has(item.transfer.id))
    expect(lost).toEqual([])
    const committer = committerOf(standby)
    for (const [item, outcome] of placed) {
      if (outcome !== undefined) continue
      if (!there.has(item.transfer.id)) expect(await committer.submit(item)).toEqual({ kind: 'applied' })
    }
    const balances = await balancesOf(
      db,
      'merchant',
      merchants.map((merchantId) => ({ merchantId, asset: 'USDT' })),
    )
    expect(balances.reduce((sum, { held }) => sum + held, 0n)).toBe(BigInt(placed.size))
    expect(await auditLedger(db)).toEqual([])
  } finally {
    await pool.end()
  }
}

test('D1 the primary dies under load: its promoted standby has every order that was answered', async () => {
  const { primary, standby } = servers
  const placed = new Map<Item, Outcome | undefined>()
  const driven = drive(committerOf(primary), placed)
  await expect.poll(() => [...placed.values()].filter(Boolean).length).toBeGreaterThan(500)
  process.kill(primary.pid, 'SIGKILL')
  await driven
  await ask(standby.url, 'select pg_promote()')
  expect([...placed.values()].filter((outcome) => outcome === undefined).length).toBeGreaterThan(0)
  await expectPlacedOnce(placed)
})

test('D2 a primary that is cut off from its standby answers no order, and none is lost or placed twice', async () => {
  const { primary, standby } = servers
  const placed = new Map<Item, Outcome | undefined>()
  const driven = drive(committerOf(primary), placed)
  await expect.poll(() => [...placed.values()].filter(Boolean).length).toBeGreaterThan(500)
  await ask(standby.url, `alter system set primary_conninfo = ''`)
  await ask(standby.url, 'select pg_reload_conf()')
  const waiting = `select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep'`
  await expect.poll(async () => (await ask<{ count: number }>(primary.url, waiting))[0]!.count).toBeGreaterThan(0)
  const answered = [...placed.values()].filter(Boolean).length
  await ask(standby.url, 'select pg_promote()')
  expect([...placed.values()].filter(Boolean).length).toBe(answered)
  await primary.stop()
  await driven
  await expectPlacedOnce(placed)
})

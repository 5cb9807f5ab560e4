/**
 * Every connection of every role is ended while it is in use, as a failover, a restart or a proxy in between ends them.
 * No role ends with them, and each withdrawal asked for meanwhile is paid once.
 */
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isLong } from '../setup/cases.ts'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { askingOf } from '../system/asking.ts'
import { startSandbox, type Sandbox } from '../system/sandbox.ts'

const ROLES = ['api', 'worker', 'watcher'] as const
let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({
    BURSAR_BLOCK_SECONDS_ETHEREUM: '0.5',
    BURSAR_BLOCK_SECONDS_BSC: '0',
    BURSAR_BLOCK_SECONDS_BITCOIN: '0',
  })
  await sandbox.credit(sandbox.merchants[0], 'USDT', '1000')
})
afterAll(() => sandbox?.stop())

const END_ALL =
  "select count(pg_terminate_backend(pid))::int as ended from pg_stat_activity where application_name like 'bursar %' and datname = current_database()"

/**
 * Ends all of them while a lock keeps a statement of each role waiting. @param ask has the api do something, once the
 * lock is there
 */
const endWhileInUse = (ask: () => void) =>
  withClient(sandbox.database, async (client) => {
    await client.query('begin')
    await client.query('lock table withdrawals, watch_cursors in access exclusive mode')
    ask()
    // Asked on other connections: a transaction sees one state of this view for as long as it lasts.
    const waiting =
      "select distinct application_name from pg_stat_activity where wait_event_type = 'Lock' and application_name = any($1)"
    const names = ROLES.map((role) => `bursar ${role}`)
    // An answer has its time: on a busy machine the api gives up the first question before the other roles come to
    // wait.
    const again = setInterval(ask, 1_000)
    await sandbox
      .until(
        'a statement of each role that waits',
        async () => (await sandbox.query(waiting, [names])).length === ROLES.length,
      )
      .finally(() => clearInterval(again))
    const [counted] = await sandbox.query<{ ended: number }>(END_ALL)
    await client.query('rollback')
    return counted!.ended
  })

/**
 * Asks until it is answered: a merchant that got no answer asks again with the same Idempotency-Key, and gets the first
 * answer if the order was placed. Without the key the order's own localId would refuse it a second later.
 */
const withdraw = async (to: string): Promise<string> => {
  const [shop] = sandbox.merchants
  const localId = randomUUID()
  return sandbox.until('an answer', async () => {
    const made = await shop.client.withdrawals.crypto
      .create({ ticker: 'USDT', blockchain: 'ETHEREUM', to, amount: '1', localId }, { idempotencyKey: localId })
      .catch(() => undefined)
    return made?.id
  })
}

const isAlive = (role: (typeof ROLES)[number]): boolean => {
  try {
    return process.kill(sandbox.pid(role), 0)
  } catch {
    return false
  }
}

const settled = async (ids: readonly string[], destinations: readonly string[]): Promise<void> => {
  for (const id of ids) await sandbox.notified(sandbox.merchants[0], { id, status: 'Done' })
  for (const to of destinations) expect(await sandbox.balanceOf('ETHEREUM', 'USDT', to)).toBe('1')
  expect(ROLES.filter(isAlive)).toEqual([...ROLES])
}

/**
 * Processor time that the roles have used, ms: fields 14 and 15 of `/proc/PID/stat` (proc(5)), in hundredths of a
 * second.
 */
const processorTime = (): number =>
  ROLES.reduce((sum, role) => {
    const fields = readFileSync(`/proc/${sandbox.pid(role)}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return sum + (Number(fields[11]) + Number(fields[12])) * 10
  }, 0)

/** Transactions in the database so far; each process reports its transactions within a second. */
const transactions = async (): Promise<number> =>
  (
    await sandbox.query<{ n: number }>(
      'select (xact_commit + xact_rollback)::int as n from pg_stat_database where datname = current_database()',
    )
  )[0]!.n

/**
 * Processor time, ms, that a thousand checksums take here and now. It shows how much this machine and other programs
 * slow down any work.
 */
const unitOfWork = (): number => {
  const bytes = Buffer.alloc(1_024, 7)
  const before = process.cpuUsage()
  for (let i = 0; i < 20_000; i += 1) createHash('sha256').update(bytes).digest()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 20_000
}

const IDLE_MS = 10_000
/** Twice the work that the pauses of all jobs allow: a slow or busy machine makes it less, never more. */
const MOST_A_SECOND = 400
/**
 * Of thousands of checksums a transaction: three times the most that was seen, answers of nodes and prices and the
 * compiler's work included. A role that spins takes more.
 */
const MOST_WORK = 0.9

test.runIf(process.platform === 'linux')(
  'audit M-C1: an installation that has nothing to do asks the database little, and does little besides',
  async () => {
    // Each process derives addresses ahead after a start: a second or more of work that is not idleness.
    await sandbox.until('addresses in stock', async () => {
      const stock = await sandbox.query<{ full: boolean }>(
        'select count(*) >= $1 as full from address_stock group by family',
        [sandbox.environment['BURSAR_ADDRESS_STOCK']],
      )
      return stock.length === 3 && stock.every(({ full }) => full)
    })
    const [startedAt, unit, asked, used] = [performance.now(), unitOfWork(), await transactions(), processorTime()]
    await sleep(IDLE_MS)
    const [seconds, work, count] = [
      (performance.now() - startedAt) / 1_000,
      processorTime() - used,
      (await transactions()) - asked,
    ]
    const units = work / Math.max(unit, unitOfWork()) / count
    expect.soft(count / seconds).toBeLessThan(MOST_A_SECOND)
    expect(units).toBeLessThan(MOST_WORK)
  },
)

// The long tier ends every connection twenty times at any moment; `.ci/run` once, at a moment that is sure to find each
// role at work.
test.runIf(!isLong)(
  'audit O-3.2: every connection of every role is ended in use: no role ends, and each order is paid once',
  async () => {
    const destinations = await Promise.all(Array.from({ length: 4 }, () => sandbox.outside('ETHEREUM')))
    const before = await withdraw(destinations[0]!)
    const during = destinations.slice(1).map(withdraw)
    const lookUp = (): void => void sandbox.merchants[0].client.withdrawals.crypto.get(randomUUID()).catch(() => {})
    expect(await endWhileInUse(lookUp)).toBeGreaterThan(ROLES.length)
    await settled([before, ...(await Promise.all(during))], destinations)
  },
)

test.runIf(isLong)(
  'audit O-3.2: twenty times under load, at any moment',
  async () => {
    const destinations: string[] = []
    const ids: Promise<string>[] = []
    for (let round = 0; round < 20; round += 1) {
      for (let i = 0; i < 10; i += 1) {
        const to = await sandbox.outside('ETHEREUM')
        destinations.push(to)
        ids.push(withdraw(to))
      }
      await sandbox.query(END_ALL)
      await sleep(1_000)
    }
    await settled(await Promise.all(ids), destinations)
  },
  900_000,
)

test.each(['the API', 'metrics and health'])(
  'audit O-3.5 S-7: a role whose address for %s is taken ends, and says so',
  async (what) => {
    const taken = sandbox.environment['BURSAR_HTTP']!
    const [http, inner] = what === 'the API' ? [taken, '127.0.0.1:0'] : ['127.0.0.1:0', taken]
    const environment = { ...sandbox.environment, BURSAR_HTTP: http, BURSAR_INNER: inner }
    const { text, code } = await askingOf({ environment, database: sandbox.database, logs: sandbox.logs }).bursar(
      'serve',
      '--role',
      'api',
    )
    expect(text).toContain('EADDRINUSE')
    expect(code).toBe(1)
  },
)

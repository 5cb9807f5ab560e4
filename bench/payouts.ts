/**
 * How fast a queue of withdrawals leaves: 1,000 wait, then one worker signs, broadcasts and confirms them on an EVM
 * chain with a block each second, in the whole sandbox. The limit is the chain's pace: as many to a block as the hot
 * addresses may have on their way at once. If the processors are busy for longer than that, they are the limit.
 * Measured with one hot address and with several. `node bench/payouts.ts`.
 */
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createDb, createPool, type Db } from '../server/src/platform/db/index.ts'
import { DEFAULT_POLICY } from '../server/src/chain/transactions/index.ts'
import { startSandbox, type Sandbox } from '../test/system/sandbox.ts'
import { report } from './report.ts'
import { atMost, stated, reported, type Row } from './row.ts'

const QUEUED = 1_000
const AT_ONCE = 32
const BLOCK_SECONDS = 1
const AMOUNT = '2'
/**
 * Blocks beyond the fewest possible: the first and the last are not full, and a block comes while the next is planned.
 */
const GOAL = 1.25
const PATIENCE_MS = 10 * 60_000

const POOLS = [1, 2, 4]
const ROLES = ['worker', 'signer', 'watcher'] as const
/** Until the work after the last block is done, then for the measured time. */
const [SETTLING_MS, IDLE_MS] = [5_000, 10_000]

export const run = async (): Promise<Row[]> => {
  const rows: Row[] = []
  for (const addresses of POOLS) rows.push(...(await drain(addresses)))
  return rows
}

const drain = async (addresses: number): Promise<Row[]> => {
  const sandbox = await startSandbox({
    BURSAR_BLOCK_SECONDS_ETHEREUM: String(BLOCK_SECONDS),
    BURSAR_HOT_ADDRESSES: String(addresses),
  })
  const pool = createPool({ url: sandbox.database, max: 2 })
  const db = createDb(pool)
  try {
    await sandbox.credit(sandbox.merchants[0], 'USDT', '20000')
    await sharedOut(db, addresses)
    await sandbox.kill('worker')
    const receivers = await enqueue(sandbox)
    const start = performance.now()
    const machine = machineTimes()
    await sandbox.start('worker')
    const cpu = ROLES.map((role) => ({ role, from: cpuMsOf(sandbox.pid(role)) }))
    await allMined(db, start)
    const seconds = (performance.now() - start) / 1_000
    const busy = busyShare(machine, machineTimes())
    const used = cpu.map(({ role, from }) => ({ role, ms: cpuMsOf(sandbox.pid(role)) - from }))
    const idle = await idleRates(sandbox)
    const each = used.map(({ role, ms }) => ({ role, ms: (ms - idle[role] * seconds) / QUEUED }))
    const { blocks, gaps, paid } = await outcome(db)
    if (gaps > 0 || paid !== QUEUED)
      throw new Error(`${gaps} nonces are missing or used twice; ${paid} transactions for ${QUEUED} withdrawals`)
    for (const to of receivers) {
      const value = await sandbox.balanceOf('ETHEREUM', 'USDT', to)
      if (value !== String((QUEUED / receivers.length) * Number(AMOUNT))) throw new Error(`${to} has ${value} USDT`)
    }
    const from = addresses === 1 ? 'one hot address' : `${addresses} hot addresses`
    const atOnce = DEFAULT_POLICY.mostInFlight * addresses
    const [byPace, byProcessors] = [Math.ceil(QUEUED / atOnce), Math.floor(blocks * busy)]
    return [
      atMost({
        name: `payouts: blocks that ${QUEUED.toLocaleString('en-US')} queued withdrawals take, ${from}`,
        unit: 'blocks',
        value: blocks,
        limit: Math.max(byPace, byProcessors),
        limitName: byProcessors > byPace ? 'processors busy all the time' : `${atOnce} to a block`,
        goal: GOAL,
      }),
      stated({
        name: `payouts: through signing, broadcast and a block, ${from}`,
        unit: 'withdrawals/minute',
        value: (QUEUED / seconds) * 60,
        limit: (atOnce / BLOCK_SECONDS) * 60,
        limitName: `${atOnce} to a block each second`,
      }),
      ...each.map(({ role, ms }) =>
        reported(`payouts: processor time of the ${role} for each, above its idle, ${from}`, ms, 'ms'),
      ),
      reported(`payouts: nonces missing or used twice, ${from}`, gaps, `of ${QUEUED.toLocaleString('en-US')}`),
    ]
  } finally {
    await pool.end()
    await sandbox.stop()
  }
}

/** Processor time of the whole machine since its start, ms. */
const machineTimes = (): { busy: number; idle: number } => {
  const all = cpus().map(({ times }) => times)
  const sum = (of: (times: (typeof all)[number]) => number): number => all.reduce((total, one) => total + of(one), 0)
  return { busy: sum(({ user, nice, sys, irq }) => user + nice + sys + irq), idle: sum(({ idle }) => idle) }
}

/** The share of the machine's processor time that was used between two moments. */
const busyShare = (from: ReturnType<typeof machineTimes>, to: ReturnType<typeof machineTimes>): number => {
  const busy = to.busy - from.busy
  return busy / (busy + to.idle - from.idle)
}

/** ms of processor time that a process has used; on Linux, where the kernel counts in hundredths of a second. */
const cpuMsOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** ms of processor time each second that roles use while nothing is to be paid: prices, the books, the chains. */
const idleRates = async (sandbox: Sandbox): Promise<Record<(typeof ROLES)[number], number>> => {
  await sleep(SETTLING_MS)
  const from = ROLES.map((role) => cpuMsOf(sandbox.pid(role)))
  await sleep(IDLE_MS)
  const rates = ROLES.map((role, at) => [role, ((cpuMsOf(sandbox.pid(role)) - from[at]!) / IDLE_MS) * 1_000] as const)
  return Object.fromEntries(rates) as Record<(typeof ROLES)[number], number>
}

/** Every hot address has money to pay with. */
const sharedOut = async (db: Db, addresses: number): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const { rows } = await sql<{
      n: number
    }>`select count(*) as n from custody_addresses c join house_addresses h on h.address = c.address
      where c.network = 'ETHEREUM' and h.account = 'hot' and c.asset in ('ETH', 'USDT') and c.booked > 0`.execute(db)
    if (rows[0]!.n >= 2 * addresses) return
    if (performance.now() > deadline) throw new Error('the money of the first hot address is not distributed')
    await sleep(200)
  }
}

/** @returns the receivers, each of as many */
const enqueue = async (sandbox: Sandbox): Promise<string[]> => {
  const receivers = await Promise.all(Array.from({ length: 10 }, () => sandbox.outside('ETHEREUM')))
  let next = 0
  const loop = async (): Promise<void> => {
    for (let i = next++; i < QUEUED; i = next++) {
      const to = receivers[i % receivers.length]!
      await sandbox.merchants[0].client.withdrawals.crypto.create({
        ticker: 'USDT',
        blockchain: 'ETHEREUM',
        to,
        amount: AMOUNT,
        localId: `bench-${i}`,
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, loop))
  return receivers
}

const allMined = async (db: Db, start: number): Promise<void> => {
  for (;;) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from withdrawals where done_sent`.execute(db)
    if (rows[0]!.n === QUEUED) return
    if (performance.now() - start > PATIENCE_MS) throw new Error(`${rows[0]!.n} of ${QUEUED} withdrawals were mined`)
    await sleep(200)
  }
}

const outcome = async (db: Db): Promise<{ blocks: number; gaps: number; paid: number }> => {
  const { rows } = await sql<{ blocks: number; gaps: number; paid: number }>`
    select max(mined_height) filter (where purpose = 'payout') - min(mined_height) filter (where purpose = 'payout') + 1 as blocks,
      (select sum(gap) from (select max(nonce) + 1 - count(distinct nonce) + count(*) - count(distinct nonce) as gap from outgoing o
        join hot_wallets h on h.network = o.network and h.address = o.senders[1]
        where o.network = 'ETHEREUM' and o.mined_height is not null group by h.address) x)::bigint as gaps,
      count(*) filter (where purpose = 'payout') as paid
    from outgoing where network = 'ETHEREUM' and mined_height is not null`.execute(db)
  return rows[0]!
}

if (import.meta.main) await report(run)

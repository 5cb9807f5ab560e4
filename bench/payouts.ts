/**
 * How fast a queue of withdrawals leaves: 1,000 wait, then one worker signs, broadcasts and confirms them on an EVM chain
 * with a block each second, in the whole sandbox. The limit is the chain's pace: as many to a block as one hot wallet may
 * have on its way at once. `node bench/payouts.ts`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createDb, createPool, type Db } from '../server/src/db/index.ts'
import { DEFAULT_POLICY } from '../server/src/outgoing/index.ts'
import { startSandbox, type Sandbox } from '../test/system/sandbox.ts'
import { report } from './report.ts'
import { atMost, stated, told, type Row } from './row.ts'

const QUEUED = 1_000
const AT_ONCE = 32
const BLOCK_SECONDS = 1
const AMOUNT = '2'
/** Blocks beyond the fewest possible: the first and the last are not full, and a block comes while the next is planned. */
const GOAL = 1.25
const PATIENCE_MS = 10 * 60_000

export const run = async (): Promise<Row[]> => {
  const sandbox = await startSandbox({ BURSAR_BLOCK_SECONDS_ETHEREUM: String(BLOCK_SECONDS) })
  const pool = createPool({ url: sandbox.database, max: 2 })
  const db = createDb(pool)
  try {
    await sandbox.credit(sandbox.merchants[0], 'USDT', '20000')
    await sandbox.kill('worker')
    const receivers = await enqueue(sandbox)
    const start = performance.now()
    await sandbox.start('worker')
    await allMined(db, start)
    const seconds = (performance.now() - start) / 1_000
    const { blocks, gaps, paid } = await outcome(db)
    if (gaps > 0 || paid !== QUEUED) throw new Error(`${gaps} nonces are missing or used twice; ${paid} transactions for ${QUEUED} withdrawals`)
    for (const to of receivers) {
      const value = await sandbox.balanceOf('ETHEREUM', 'USDT', to)
      if (value !== String((QUEUED / receivers.length) * Number(AMOUNT))) throw new Error(`${to} has ${value} USDT`)
    }
    return [
      atMost({
        name: `payouts: blocks that ${QUEUED.toLocaleString('en-US')} queued withdrawals take`, unit: 'blocks', value: blocks,
        limit: Math.ceil(QUEUED / DEFAULT_POLICY.mostInFlight), limitName: `${DEFAULT_POLICY.mostInFlight} to a block`, goal: GOAL,
      }),
      stated({
        name: 'payouts: through signing, broadcast and a block', unit: 'withdrawals/minute', value: (QUEUED / seconds) * 60,
        limit: (DEFAULT_POLICY.mostInFlight / BLOCK_SECONDS) * 60, limitName: `${DEFAULT_POLICY.mostInFlight} to a block each second`,
      }),
      told('payouts: nonces missing or used twice', gaps, `of ${QUEUED.toLocaleString('en-US')}`),
    ]
  } finally {
    await pool.end()
    await sandbox.stop()
  }
}

/** @returns the receivers, each of as many */
const enqueue = async (sandbox: Sandbox): Promise<string[]> => {
  const receivers = await Promise.all(Array.from({ length: 10 }, () => sandbox.outside('ETHEREUM')))
  let next = 0
  const loop = async (): Promise<void> => {
    for (let i = next++; i < QUEUED; i = next++) {
      const to = receivers[i % receivers.length]!
      await sandbox.merchants[0].client.withdrawals.crypto.create({ ticker: 'USDT', blockchain: 'ETHEREUM', to, amount: AMOUNT, localId: `bench-${i}` })
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
      max(nonce) - min(nonce) + 1 - count(distinct nonce) + count(*) - count(distinct nonce) as gaps, count(*) filter (where purpose = 'payout') as paid
    from outgoing where network = 'ETHEREUM' and mined_height is not null
      and senders[1] = (select address from hot_wallets where network = 'ETHEREUM')`.execute(db)
  return rows[0]!
}

if (import.meta.main) await report(run)

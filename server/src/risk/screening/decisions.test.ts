import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { ask, conclude, decide, decideAs, type Opinion } from './index.ts'

const { db } = useDb()
let id: string
const moment = () => ({ at: new Date(), newId })
beforeEach(async () => {
  await emptyTables(db)
  const subject = {
    network: 'TRON' as const,
    asset: 'USDT',
    direction: 'deposit' as const,
    transaction: null,
    own: 'x',
    others: ['bad'],
    internal: null,
  }
  await ask(
    db,
    [{ merchantId: randomUUID(), kind: 'deposit', subjectId: randomUUID(), subject }],
    () => 'ab'.repeat(16),
    moment(),
  )
  id = (await found()).id
})

const found = async () =>
  (
    await sql<{
      merchantId: string
      id: string
      attempts: number
      state: string
    }>`select merchant_id as "merchantId", id, attempts, state from screenings`.execute(db)
  ).rows[0]!
const late = async () => inTransaction(db, async (tx) => decide(tx, await found(), 'late', moment()))
const foundRisky = async () => {
  const report = {
    riskScore: 1,
    signals: {} as never,
    flags: ['listed'],
    risky: true,
    providers: ['one'],
    complete: true,
    madeAt: Date.now(),
  }
  await inTransaction(db, async (tx) => conclude(tx, await found(), { report, answers: {} }, [], moment()))
}
/** @returns how many people are missing */
const say = (event: Opinion['event'], actor: string) =>
  inTransaction(
    db,
    async (tx) =>
      (
        await decideAs(
          tx,
          id,
          { event, actor, reason: 'looked at it' },
          { deciders: 2, riskyFrom: 0.5, subscribers: [] },
          moment(),
        )
      )?.missing,
  )

test('audit F-2: one person under two logins counts once, and people who share an account count each', async () => {
  await foundRisky()
  for (const actor of ['cli:ann', 'cli:service (sudo by ann)', 'cli:ann (sudo by bob)', 'cli:Ann'])
    expect([actor, await say('released', actor)]).toEqual([actor, 1])
  expect(await say('rejected', 'cli:service (sudo by ann)')).toBe(1)
  expect([await say('rejected', 'cli:service (sudo by eve)'), (await found()).state]).toEqual([0, 'rejected'])
})

test('audit F-2: a release while the screening was unknown does not count for the risky report', async () => {
  await late()
  expect(await say('released', 'cli:ann')).toBe(1)
  await foundRisky()
  expect([await say('released', 'cli:bob'), (await found()).state]).toEqual([1, 'risky'])
  expect([await say('released', 'cli:ann'), (await found()).state]).toEqual([0, 'released'])
})

import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createDb, inTransaction } from '../../platform/db/index.ts'
import { useDb } from '../../../../test/world/database.ts'
import { createWatchedPool } from '../../../../test/setup/watched-pool.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { anchorDay, applyAll, auditLedger, isAnchored, sealAccounts, verifyLedger } from './index.ts'
import { fund, hold, newId } from './test-items.ts'

// Balances, entries and holds are forged, for the check to find.
const { db, url } = useDb({ breaks: ['accounts-add-up', 'entries-add-up', 'transfers-add-up', 'balances-are-entries'] })

const seal = async (): Promise<number> => {
  let sealed = 0
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: { sealed: number; last: number | undefined } = (await inTransaction(db, (tx) =>
      sealAccounts(tx, after!, new Date()),
    ))!
    sealed += page.sealed
    after = page.last
  }
  return sealed
}

const verify = async (again = false) =>
  (await verifyLedger(db, { again }, new Date())).map(({ check, subject }) => `${check} ${subject}`)
const merchantAccount = async (merchant: string): Promise<number> =>
  (
    await sql<{
      id: number
    }>`select id from ledger_accounts where merchant_id = ${merchant} and kind = 'merchant'`.execute(db)
  ).rows[0]!.id

test('audit M-C1: a day has one anchor, and one seal for each account that changed', async () => {
  const day = (n: number): Date => new Date(Date.UTC(2030, 0, n))
  await fund(db, randomUUID(), 5n)
  await seal()
  expect(await inTransaction(db, (tx) => anchorDay(tx, day(1)))).toHaveLength(32)
  expect(await inTransaction(db, (tx) => anchorDay(tx, day(1)))).toBeUndefined()
  expect(await inTransaction(db, (tx) => isAnchored(tx, day(1)))).toBe(true)
  expect(await inTransaction(db, (tx) => isAnchored(tx, day(2)))).toBe(false)
  const merchant = randomUUID()
  await fund(db, merchant, 7n)
  await fund(db, merchant, 8n)
  expect(await seal()).toBe(2)
  expect(await seal()).toBe(0)
})

test('audit M-C3: an audit goes on from where the last one found an account right, and reads nothing before', async () => {
  const merchant = randomUUID()
  for (let i = 0; i < 20; i += 1) await fund(db, merchant, 1n)
  expect(await verify()).toEqual([])
  await fund(db, merchant, 1n)
  let read = 0
  const watched = createWatchedPool(url, ({ text, rows }) => {
    if (text.includes('from ledger_entries')) read += rows
  })
  expect(await verifyLedger(createDb(watched), {}, new Date())).toEqual([])
  await watched.end()
  // One entry of the merchant's account and one of its counterpart, and both of their transfer looked up from either
  // side at most.
  expect(read).toBeGreaterThanOrEqual(2)
  expect(read).toBeLessThanOrEqual(6)
})

test('audit M-C3: finds changes made by hand: an entry, a balance, a hold that ends in part, a verified entry', async () => {
  const [changed, balance, partly] = [randomUUID(), randomUUID(), randomUUID()]
  for (const merchant of [changed, balance, partly]) await fund(db, merchant, 77n)
  const held = hold(partly, 9n)
  await inTransaction(db, (tx) => applyAll(tx, [held]))
  await seal()
  expect(await verify()).toEqual([])
  const [first, second, third] = [
    await merchantAccount(changed),
    await merchantAccount(balance),
    await merchantAccount(partly),
  ]
  await withoutTriggers(db, async (tx) => {
    await sql`update ledger_entries set posted = 78, posted_after = 78 where account_id = ${first}`.execute(tx)
    await sql`update ledger_accounts set posted = 1000 where id = ${second}`.execute(tx)
    const release = newId()
    // Raw: forged: a hold that ends twice.
    await sql`insert into ledger_transfers(merchant_id, id, kind, cause_kind, cause_id, closes, created_at) values (${partly}, ${release}, 'release', 'withdrawal', ${release}, ${held.transfer.id}, now())`.execute(
      tx,
    )
    await sql`insert into ledger_entries select account_id, version + 1, ${release}, 0, -4, posted_after, held_after - 4 from ledger_entries where account_id = ${third} order by version desc limit 1`.execute(
      tx,
    )
    await sql`update ledger_accounts set held = held - 4, version = version + 1 where id = ${third}`.execute(tx)
  })
  expect(await verify()).toEqual([`account-balance ${second}`, `held ${third}`])
  expect(await verify(true)).toEqual(
    expect.arrayContaining([
      `hash-chain ${first}`,
      `account-balance ${first}`,
      `account-balance ${second}`,
      `held ${third}`,
    ]),
  )
  expect((await verify(true)).some((found) => found.startsWith('transfer-balance'))).toBe(true)
  const checks = (await auditLedger(db)).map((f) => f.check)
  expect(checks).toEqual(expect.arrayContaining(['transfer-balance', 'account-balance']))
})

/** Rows are inserted raw: the ledger never writes entries like these. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { useDb } from '../../../../test/world/database.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { apply, applyAll, createCommitter, type Committer, type Item } from './index.ts'

// A balance is changed without an entry.
const { db, url } = useDb({ breaks: ['accounts-add-up', 'entries-add-up', 'balances-are-entries'] })
const newId = () => uuidv7(Date.now(), randomBytes(10))
let committer: Committer

beforeAll(() => {
  committer = createCommitter({ url })
})
afterAll(() => committer.close())

const post = (merchantId: string, units: bigint): Item => {
  const entry = (kind: 'merchant' | 'capital', posted: bigint) => ({
    account: { merchantId, asset: 'USDT', kind },
    posted,
    held: 0n,
  })
  const id = newId()
  return {
    transfer: {
      id,
      merchantId,
      kind: 'post',
      cause: { kind: 'adjustment', id },
      entries: [entry('capital', -units), entry('merchant', units)],
      at: new Date(),
    },
  }
}
/** A merchant that has 100, and the id of its account. */
const merchantWithMoney = async (): Promise<{ merchant: string; id: number }> => {
  const merchant = randomUUID()
  await inTransaction(db, (tx) => applyAll(tx, [post(merchant, 60n), post(merchant, 40n)]))
  const { rows } = await sql<{
    id: number
  }>`select id from ledger_accounts where merchant_id = ${merchant} and kind = 'merchant'`.execute(db)
  return { merchant, id: rows[0]!.id }
}
const entry = (id: number, version: number, posted: number, after: number) =>
  sql`insert into ledger_entries(account_id, version, transfer_id, posted, held, posted_after, held_after) values (${id}, ${version}, ${newId()}, ${posted}, 0, ${after}, 0)`

describe('a balance', () => {
  test('audit S-3: L2 changes only with the entry of its next version, regardless of the writer', async () => {
    const { id } = await merchantWithMoney()
    const unexplained = /changes without the entry that explains it|has entries after version/
    for (const change of [
      sql`posted = posted + 1000000000`,
      sql`posted = posted + 5, version = version + 1`,
      sql`held = 1`,
      sql`version = 1, posted = 60`,
      sql`version = version - 1`,
    ]) {
      await expect(sql`update ledger_accounts set ${change} where id = ${id}`.execute(db)).rejects.toThrow(unexplained)
    }
    for (const change of [
      sql`bounded = false`,
      sql`merchant_id = ${randomUUID()}`,
      sql`kind = 'fees'`,
      sql`asset = 'BTC'`,
    ]) {
      await expect(sql`update ledger_accounts set ${change} where id = ${id}`.execute(db)).rejects.toThrow(
        'whose it is never changes',
      )
    }
    await expect(sql`delete from ledger_accounts where id = ${id}`.execute(db)).rejects.toThrow('append-only')
    await expect(
      sql`insert into ledger_accounts(merchant_id, asset, kind, bounded, posted) values (${randomUUID()}, 'USDT', 'merchant', true, 7)`.execute(
        db,
      ),
    ).rejects.toThrow('opened empty')
    await expect(
      sql`insert into ledger_accounts(merchant_id, asset, kind, bounded) values (${randomUUID()}, 'USDT', 'merchant', false)`.execute(
        db,
      ),
    ).rejects.toThrow('merchant_is_bounded')
  })

  test('audit S-3: an entry goes on from the one before it', async () => {
    const { id } = await merchantWithMoney()
    const broken = 'does not go on from the entry before it'
    await expect(entry(id, 3, 1, 1_000_000).execute(db)).rejects.toThrow(broken)
    await expect(entry(id, 4, 1, 101).execute(db)).rejects.toThrow(broken)
    await expect(
      sql`with a as (update ledger_accounts set posted = 1000100, version = 3 where id = ${id})
      insert into ledger_entries(account_id, version, transfer_id, posted, held, posted_after, held_after) values (${id}, 3, ${newId()}, 1, 0, 1000100, 0)`.execute(
        db,
      ),
    ).rejects.toThrow(/entry/)
  })

  test('audit S-3: one that was changed in spite of that is never built on, and others of the same batch go on', async () => {
    const [forged, honest] = [await merchantWithMoney(), await merchantWithMoney()]
    await withoutTriggers(db, (tx) =>
      sql`update ledger_accounts set posted = posted + 400 where id = ${forged.id}`.execute(tx),
    )
    const spend = (merchant: string): Item => ({ ...post(merchant, -70n) })
    const outcomes = await Promise.allSettled([
      committer.submit(spend(forged.merchant)),
      committer.submit(spend(honest.merchant)),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    await expect(inTransaction(db, (tx) => apply(tx, [spend(forged.merchant)]))).rejects.toThrow(
      "the account's balance is not what its entries say",
    )
    const { rows } = await sql<{
      last: number
    }>`select max(version) as last from ledger_entries where account_id = ${forged.id}`.execute(db)
    expect(rows[0]!.last).toBe(2)
  })
})

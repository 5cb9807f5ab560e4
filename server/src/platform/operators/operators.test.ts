import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { inTransaction } from '../db/index.ts'
import { anchorDay } from '../../ledger/postings/index.ts'
import { appendAction, findBrokenAction, headOfActions, redactArguments, listActions, type Outcome } from './index.ts'

const { db } = useDb()
beforeEach(() => emptyTables(db))

const note = (command: string, outcome: Outcome, given: unknown = { AMOUNT: '123', '--yes': true }) =>
  appendAction(db, {
    id: randomUUID(),
    at: new Date('2026-11-22T10:00:00.123Z'),
    login: 'ann',
    host: 'context',
    command,
    arguments: given,
    outcome,
    message: null,
  })

describe('the record of operators', () => {
  test('audit S-6: contains operator, command, place and time of each action, in rows chained by their hashes', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => note('position fund', 'done', { z: i, a: { c: 1, b: [2, null] } })),
    )
    await note('merchant set', 'failed')
    expect(await findBrokenAction(db)).toBeNull()
    expect(await headOfActions(db)).toMatchObject({ number: 21 })
    expect(await listActions(db, { most: 5, command: 'merchant' })).toEqual([
      {
        id: expect.any(String),
        at: new Date('2026-11-22T10:00:00.123Z'),
        login: 'ann',
        host: 'context',
        databaseUser: 'postgres',
        command: 'merchant set',
        arguments: { AMOUNT: '123', '--yes': true },
        outcome: 'failed',
        message: null,
      },
    ])
  })

  test('audit S-6: shows a row that was changed, removed or put between', async () => {
    for (let i = 0; i < 5; i += 1) await note('freeze', 'done')
    for (const text of [
      "update operator_actions set login = 'bob'",
      'delete from operator_actions',
      'truncate operator_actions',
    ])
      await expect(sql.raw(text).execute(db)).rejects.toThrow('append-only')
    await withoutTriggers(db, (tx) => sql`update operator_actions set login = 'bob' where number = 3`.execute(tx))
    expect(await findBrokenAction(db)).toBe(3)
    await withoutTriggers(db, (tx) => sql`update operator_actions set login = 'ann' where number = 3`.execute(tx))
    expect(await findBrokenAction(db)).toBeNull()
    await withoutTriggers(db, (tx) => sql`delete from operator_actions where number = 2`.execute(tx))
    expect(await findBrokenAction(db)).toBe(2)
  })

  test('audit S-6: is anchored with the ledger', async () => {
    const anchorWith = (day: string, line: string[]) => inTransaction(db, (tx) => anchorDay(tx, new Date(day), line))
    const [none, one, two] = [
      await anchorWith('2026-11-01', []),
      await anchorWith('2026-11-02', ['operator actions|1|aa']),
      await anchorWith('2026-11-03', ['operator actions|2|bb']),
    ]
    expect(new Set([none, one, two].map((hash) => hash!.toString('hex'))).size).toBe(3)
  })

  test('audit S-6: keeps no secret, no number of a card, and nothing that was not typed', () => {
    const given = {
      args: {
        MERCHANT_ID: 'm',
        VALUE: 'to 4111 1111 1111 1111',
        REASON: undefined,
        LONG: 'x'.repeat(600),
        KEY_ID: 'k1',
      },
      options: { 'private-key': 'abc', passphrase: 'open', yes: false, most: '5', balance: ['USD=1'], names: [] },
    }
    expect(redactArguments(given)).toEqual({
      MERCHANT_ID: 'm',
      VALUE: 'to 411111******1111',
      LONG: 'x'.repeat(500),
      KEY_ID: 'k1',
      '--private-key': '***',
      '--passphrase': '***',
      '--most': '5',
      '--balance': ['USD=1'],
    })
  })

  test('audit S-6: audits, approvals, decisions and stops never change, except that a stop may end', async () => {
    const id = randomUUID()
    // Raw: the rows are there to be refused a change.
    await sql`insert into merchant_audit(merchant_id, id, at, actor, action, detail) values (${id}, ${id}, now(), 'cli:ann', 'x', '{}')`.execute(
      db,
    )
    await sql`insert into freezes(id, reason, created_at) values (${id}, 'x', now())`.execute(db)
    await sql`insert into hedge_stops(id, reason, created_by, created_at) values (${id}, 'x', 'cli:ann', now())`.execute(
      db,
    )
    for (const text of [
      "update merchant_audit set actor = 'cli:bob'",
      'delete from merchant_audit',
      'delete from withdrawal_approvals',
      'delete from screening_decisions',
      'delete from freezes',
      'truncate hedge_stops',
      "update freezes set reason = 'y'",
      "update freezes set created_by = 'z'",
      "update hedge_stops set created_by = 'z'",
      'delete from refund_claims',
    ])
      await expect(sql.raw(text).execute(db), text).rejects.toThrow('append-only')
    await sql`update freezes set lifted_at = now(), lifted_by = 'cli:ann'`.execute(db)
    await sql`update hedge_stops set lifted_at = now(), lifted_by = 'cli:ann'`.execute(db)
    await expect(sql`update freezes set lifted_at = null`.execute(db)).rejects.toThrow('append-only')
    await expect(sql`update hedge_stops set lifted_by = 'cli:bob'`.execute(db)).rejects.toThrow('append-only')
  })
})

import { describe, expect, test } from 'vitest'
import type { TableGrant } from '../../server/src/platform/db/grants.ts'
import type { ForeignRead } from './foreign-reads.ts'
import type { SourceFile } from './imports.ts'
import { tablesOf } from './sql-tables.ts'
import { sqlTextsOf } from './sql-texts.ts'
import { findForeignSql } from './tables.ts'

const GRANTS: Record<string, TableGrant> = {
  coins: { owner: 'chain/transactions', worker: 'raw(spent_by)d' },
  deposits: { owner: 'pay-in/deposits', worker: 'raw' },
  entries: { owner: 'ledger/postings', worker: 'ra' },
  withdrawals: { owner: 'pay-out/withdrawals', worker: 'raw' },
}
const file = (path: string, text: string): SourceFile => ({ path: `server/src/${path}`, text, imports: [] })
const owners = [...new Set(Object.values(GRANTS).map(({ owner }) => file(`${owner}/index.ts`, '')))]
const found = (path: string, text: string, reads: readonly ForeignRead[] = []): string[] =>
  findForeignSql([...owners, file(path, text)], GRANTS, reads)
const WITHDRAWALS = 'pay-out/withdrawals/x.ts'

describe('canaries: each way of writing or reading a table of another module is found, with its line', () => {
  test.each([
    ['insert', 'await sql`insert into deposits(id) values (${id})`.execute(tx)'],
    ['update', 'await sql`update deposits set state = ${state} where ${condition}`.execute(tx)'],
    ['delete', 'await sql`delete from deposits d using withdrawals w where w.id = d.id`.execute(tx)'],
    ['a row lock', 'await sql`select from withdrawals w join deposits d on d.id = w.id for update`.execute(tx)'],
    ['a row lock of one table', 'sql`select from withdrawals w join deposits d on true for no key update of d`'],
    ['a part of a with', 'sql`with x as (update deposits set a = 1 returning id) select * from x`'],
    ['a part without its statement', 'sql`, x as (insert into deposits(id) select id from given)`'],
    ['the text of a prepared statement', 'const KEEP = `insert into deposits(id) select * from unnest($1::uuid[])`'],
    ['the target of an insert that is put together', "insert('deposits(id, state)', rows)"],
    ['a row that a posting writes', "const ROWS: RowTable = { name: 'deposits', columns: [] }"],
    ['a name given to kysely', "sql`delete from ${sql.table('deposits')}`"],
    ['a text given to kysely', "sql`${sql.raw('update deposits set a = 1')}`"],
    ['quotes and capitals', 'sql`UPDATE "deposits" SET a = 1`'],
  ])('writing: %s', (_, text) => {
    expect(found(WITHDRAWALS, `\n${text}`).join('\n')).toContain(
      "server/src/pay-out/withdrawals/x.ts:2: writes deposits, which is pay-in/deposits's",
    )
  })

  test.each([
    ['a join', 'sql<Row>`select ${COLUMNS} from withdrawals w left join deposits d on d.id = w.id`'],
    ['a condition', 'sql`and exists (select from deposits d where d.id = w.id)`'],
    ['a share lock', 'sql`select from deposits for share`'],
    ['a lock of a whole table', 'sql`lock table deposits in share mode`'],
    ['a with of the same name', 'sql`with deposits as (select * from deposits) select from deposits`'],
  ])('reading: %s', (_, text) => {
    expect(found(WITHDRAWALS, text).join('\n')).toContain(':1: reads deposits')
    expect(found(WITHDRAWALS, text, [{ by: 'pay-out/withdrawals', tables: ['deposits'], why: 'a test' }])).toEqual([])
  })

  test.each([
    ['its own table', WITHDRAWALS, 'sql`update withdrawals set a = 1`'],
    ['a name of a with', WITHDRAWALS, 'sql`with deposits as (select 1) select * from deposits`'],
    ['a column of the name', WITHDRAWALS, 'sql`select deposits from withdrawals`'],
    ['prose', WITHDRAWALS, "const text = 'the update of deposits from withdrawals takes a while'"],
    ['a test', 'pay-out/withdrawals/x.test.ts', 'sql`update deposits set a = 1`'],
    ['the double of a test', 'pay-out/withdrawals/test-world.ts', 'sql`update deposits set a = 1`'],
  ])('not found: %s', (_, path, text) => {
    expect(found(path, text)).toEqual([])
  })

  test.each([
    ['a table whose name a variable has', 'sql`delete from ${sql.table(name)}`', 'named by a variable'],
    ['SQL that no parser reads', 'sql`select from deposits where where`', 'cannot read this'],
    ['what no role may', 'sql`update entries set a = 1`', 'update on entries, which no role may'],
    [
      'an upsert that no role may',
      'sql`insert into entries values (1) on conflict (id) do update set a = 1`',
      'update on',
    ],
  ])('%s', (_, text, says) => {
    expect(found('ledger/postings/x.ts', text).join('\n')).toContain(says)
  })

  test('a row of foreign-reads that nothing uses, that is not in its place, and an owner that is no module', () => {
    const reads = (...all: [by: string, ...tables: string[]][]): ForeignRead[] =>
      all.map(([by, ...tables]) => ({ by, tables, why: 'a test' }))
    const text = 'sql`select from deposits, coins`'
    expect(found(WITHDRAWALS, text, reads(['pay-out/withdrawals', 'coins', 'deposits', 'entries']))).toEqual([
      'foreign-reads: nothing reads pay-out/withdrawals -> entries',
    ])
    expect(found(WITHDRAWALS, text, reads(['pay-out/withdrawals', 'deposits', 'coins']))[0]).toContain('alphabet')
    expect(found(WITHDRAWALS, 'sql`select from deposits`', reads(['pay-out/withdrawals', 'deposits']))).toEqual([])
    expect(findForeignSql(owners.slice(1), GRANTS, [])).toEqual([
      'grants: coins belongs to chain/transactions, which is no module',
    ])
  })
})

test('parts with holes are read by PostgreSQL’s own parser wherever they can stand in a statement', () => {
  const readsOf = (...pieces: string[]) =>
    [...(tablesOf(pieces)?.reads ?? ['nothing'])].filter((table) => /coins|nothing/.test(table))
  expect(readsOf('select a from ', ' x join coins c on c.id = x.id order by ', '')).toEqual(['coins'])
  expect(readsOf('(select max(a) from coins) desc,')).toEqual(['coins'])
  expect(readsOf('a = (select a from coins), b = ', '')).toEqual(['coins'])
  expect(readsOf('cross join lateral (select from coins where ', ') c')).toEqual(['coins'])
  expect(readsOf('select from (', ') a, coins where a.id = any(', ') ', ' limit ', '')).toEqual(['coins'])
  expect(readsOf('this is no SQL at all')).toEqual(['nothing'])
})

test('texts are found with their lines, with anything between their pieces', () => {
  const source = 'import { sql } from "kysely"\nconst a = sql<{ b: string }>`select ${\n  sql`x`\n}::text`\n'
  expect(sqlTextsOf('x.ts', source).texts).toEqual([
    { kind: 'sql', line: 2, pieces: ['select ', '::text'] },
    { kind: 'sql', line: 3, pieces: ['x'] },
  ])
})

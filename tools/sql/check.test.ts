import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from '../../test/setup/database.ts'
import { migrated } from '../../test/setup/migrated.ts'
import { temporaryFolder } from '../../test/setup/temporary.ts'
import { createPool } from '../../server/src/platform/db/index.ts'
import { checkStatements, type Report } from './check.ts'
import { openSources } from './project.ts'

const database = useDatabase({ template: migrated })
const HEAD = `import { sql, type Kysely } from 'kysely'
declare const db: Kysely<Record<string, never>>
declare const [id, at]: [string, Date]
`
const LINE = HEAD.split('\n').length

/** The contents of each file, from its fourth line on, and the message of the check. */
const REFUSED: Readonly<Record<string, readonly [source: string, says: string]>> = {
  'a column that no table has': [
    'await sql`select nmae from merchants where id = ${id}`.execute(db)',
    'PostgreSQL refuses this statement: column "nmae" does not exist, at `nmae from merchants',
  ],
  'a member that is not selected': [
    'await sql<{ id: string; name: string }>`select id from merchants`.execute(db)',
    'the row has name, which the statement does not give: select it, or take it out of the row',
  ],
  'a column that no member takes': [
    'await sql<{ id: string }>`select id, name from merchants`.execute(db)',
    'name is selected, and the row does not have it: add it there, or do not select it',
  ],
  'a numeric read as a number': [
    'await sql<{ units: number }>`select units from deposits`.execute(db)',
    'units is numeric, which the driver reads as bigint, and the row says number: write bigint there, or cast the column',
  ],
  'an int8 read as a bigint': [
    'await sql<{ sequence: bigint }>`select sequence from event_heads`.execute(db)',
    'sequence is bigint, which the driver reads as number, and the row says bigint: write number there, or cast the column',
  ],
  'an array of int8 read as numbers, which the driver leaves as texts': [
    'await sql<{ ids: number[] }>`select array(select id from ledger_accounts) as ids`.execute(db)',
    'ids is bigint[], which the driver reads as string[], and the row says number[]',
  ],
  'a time read as a text': [
    'await sql<{ at: string }>`select created_at as at from deposits`.execute(db)',
    'at is timestamp with time zone, which the driver reads as Date, and the row says string',
  ],
  'a column that can be null': [
    'await sql<{ height: number }>`select block_height as height from deposits where state = ${id}`.execute(db)',
    'height can be null (deposits.block_height has no `not null`), and the row does not say so: write `| null` there, or have the statement rule it out',
  ],
  'two columns with one name': [
    'await sql<{ id: string }>`select m.id, k.id from merchants m join merchant_keys k on k.merchant_id = m.id`.execute(db)',
    'two columns are called id, and the driver keeps the last: give one another name',
  ],
  'a null in a fragment that a caller gives': [
    'const rows = (columns: ReturnType<typeof sql.raw>) => sql<{ height: number }>`select ${columns} from deposits`.execute(db)\nawait rows(sql.raw("block_height as height"))',
    'height can be null (deposits.block_height has no `not null`)',
  ],
  'a branch that is wrong': [
    'await sql`select id from merchants ${id === "" ? sql`where nmae = 1` : sql``}`.execute(db)',
    'column "nmae" does not exist',
  ],
  'a column that one of the names of a type is not': [
    'declare const column: "name" | "nmae"\nawait sql`select ${sql.ref(column)} from merchants`.execute(db)',
    'column "nmae" does not exist',
  ],
  'text that only the running code knows': [
    'await sql`select ${sql.raw(id)} from merchants`.execute(db)',
    'this statement is not checked, as id of src/text-that-only-the-running-code-knows.ts:3 is not known: this is known at run time only. Give it a constant, or list it in tools/sql/stand-ins.ts with a reason',
  ],
  'a template that nothing runs': [
    'export const condition = sql`id = ${id}`',
    'no statement takes this template in, as far as this check sees: remove it, or call it where the check finds it',
  ],
}

/** Files in which the check finds nothing. */
const TAKEN: Readonly<Record<string, string>> = {
  'a row as it is': 'await sql<{ id: string; name: string }>`select id, name from merchants`.execute(db)',
  'a null that a condition rules out':
    'await sql<{ height: number }>`select block_height as height from deposits where block_height <= ${1}`.execute(db)',
  'a null that the row has':
    'await sql<{ height: number | null }>`select block_height as height from deposits`.execute(db)',
  'columns in a constant, a condition in a function, and a column that was asked for':
    "const columns = sql.raw('d.id, d.units')\nconst since = (time: Date | undefined) => (time === undefined ? sql`true` : sql`d.created_at > ${time}`)\n" +
    'await sql<{ id: string; units: bigint }>`select ${columns} from deposits d where ${since(at)} and ${since(undefined)}`.execute(db)',
  'JSON, whose type only the code knows':
    "await sql<{ meta: { a: 1 } }>`select coalesce(settings, '{}') as meta from merchants`.execute(db)",
  'a generic row':
    'const all = async <T extends object>(which: ReturnType<typeof sql<T>>) => which.execute(db)\nawait all(sql<{ id: string }>`select id from merchants`)',
  'an expression that is listed':
    'const later = id\nawait sql<{ id: string }>`select id from ${sql.table(later)}`.execute(db)',
}

let report: Report

beforeAll(async () => {
  const root = temporaryFolder('sql-check')
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'))
  mkdirSync(join(root, 'src'))
  writeFileSync(
    join(root, 'tsconfig.json'),
    JSON.stringify({ extends: join(import.meta.dirname, '../../tsconfig.json'), include: ['src'] }),
  )
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  const sources = [...Object.entries(REFUSED).map(([name, [text]]) => [name, text] as const), ...Object.entries(TAKEN)]
  for (const [name, text] of sources) writeFileSync(join(root, pathOf(name)), `${HEAD}${text}\nexport {}\n`)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { types } = createPool({ url: database.url }).options
  const opened = openSources(root, join(root, 'tsconfig.json'), (path) => path.startsWith('src/'))
  try {
    report = await checkStatements(opened, client, (typeId) => types!.getTypeParser(typeId), [
      { file: pathOf('an expression that is listed'), expression: 'later', text: 'merchants', reason: 'to be seen' },
      { file: 'src/gone.ts', expression: 'gone', text: 'merchants', reason: 'to be seen' },
    ])
  } finally {
    opened.close()
    await client.end()
  }
})

const pathOf = (name: string): string => `src/${name.replaceAll(/[^a-z]+/gi, '-')}.ts`
const problemsOf = (name: string): string[] => report.problems.filter((line) => line.startsWith(`${pathOf(name)}:`))

describe('refused statements, with file, line and the change to make', () => {
  test.each(Object.entries(REFUSED))('%s', (name, [source, says]) => {
    const [problem, ...more] = problemsOf(name)
    expect(more).toEqual([])
    expect(problem).toContain(says)
    // Each canary has its template on its last line, or its only one.
    const lines = source.split('\n')
    const line =
      LINE + Math.max(...lines.flatMap((text, index) => (text.includes('sql') && text.includes('`') ? [index] : [])))
    expect(problem).toMatch(new RegExp(`^${pathOf(name)}:${line}: `))
  })

  test('a row of the list that nothing needs', () => {
    expect(report.problems).toContain('src/gone.ts: nothing is called gone there any more: take it out of the list')
  })
})

describe('accepted statements', () => {
  test.each(Object.keys(TAKEN))('%s', (name) => {
    expect(problemsOf(name)).toEqual([])
  })

  test('and it counts the statements that it read', () => {
    expect(report).toMatchObject({ statements: 20, standIns: 1 })
  })
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/setup/temporary.ts'
import { judgeMigrations } from './migration-rules.ts'

const NEW = '209901010000-new.sql'

const judge = async (sql: string, name = NEW): Promise<string[]> => {
  const folder = temporaryFolder('migration-rules')
  writeFileSync(join(folder, name), sql)
  return (await judgeMigrations(folder)).map((line) => line.replace(`${folder}/`, ''))
}

test.each([
  [
    'an index on a table in use',
    '-- Why.\ncreate index x on deposits (units);',
    '2: ',
    'require-concurrent-index-creation',
  ],
  ['an index dropped', 'drop index x;', '1: ', 'require-concurrent-index-deletion'],
  [
    'a concurrent index in a transaction',
    'create index concurrently x on deposits (units);\nalter table deposits add column x text;',
    '1: ',
    'ban-concurrent-index-creation-in-transaction',
  ],
  ['a column that every row lacks', 'alter table deposits add column x text not null;', '1: ', 'adding-required-field'],
  [
    'a column that must be filled from now on',
    'alter table deposits alter column keys set not null;',
    '1: ',
    'adding-not-nullable-field',
  ],
  [
    'a type that rewrites the table',
    'alter table deposits alter column units type text;',
    '1: ',
    'changing-column-type',
  ],
  [
    'a check that reads the whole table',
    'alter table deposits add constraint x check (units > 0);',
    '1: ',
    'constraint-missing-not-valid',
  ],
  [
    'a column that roles of the build before still read',
    'alter table deposits drop column units;',
    '1: ',
    'ban-drop-column',
  ],
  ['a name that they use', 'alter table deposits rename column units to amount;', '1: ', 'renaming-column'],
  [
    'an index that cannot be made again',
    '-- outside a transaction\ncreate index concurrently x on deposits (units);',
    '2: ',
    'prefer-robust-stmts',
  ],
])('%s', async (_, sql, line, rule) => {
  const found = await judge(sql)
  const bySquawk = found.filter((one) => one.includes('(squawk: '))
  expect(bySquawk.map((one) => one.endsWith(`(squawk: ${rule})`))).toContain(true)
  for (const one of bySquawk) expect(one).toMatch(new RegExp(`^${NEW}:${line}[A-Z].{20}`))
})

test('outside a transaction nothing but indexes', async () => {
  const sql =
    '-- outside a transaction\ndrop index concurrently if exists x;\nalter table deposits add column if not exists x text;\n'
  expect(await judge(sql)).toEqual([
    `${NEW}:3: only \`create index concurrently\` and \`drop index concurrently\` run outside a transaction: put this into a migration of its own`,
  ])
})

test('statements that block no table in use are taken: new tables and their indexes, columns without values, constraints on new rows', async () => {
  expect(
    await judge(`create table x (id bigint primary key, n int not null);
create index x_n on x (n);
alter table deposits add column x text, add column y boolean not null default false;
alter table deposits add constraint z check (x <> '') not valid;
`),
  ).toEqual([])
  const dropping = '-- squawk-ignore ban-drop-column\nalter table deposits drop column late;'
  expect(await judge(dropping, '202611280000-first-release.sql')).toEqual([])
  expect(await judge(dropping)).toEqual([expect.stringMatching(`^${NEW}:1: it drops a column: roles of the previous`)])
  expect(
    await judge(
      '-- outside a transaction\ndrop index concurrently if exists x;\ncreate index concurrently if not exists x on deposits (units);\n',
    ),
  ).toEqual([])
})

test.each(['0193-old.sql', '202611241225-old.sql'])('%s was released before there were rules', async (name) => {
  expect(await judge('drop table deposits;', name)).toEqual([])
})

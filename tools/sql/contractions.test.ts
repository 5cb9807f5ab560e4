import { expect, test } from 'vitest'
import { judgeContraction, releasesIn } from './contractions.ts'

const RELEASES = releasesIn('# Changelog\n\n## Unreleased\n\n## 0.2.0 (2027-01-31)\n\n## 0.1.0\n')

test.each([
  ['a column', '-- squawk-ignore ban-drop-column\nalter table deposits drop column late;', 'it drops a column: '],
  ['a table', 'drop table deposits;', 'it drops: '],
  ['a function', 'drop function if exists database_era();', 'it drops: '],
  ['a view', 'drop view balances;', 'it drops: '],
  ['the name of a column', 'alter table deposits rename column units to amount;', 'it renames: '],
  ['the name of a table', 'alter table deposits rename to receipts;', 'it renames: '],
  ['a type', 'alter table deposits alter column units type text;', 'it changes the type of a column: '],
  ['nulls', 'alter table deposits alter column units set not null;', 'it requires values of a column: '],
  ['a default', 'alter table deposits alter column units drop default;', 'it drops the default of a column: '],
])('a migration takes %s from the release before, and must say since when it is not used', async (_, sql, fault) => {
  expect(await judgeContraction(sql, RELEASES)).toEqual([expect.stringContaining(fault)])
  expect(await judgeContraction(`-- Why.\n-- contract after 0.2.0\n${sql}`, RELEASES)).toEqual([])
  expect(await judgeContraction(`-- contract after 0.3.0\n${sql}`, RELEASES)).toEqual([
    expect.stringContaining('there is no release 0.3.0 in CHANGELOG.md'),
  ])
})

test('a migration that only adds needs no such line', async () => {
  const sql = `create table x (id bigint primary key);
alter table deposits add column x text, add column y boolean not null default false;
alter table deposits alter column x set default 'a', alter column y drop not null, drop constraint z;
drop trigger t on deposits;
alter index a rename to b;`
  expect(await judgeContraction(sql, RELEASES)).toEqual([])
  expect(await judgeContraction('-- outside a transaction\ndrop index concurrently if exists x;', RELEASES)).toEqual([])
})

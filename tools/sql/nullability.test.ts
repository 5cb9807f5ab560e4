import { parse } from 'libpg-query'
import { describe, expect, test } from 'vitest'
import { resultOf } from './nullability.ts'
import type { Tables } from './relations.ts'

const column = (name: string, why?: string) => ({ name, null: why })
const TABLES: Tables = new Map([
  ['orders', [column('id'), column('units'), column('hash', 'orders.hash'), column('height', 'orders.height')]],
  ['blocks', [column('height'), column('time')]],
])
/** `$1` is there, `$2` can be null; `$3` is an array of what is there, `$4` one with nulls. */
const PARAMETERS = { canBeNull: (number: number) => number === 2, hasNulls: (number: number) => number === 4 }

const nullsOf = async (text: string): Promise<string[]> => {
  const { stmts } = await parse(text)
  return resultOf(stmts![0]!.stmt!, TABLES, PARAMETERS).flatMap((each) => (each.null === undefined ? [] : [each.name]))
}

describe('columns that can be null', () => {
  test.each([
    ['of a table', 'select id, hash from orders', ['hash']],
    ['of all columns', 'select * from orders', ['hash', 'height']],
    [
      'the missing side of a left join',
      'select o.id, b.time from orders o left join blocks b on b.height = o.height',
      ['time'],
    ],
    ['the missing side of a right join', 'select o.id, b.time from orders o right join blocks b on true', ['id']],
    ['both sides of a full join', 'select o.id, b.time from orders o full join blocks b on true', ['id', 'time']],
    ['a sum of no rows', 'select sum(units), count(*) from orders', ['sum']],
    [
      'a sum of a group whose terms are there, and one of others',
      'select sum(units) as a, sum(height) as b from orders group by id',
      ['b'],
    ],
    ['a filtered sum', 'select sum(units) filter (where id = $1) from orders group by id', ['sum']],
    ['a CASE without ELSE', 'select case when id = $1 then units end from orders', ['case']],
    ['a subquery that can have no row', 'select (select units from orders limit 1) as units', ['units']],
    ['a key of JSON', "select $1::jsonb->>'a' as a", ['a']],
    ['an element of an array', 'select ($3::text[])[1] as first', ['first']],
    ['a parameter', 'select $1::text as a, $2::text as b', ['b']],
    ['an array with nulls', 'select * from unnest($3::text[], $4::text[]) u(a, b)', ['b']],
    ['coalesce of nothing that is there', 'select coalesce(hash, $2) as a, coalesce(hash, $1) as b from orders', ['a']],
    ['one part of a union', 'select hash from orders where hash = $1 union select hash from orders', ['hash']],
    ['through a query of WITH', 'with x as (select id, hash from orders) select * from x', ['hash']],
    ['a record of JSON', 'select id from jsonb_to_recordset($1) as r(id uuid)', ['id']],
    [
      'what an update writes',
      'update orders set hash = null, height = $1 where hash = $1 returning id, hash, height',
      ['hash'],
    ],
    ['a condition of the other row', 'select o.hash from orders o join orders p on p.hash = $1', ['hash']],
    ['one side of OR', 'select hash from orders where hash = $1 or id = $1', ['hash']],
    ['is distinct from', 'select hash from orders where hash is distinct from $1', ['hash']],
    ['a condition of NOT', 'select hash from orders where not (hash = $1)', ['hash']],
    ['a function that finds nothing', 'select array_position($3::text[], $1) as at', ['at']],
    [
      'inserted, and a conflict leaves the old one',
      'insert into orders(id, hash) values ($1, $1) on conflict (id) do update set id = $1 returning hash',
      ['hash'],
    ],
  ])('%s', async (_, text, nulls) => {
    expect(await nullsOf(text)).toEqual(nulls)
  })
})

describe('columns that can not', () => {
  test.each([
    ['compared', 'select hash from orders where hash = $1'],
    ['compared as a row', 'select hash, height from orders where (hash, height) > ($1, $1)'],
    [
      'among an array, or a subquery',
      'select hash, height from orders where hash = any($3) and height in (select height from blocks)',
    ],
    ['said not to be', 'select hash from orders where hash is not null'],
    ['on both sides of OR', 'select hash from orders where hash = $1 or hash > $1'],
    ['compared by an inner join', 'select o.height from orders o join blocks b on b.height = o.height'],
    [
      'of an outer join whose row a condition needs',
      'select b.time from orders o left join blocks b on true where b.height > $1',
    ],
    [
      'of a lateral query that has one row always',
      'select l.n from orders o left join lateral (select count(*) as n from blocks) l on true',
    ],
    ['merged by USING', 'select height from (select height from blocks) a full join blocks b using (height)'],
    [
      'in a branch whose condition needs it',
      'select case when hash is null then $1 else $1 end, case when height = $1 then height else $1 end from orders',
    ],
    [
      'of a subquery with one row',
      'select (select count(*) from orders) as n, exists (select from orders) as e, array(select hash from orders) as l',
    ],
    ['greatest, where one is there', 'select greatest(height, $1) from orders'],
    ['written by an update', 'update orders set hash = $1 returning hash'],
    ['proven of what an update leaves', 'update orders set units = $1 where hash = $1 returning hash'],
    ['inserted', 'insert into orders(id, hash) values ($1, $1) returning hash'],
    ['deleted by it', 'delete from orders where hash = $1 returning hash'],
    ['a key of JSON that a condition needs', "select $1::jsonb->>'a' as a where $1::jsonb->>'a' = $1"],
    [
      'of a recursive query',
      'with recursive r as (select 1 as n union all select n + 1 from r where n < 5) select n from r',
    ],
  ])('%s', async (_, text) => {
    expect(await nullsOf(text)).toEqual([])
  })
})

/** Reads the tables and types of the migrated database. */
import type pg from 'pg'
import { parse } from 'libpg-query'
import { resultOf, type Parameters } from './nullability.ts'
import type { Column, Tables } from './relations.ts'

/** Returns the columns of tables, and of views by their queries. */
export const readTables = async (client: pg.ClientBase): Promise<Tables> => {
  const { rows } = await client.query<{ table: string; column: string; filled: boolean; view: string | null }>(
    `
    select c.relname::text as table, a.attname::text as column, a.attnotnull as filled,
      case when c.relkind = 'v' then pg_get_viewdef(c.oid) end as view
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and c.relnamespace in ('public'::regnamespace, 'pg_catalog'::regnamespace)
      or c.relkind = 'v' and (c.relnamespace = 'public'::regnamespace or c.relname = any($1))
    order by c.relkind = 'v', c.relname, a.attnum`,
    [VIEWS],
  )
  const tables = new Map<string, readonly Column[]>()
  for (const [table, columns] of Map.groupBy(rows, (row) => row.table)) {
    const view = columns[0]!.view
    const statement = view === null ? undefined : (await parse(view)).stmts![0]!.stmt!
    tables.set(
      table,
      statement
        ? resultOf(statement, tables, NO_PARAMETERS)
        : columns.map(({ column, filled }) => ({
            name: column,
            null: filled ? undefined : `${table}.${column} has no \`not null\``,
          })),
    )
  }
  return tables
}

/** Views of PostgreSQL that our statements read. */
const VIEWS = ['pg_replication_slots', 'pg_roles', 'pg_stat_activity', 'pg_stat_replication']
const NO_PARAMETERS: Parameters = { canBeNull: () => true, hasNulls: () => true }

/** A PostgreSQL type and the JavaScript type in which the driver returns its values. */
export interface ColumnType {
  /** as `numeric` or `text[]` */
  readonly name: string
  /** `string`, `number`, `bigint`, `boolean`, `Date`, `bytes`, `object`, `json`, or one of them with `[]` */
  readonly javascript: string
}

/** Sample values as PostgreSQL prints them, by type name. Values of other types are words. */
const SAMPLES: Readonly<Record<string, string>> = {
  bool: 't',
  int2: '1',
  int4: '1',
  int8: '1',
  oid: '1',
  float4: '1.5',
  float8: '1.5',
  numeric: '1',
  date: '2026-01-02',
  timestamp: '2026-01-02 03:04:05',
  timestamptz: '2026-01-02 03:04:05+00',
  interval: '00:00:01',
  bytea: '\\x00',
}

/** Returns types by their ids, as a driver with these parsers returns them. */
export const readTypes = async (
  client: pg.ClientBase,
  parserOf: (typeId: number) => (text: string) => unknown,
): Promise<ReadonlyMap<number, ColumnType>> => {
  const { rows } = await client.query<{ id: number; name: string; spelled: string; element: string | null }>(`
    select t.oid as id, t.typname::text as name, format_type(t.oid, null) as spelled,
      case when t.typcategory = 'A' then e.typname::text end as element
    from pg_type t left join pg_type e on e.oid = t.typelem`)
  return new Map(
    rows.map(({ id, name, spelled, element }) => {
      const sample = SAMPLES[element ?? name] ?? 'word'
      const isJson = /^jsonb?$/.test(element ?? name)
      const quoted = /[ \\]/.test(sample) ? `"${sample.replace('\\', '\\\\')}"` : sample
      const text = element === null ? sample : `{${isJson ? '1' : quoted}}`
      const javascript = isJson && element === null ? 'json' : kindOf(parserOf(id)(text))
      return [
        id,
        { name: spelled, javascript: isJson && element !== null ? javascript.replace('number', 'json') : javascript },
      ]
    }),
  )
}

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return `${kindOf(value[0])}[]`
  if (value instanceof Date) return 'Date'
  if (value instanceof Uint8Array) return 'bytes'
  return typeof value
}

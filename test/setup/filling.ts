/**
 * Fills tables with rows of an old installation, by what each column is and by what a table's rows must be to be over
 * and done. They are inserted raw: hundreds of thousands, of years.
 */
import { sql } from 'kysely'
import type { Tx } from '../../server/src/platform/db/index.ts'

/** An id that is of row `i` of a table, the same whenever it is asked for. */
const UUID =
  "(lpad(to_hex(hashtext('TABLE')::bit(32)::bigint), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid"

const BY_TYPE: Record<string, string> = {
  uuid: UUID,
  text: "'t' || i",
  int8: 'i',
  int4: '1',
  int2: '1',
  numeric: '1',
  timestamptz: "timestamptz '2024-01-01' + i * interval '1 second'",
  date: "date '2024-01-01' + (i / 50)::int",
  bool: 'false',
  bytea: "decode(lpad(to_hex(i), 8, '0'), 'hex')",
  jsonb: "'{}'",
  _text: "'{}'",
  _numeric: "'{}'",
}

/**
 * Inserts rows `from` to `to` into a table. Columns that may be null or have a default are left out, unless they are
 * named.
 * @param columns SQL of a column's value, of the row's number `i`
 */
export const fill = async (
  tx: Tx,
  table: string,
  from: number,
  to: number,
  columns: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const { rows } = await sql<{
    name: string
    type: string
    needed: boolean
  }>`select column_name as name, udt_name as type,
      is_nullable = 'NO' and column_default is null and is_identity = 'NO' as needed
    from information_schema.columns where table_schema = 'public' and table_name = ${table}`.execute(tx)
  const set = rows.filter(({ name, needed }) => needed || name in columns)
  const unknown = Object.keys(columns).filter((name) => !rows.some((row) => row.name === name))
  if (rows.length === 0 || unknown.length > 0) throw new Error(`${table} has no ${unknown.join(', ') || 'columns'}`)
  const values = set.map(({ name, type }) => `(${columns[name] ?? BY_TYPE[type]!.replace('TABLE', table)})`)
  await sql
    .raw(
      `insert into ${table}(${set.map(({ name }) => name).join(', ')}) select ${values.join(', ')} from generate_series(${from}, ${to}) i`,
    )
    .execute(tx)
}

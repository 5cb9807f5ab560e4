/** Whether requests have changed anything: a hash of the rows of each table before and after. */
import { sql } from 'kysely'
import type { Db } from '../../../server/src/platform/db/index.ts'

/** Tables that change without a request, with the reason. */
const CHANGING_BY_THEMSELVES: Readonly<Record<string, string>> = {
  heartbeats: 'the process writes that it lives',
  address_stock: 'the process derives addresses ahead',
  derivation_counters: 'the process derives addresses ahead',
  alerts: 'jobs of the process raise and end them',
  refused_requests: 'the process logs refused requests there',
  request_counts: 'the process counts requests there',
}

/** The rows of a table that count as an effect, where not all do. */
const COUNTED: Readonly<Record<string, string>> = {
  // A refused order that reached the ledger is remembered: its repetition gets the same refusal (amendment 2).
  request_answers: 'status < 400',
  // An order opens the account that it would take money from. An account without an entry holds nothing.
  ledger_accounts: 'version > 0',
}

/** By table. Equal hashes mean equal rows, in any order. */
export type Snapshot = ReadonlyMap<string, string>

/** Reads the names of the tables that only requests change. */
export const tablesOf = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = 'public' order by tablename`.execute(db)
  return rows.map(({ name }) => name).filter((name) => !(name in CHANGING_BY_THEMSELVES))
}

/** One statement, and so one moment. @param tables of `tablesOf` */
export const snapshot = async (db: Db, tables: readonly string[]): Promise<Snapshot> => {
  const each = tables.map(
    (name) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as hash from ${name} t where ${COUNTED[name] ?? 'true'}`,
  )
  const { rows } = await sql<{ name: string; hash: string }>`${sql.raw(each.join(' union all '))}`.execute(db)
  return new Map(rows.map(({ name, hash }) => [name, hash]))
}

/** Names the tables whose rows differ. */
export const changedTables = (before: Snapshot, after: Snapshot): string[] =>
  [...after.keys()].filter((name) => before.get(name) !== after.get(name))

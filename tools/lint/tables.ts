/**
 * Checks that each table has one module as owner (`owner` in server/src/platform/db/grants.ts). Only the owner's SQL
 * writes the table. Other modules call the owner, or have a row in foreign-reads.ts with the reason why they read it
 * themselves.
 */
import type { TableGrant } from '../../server/src/platform/db/grants.ts'
import type { ForeignRead } from './foreign-reads.ts'
import type { SourceFile } from './imports.ts'
import { tablesOf, type Tables, type Verb } from './sql-tables.ts'
import { sqlTextsOf, type SqlText } from './sql-texts.ts'

/** Files that take a table's name from a variable, with the tables that it can name. */
const DYNAMIC: Readonly<Record<string, string>> = {
  'server/src/merchants/webhooks/archive.ts': 'partitions of events, which its module owns',
  'server/src/merchants/webhooks/commands.ts': 'event_streams and endpoint_streams, which its module owns',
}
/** Statements that no role may run, because only the database's owner does. */
const BY_THE_OWNER: Readonly<Record<string, string>> = {
  'delete event_spans': 'bursar archive',
  'insert capital_grants': 'the sandbox gives its merchants money',
  'insert event_archives': 'bursar archive',
  'insert schema_migrations': 'bursar migrate',
  'update business_clock': 'the sandbox moves its time',
}
/** A file without any of these contains no SQL. */
const HAS_SQL = /\bsql\b|\b(select|insert|update|delete from)\b|: RowTable\b/
const RIGHT: Readonly<Record<Verb, string>> = { insert: 'a', update: 'w', delete: 'd' }

const isProduction = (path: string): boolean =>
  path.startsWith('server/src/') && !/\.test\.ts$|\/test-[^/]+\.ts$/.test(path)
const moduleOf = (path: string): string => /^server\/src\/([^/]+\/[^/]+)\//.exec(path)?.[1] ?? path

/** Returns each violation of table ownership in the server's production code, one line each. */
export const findForeignSql = (
  files: readonly SourceFile[],
  grants: Readonly<Record<string, TableGrant>>,
  allowed: readonly ForeignRead[],
): string[] => {
  const reads = new Set(allowed.flatMap(({ by, tables }) => tables.map((table) => `${by} -> ${table}`)))
  const production = files.filter(({ path }) => isProduction(path))
  const modules = new Set(production.map(({ path }) => moduleOf(path)))
  const used = new Set<string>()
  const found = Object.entries(grants).flatMap(([table, { owner }]) =>
    modules.has(owner) ? [] : [`grants: ${table} belongs to ${owner}, which is no module`],
  )
  const isNamed = namesOf(Object.keys(grants))
  for (const { path, text } of production) {
    if (!HAS_SQL.test(text)) continue
    const by = moduleOf(path)
    const { texts, dynamic } = sqlTextsOf(path, text)
    if (!(path in DYNAMIC)) for (const line of dynamic) found.push(`${path}:${line}: the table is named by a variable`)
    for (const one of texts) {
      if (!isNamed(one)) continue
      const at = `${path}:${one.line}`
      const tables = readText(one)
      if (tables === undefined) {
        if (isStatement(one)) found.push(`${at}: PostgreSQL's parser cannot read this, nor as a part of a statement`)
        continue
      }
      for (const [table, verbs] of tables.writes) {
        if (!(table in grants)) continue
        const { owner, ...rights } = grants[table]!
        if (owner !== by) found.push(`${at}: writes ${table}, which is ${owner}'s: call a function of that module`)
        for (const verb of verbs)
          if (!(`${verb} ${table}` in BY_THE_OWNER) && !mayAny(rights, verb))
            found.push(`${at}: ${verb} on ${table}, which no role may by its grants`)
      }
      for (const table of tables.reads) {
        const owner = grants[table]?.owner
        if (owner === undefined || owner === by) continue
        const row = `${by} -> ${table}`
        used.add(row)
        if (!reads.has(row))
          found.push(
            `${at}: reads ${table}, which is ${owner}'s: call that module, or give a reason in foreign-reads.ts`,
          )
      }
    }
  }
  for (const row of reads) if (!used.has(row)) found.push(`foreign-reads: nothing reads ${row}`)
  const rows = allowed.map(({ by, tables }) => `${by} ${tables.join(' ')}`)
  const [at] = [rows, ...allowed.map(({ tables }) => tables)].flatMap((list) => firstUnsorted(list) ?? [])
  if (at !== undefined) found.push(`foreign-reads: ${at} is not in its place in the alphabet`)
  return found
}

const firstUnsorted = (list: readonly string[]): string | undefined => {
  const sorted = list.toSorted()
  return list.find((one, index) => one !== sorted[index])
}

/** Checks cheaply, before parsing, whether a text may name one of these tables. */
const namesOf = (tables: readonly string[]): ((text: SqlText) => boolean) => {
  const any = tables.join('|')
  const anywhere = new RegExp(`\\b(?:${any})\\b`)
  const inPlace = new RegExp(`\\b(?:from|join|into|update|using|table)\\s+"?(?:${any})\\b|^(?:${any})\\s*\\(`, 'i')
  return ({ kind, pieces }) => (kind === 'string' ? inPlace : anywhere).test(pieces.join(' '))
}

const readText = ({ kind, pieces }: SqlText): Tables | undefined => {
  // In a composed insert, the target is a separate text: `table(column, column)`.
  const target = kind === 'row' ? pieces[0] : kind === 'string' ? /^(\w+)\s*\(/.exec(pieces[0]!)?.[1] : undefined
  return target === undefined
    ? tablesOf(pieces)
    : { reads: new Set(), writes: new Map([[target, new Set<Verb>(['insert'])]]) }
}

/** Returns true for SQL, and false for prose that contains an SQL keyword. */
const isStatement = ({ kind, pieces }: SqlText): boolean =>
  kind === 'sql' || /^\s*(with|select|insert|update|delete|\w+ as \()/.test(pieces[0]!)

const mayAny = (rights: Omit<TableGrant, 'owner'>, verb: Verb): boolean =>
  [rights.api, rights.worker, rights.watcher, rights.operator].some((letters) =>
    letters?.replaceAll(/\([^)]*\)/g, '').includes(RIGHT[verb]),
  )

import { loadModule, parseSync } from 'libpg-query'

await loadModule()

export type Verb = 'insert' | 'update' | 'delete'

/**
 * The tables that a piece of SQL uses, by operation. A row lock (`for update`) counts as an update, `for share` as a
 * read.
 */
export interface Tables {
  readonly reads: Set<string>
  readonly writes: Map<string, Set<Verb>>
}

type Node = Record<string, unknown>

/**
 * Returns the tables that a text names, except its own `with` names; undefined if PostgreSQL's parser accepts it
 * neither as a statement nor as a part of one.
 * @param pieces the text between the interpolated values and fragments
 */
export const tablesOf = (pieces: readonly string[]): Tables | undefined => {
  for (const frame of FRAMES) {
    const tree = parseFilled(frame, pieces)
    if (tree === undefined) continue
    const found: Tables = { reads: new Set(), writes: new Map() }
    walk(tree, new Set(), found)
    return found
  }
  return undefined
}

/** The contexts in which a part of a statement is parsed. */
const FRAMES: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['select ', ''],
  ['select from ', ''],
  ['select from filled_ where ', ''],
  ['select from filled_ where true ', ''],
  ['select from filled_ where x = ', ''],
  ['select from filled_ x ', ''],
  ['with ', ''],
  ['with ', ' select'],
  ['with ', ' x as (select) select'],
  ['', ' x as (select) select'],
  ['', ' select'],
  ['with x as (select) ', ' select'],
  ['select from filled_ order by ', ''],
  ['select from filled_ order by ', ' x'],
  ['update filled_ set ', ''],
  ['update filled_ set x = 1 ', ''],
  ['insert into filled_ ', ''],
  ['', ' values (1)'],
]
/** Substitutes for an interpolated value or fragment. */
const FILLINGS = ['$1', '', 'filled_', '(select)', 'x = 1', 'x as (select)', ', x as (select)', 'select']
const MOST_TRIES = 400

/**
 * Returns the tree of the first substitution that parses. The position of an error shows which holes need another
 * substitute.
 */
const parseFilled = ([before, after]: readonly [string, string], pieces: readonly string[]): unknown => {
  let tries = 0
  const attempt = (fillings: readonly number[], from: number): unknown => {
    if (tries++ > MOST_TRIES) return undefined
    let text = before + pieces[0]!
    const starts: number[] = []
    for (const [index, filling] of fillings.entries()) {
      starts.push(text.length)
      text += ` ${FILLINGS[filling]!} ${pieces[index + 1]!}`
    }
    text += after
    try {
      return parseSync(text)
    } catch (error) {
      const place = (error as { sqlDetails?: { cursorPosition?: number } }).sqlDetails?.cursorPosition ?? text.length
      const nearest = starts.findLastIndex((start) => start <= place + 1)
      for (let hole = nearest; hole >= from && hole > nearest - 3; hole--) {
        if (fillings[hole] !== 0) continue
        for (let next = 1; next < FILLINGS.length; next++) {
          const tree = attempt(fillings.with(hole, next), hole + 1)
          if (tree !== undefined) return tree
        }
      }
      return undefined
    }
  }
  return attempt(
    Array.from({ length: pieces.length - 1 }, () => 0),
    0,
  )
}

const VERBS: Readonly<Record<string, readonly Verb[]>> = {
  InsertStmt: ['insert'],
  UpdateStmt: ['update'],
  DeleteStmt: ['delete'],
  MergeStmt: ['insert', 'update', 'delete'],
  TruncateStmt: ['delete'],
}
/** Statements that change the schema: they neither read nor write rows. */
const IS_SHAPE = /^(Alter|Create|Drop|Grant|Comment|Index|Rule|View)\w*Stmt$/

const walk = (value: unknown, known: ReadonlySet<string>, found: Tables): void => {
  if (Array.isArray(value)) {
    for (const one of value) walk(one, known, found)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const node = value as Node
  const names = withNames(node, known, found)
  for (const [key, child] of Object.entries(node)) {
    if (key === 'withClause' || IS_SHAPE.test(key)) continue
    const verbs = VERBS[key]
    if (verbs) walkWrite(child as Node, verbs, names, found)
    else if (key === 'RangeVar') {
      const name = nameOf(child)
      if (name !== undefined && !names.has(name)) found.reads.add(name)
    } else walk(child, names, found)
  }
  if (Array.isArray(node['lockingClause'])) addLocked(node, names, found)
}

/**
 * Walks the parts of a `with`. @returns the names that the statement can use; the name of a part is known from the next
 * part on
 */
const withNames = (node: Node, known: ReadonlySet<string>, found: Tables): ReadonlySet<string> => {
  const clause = node['withClause'] as { ctes: { CommonTableExpr: Node }[]; recursive?: boolean } | undefined
  if (!clause) return known
  const parts = clause.ctes.map(({ CommonTableExpr: part }) => part)
  const names = new Set([...known, ...(clause.recursive ? parts.map(({ ctename }) => ctename as string) : [])])
  for (const { ctename, ctequery } of parts) {
    walk(ctequery, new Set(names), found)
    names.add(ctename as string)
  }
  return names
}

const walkWrite = (statement: Node, verbs: readonly Verb[], known: ReadonlySet<string>, found: Tables): void => {
  const { relation, relations, ...rest } = statement
  const targets = relation ? [relation] : ((relations ?? []) as { RangeVar: unknown }[]).map((one) => one.RangeVar)
  const conflict = statement['onConflictClause'] as Node | undefined
  for (const target of targets) {
    const name = nameOf(target)
    if (name !== undefined)
      addWrite(found, name, conflict?.['action'] === 'ONCONFLICT_UPDATE' ? [...verbs, 'update'] : verbs)
  }
  walk(rest, withNames(statement, known, found), found)
}

const addWrite = ({ writes }: Tables, name: string, verbs: readonly Verb[]): void => {
  writes.set(name, new Set([...(writes.get(name) ?? []), ...verbs]))
}

const nameOf = (relation: unknown): string | undefined => {
  const { relname, schemaname } = relation as { relname?: string; schemaname?: string }
  return schemaname === undefined || schemaname === 'public' ? relname : undefined
}

/** Adds the tables whose rows a SELECT locks for update. */
const addLocked = (select: Node, known: ReadonlySet<string>, found: Tables): void => {
  const inFrom = new Map<string, string>()
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(collect)
    if (typeof value !== 'object' || value === null) return
    for (const [key, child] of Object.entries(value as Node)) {
      if (key === 'RangeVar') {
        const name = nameOf(child)
        const alias = ((child as Node)['alias'] as { aliasname: string } | undefined)?.aliasname
        if (name !== undefined && !known.has(name)) inFrom.set(alias ?? name, name)
      } else if (key !== 'RangeSubselect') collect(child)
    }
  }
  collect(select['fromClause'])
  for (const { LockingClause: clause } of select['lockingClause'] as { LockingClause: Node }[]) {
    if (!/UPDATE/.test(String(clause['strength']))) continue
    const only = (clause['lockedRels'] as { RangeVar: unknown }[] | undefined)?.map((one) => nameOf(one.RangeVar)!)
    for (const alias of only ?? inFrom.keys()) {
      const name = inFrom.get(alias)
      if (name !== undefined) addWrite(found, name, ['update'])
    }
  }
}

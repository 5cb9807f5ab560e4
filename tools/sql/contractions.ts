/**
 * Refuses a migration that takes something from the builds before it, unless it names the first release that does not
 * use it, and this release exists (decision 204).
 */
import { parse } from 'libpg-query'
import { CONTRACT } from '../../server/src/platform/db/migrate.ts'

type Fields = Record<string, unknown>

/** Objects whose removal no statement of a role notices: only their speed changes. */
const UNUSED_BY_STATEMENTS = new Set(['OBJECT_INDEX', 'OBJECT_TRIGGER', 'OBJECT_RULE', 'OBJECT_POLICY'])
/** Changes of a table that a statement of an older build can fail at. */
const CHANGES: Readonly<Record<string, string>> = {
  AT_DropColumn: 'drops a column',
  AT_AlterColumnType: 'changes the type of a column',
  AT_SetNotNull: 'requires values of a column',
}

/**
 * @param sql of one migration, which PostgreSQL's parser accepts
 * @returns what the migration takes from older builds, such as `drops a column`
 */
export const takenBy = async (sql: string): Promise<string[]> => {
  const { stmts = [] } = (await parse(sql)) as { stmts?: { stmt?: unknown }[] }
  return stmts.flatMap(({ stmt }) =>
    Object.entries(stmt as Fields).flatMap(([kind, node]) => takenByStatement(kind, node as Fields)),
  )
}

const takenByStatement = (kind: string, node: Fields): string[] => {
  if (kind === 'RenameStmt') return UNUSED_BY_STATEMENTS.has(node['renameType'] as string) ? [] : ['renames']
  if (kind === 'DropStmt') return UNUSED_BY_STATEMENTS.has(node['removeType'] as string) ? [] : ['drops']
  if (kind !== 'AlterTableStmt') return []
  return (node['cmds'] as { AlterTableCmd: Fields }[]).flatMap(({ AlterTableCmd: command }) => {
    const type = command['subtype'] as string
    if (type === 'AT_ColumnDefault' && command['def'] === undefined) return ['drops the default of a column']
    return CHANGES[type] ?? []
  })
}

/**
 * @param sql of one migration
 * @param releases versions that are released, as CHANGELOG.md lists them
 * @returns a sentence about each fault of the migration
 */
export const judgeContraction = async (sql: string, releases: readonly string[]): Promise<string[]> => {
  const taken = await takenBy(sql)
  const release = CONTRACT.exec(sql)?.[1]
  if (release === undefined)
    return taken.length === 0
      ? []
      : [
          `it ${[...new Set(taken)].join(', ')}: roles of the previous release run meanwhile. Stop using it in one release, and remove it after that release, in a migration with the line \`-- contract after RELEASE\``,
        ]
  if (!releases.includes(release))
    return [`there is no release ${release} in CHANGELOG.md: remove in a release what the release before does not use`]
  return []
}

/** The released versions that CHANGELOG.md has headings of, `## 0.2.0` or `## 0.2.0 (2027-01-31)`. */
export const releasesIn = (changelog: string): string[] =>
  [...changelog.matchAll(/^## (\d+\.\d+\.\d+)\b/gm)].map(([, version]) => version!)

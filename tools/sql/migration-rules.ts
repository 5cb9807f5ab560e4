/**
 * Refuses statements in new migrations that block tables in use, by squawk's rules (squawkhq.com/docs/rules), and that
 * take something from the builds before (`contractions.ts`). A comment
 * above a statement disables a rule for it and gives the reason: `-- squawk-ignore ban-drop-column`.
 */
import { execFile } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { judgeContraction, releasesIn } from './contractions.ts'

/** Migrations with an earlier time or a number in their names are older than these rules. */
const SINCE = '202611250900'

/** Earlier migrations belong to the first release: no build before it is upgraded without a stop. */
const FIRST_RELEASE = '202611290000'

const CHANGELOG = join(import.meta.dirname, '../../CHANGELOG.md')

const LEFT_OUT = [
  // `migrate` sets it.
  'require-lock-timeout',
  // A scan may take long; the other rules ensure that it blocks no table.
  'require-statement-timeout',
  // Counters of attempts are small.
  'prefer-bigint-over-int',
  'prefer-bigint-over-smallint',
]

interface Finding {
  readonly file: string
  /** from 0 */
  readonly line: number
  readonly message: string
  readonly help: string | null
  readonly rule_name: string
}

/** Returns `path:line: sentence` for each violation in a folder's new migrations. */
export const judgeMigrations = async (folder: string): Promise<string[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql') && /^\d{12}/.test(name) && name >= SINCE)
  const files = await Promise.all(
    names
      .toSorted()
      .map(async (name) => ({ path: join(folder, name), sql: await readFile(join(folder, name), 'utf8') })),
  )
  const isOutside = ({ sql }: { sql: string }): boolean => sql.startsWith('-- outside a transaction\n')
  const [outside, inside] = [files.filter(isOutside), files.filter((file) => !isOutside(file))].map((some) =>
    some.map(({ path }) => path),
  )
  const releases = releasesIn(await readFile(CHANGELOG, 'utf8'))
  const contracting = files
    .filter(({ path }) => basename(path) >= FIRST_RELEASE)
    .map(async ({ path, sql }) => (await judgeContraction(sql, releases)).map((fault) => `${path}:1: ${fault}`))
  return [
    ...(await Promise.all(contracting)).flat(),
    ...(await squawk(inside!, ['--assume-in-transaction'])),
    ...(await squawk(outside!, ['--no-assume-in-transaction'])),
    ...files.filter(isOutside).flatMap(({ path, sql }) => notConcurrent(path, sql)),
  ]
}

const squawk = async (paths: readonly string[], options: readonly string[]): Promise<string[]> => {
  if (paths.length === 0) return []
  const script = join(import.meta.dirname, '../../node_modules/squawk-cli/js/bin/squawk')
  const args = [script, ...options, '--pg-version=18', '--reporter=json', `--exclude=${LEFT_OUT.join()}`, ...paths]
  const output = await new Promise<string>((resolve, reject) =>
    // squawk exits with 1 when it finds a violation.
    execFile(process.execPath, args, (error, stdout, stderr) =>
      stdout.trim().startsWith('[') ? resolve(stdout) : reject(new Error(`squawk said: ${stderr || error?.message}`)),
    ),
  )
  return (JSON.parse(output) as Finding[]).map(
    ({ file, line, message, help, rule_name }) =>
      `${file}:${line + 1}: ${[message, help].filter(Boolean).join(' ')} (squawk: ${rule_name})`,
  )
}

/** Outside a transaction there is no lock timeout, so only statements that block no others are allowed there. */
const notConcurrent = (path: string, sql: string): string[] => {
  let at = 0
  return sql.split(/;\s*$/m).flatMap((statement) => {
    const start = at
    at += statement.length + 1
    const text = statement.replaceAll(/^\s*--.*$/gm, '').trimStart()
    if (text === '' || /^(create (unique )?|drop )index concurrently /i.test(text)) return []
    const line = sql.slice(0, sql.indexOf(text.slice(0, 20), start)).split('\n').length
    return [
      `${path}:${line}: only \`create index concurrently\` and \`drop index concurrently\` run outside a transaction: put this into a migration of its own`,
    ]
  })
}

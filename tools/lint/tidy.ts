import type { SourceFile } from './imports.ts'

/** Rules of this repository that general linters do not have. Each has the paths to check and the pattern to find. */
const RULES: { name: string; at: RegExp; not?: RegExp; finds: RegExp }[] = [
  {
    name: 'only ledger/postings writes ledger tables',
    at: /^(server|sandbox)\/.*\.ts$/,
    not: /^server\/src\/ledger\/postings\/|\.test\.ts$/,
    finds: /(insert\s+into|update|delete\s+from)\s+ledger_\w+/i,
  },
  {
    name: 'business SQL takes the time as a parameter',
    at: /^server\/src\/.*\.ts$/,
    not: /^server\/src\/platform\/db\/|\.test\.ts$/,
    finds: /sql(?:<[^`]*>)?`[^`]*(?<![.\w])(now\(\)|current_timestamp|clock_timestamp\(\)|gen_random_uuid\(\))/i,
  },
  {
    name: 'no number near an amount',
    at: /^server\/src\/(platform\/money|ledger\/postings)\/.*\.ts$/,
    not: /\.test\.ts$/,
    finds: /\bparseFloat\b|\.toFixed\(/,
  },
  {
    name: 'no focused or skipped test',
    at: /\.test\.ts$/,
    not: /^tools\/lint\//,
    finds: /\b(describe|test|it)\.(only|skip)\(/,
  },
  {
    name: 'who makes a temporary folder removes it: tests by temporaryFolder of test/setup/temporary.ts',
    at: /\.(ts|mjs)$/,
    not: /^tools\/lint\//,
    finds: /^(?![^]*\b(?:rmSync|rm)\b)[^]*\bmkdtemp/,
  },
  {
    name: 'a connection to PostgreSQL is a DatabaseClient: the end of any other ends the process',
    at: /^server\/src\/.*\.ts$/,
    not: /^server\/src\/platform\/db\/pool\.ts$|\.test\.ts$/,
    finds: /new pg\.(Client|Pool)\(|\{[^}]*\bClient\b[^}]*\} from 'pg'/,
  },
  { name: 'nothing left open in the code', at: /\.(ts|mjs)$/, not: /^tools\/lint\//, finds: /\b(TODO|FIXME|XXX)\b/ },
  {
    name: 'time comes from a clock',
    at: /^server\/src\/[^/]+\/(?!.*test).*\.ts$/,
    not: /^server\/src\/(platform\/(api|config|outbound|process|runtime)|adapters|app\/(cli|http|serving))\//,
    finds: /\bDate\.now\(\)|new Date\(\)/,
  },
  {
    name: 'no secret in an environment variable of a child',
    at: /\.ts$/,
    not: /\.test\.ts$|^tools\/lint\//,
    finds: /PASSPHRASE['"]?\s*:/,
  },
]

/** Maximum lines of a file. Tables are data and may be longer. */
const longestOf = (path: string): number => {
  if (/^tools\/dialects\/|generated|schema\.ts$/.test(path)) return Infinity
  return /\.test\.ts$|\/test-[^/]+\.ts$/.test(path) ? 600 : 400
}
/** A literal registry host would violate the rule itself, so the pattern is composed. */
const REGISTRY = new RegExp(['registry', 'npmjs'].join('\\.'), 'i')

/** Returns the violations, one line each. A file that is too long should be split by subject. */
export const findUntidy = (files: readonly SourceFile[]): string[] =>
  files.flatMap(({ path, text }) => [
    ...RULES.filter(({ at, not, finds }) => at.test(path) && !(not?.test(path) ?? false) && finds.test(text)).map(
      ({ name, finds }) => `${path}:${lineOf(text, finds)}: ${name}`,
    ),
    ...tooWide(path, text),
    ...(REGISTRY.test(text) ? [`${path}: names a host of a registry`] : []),
    ...(text.split('\n').length > longestOf(path) ? [`${path}: over ${longestOf(path)} lines`] : []),
  ])

/**
 * Maximum columns of a line, as in the formatter. A line with a string, a template or a regular expression may be
 * longer, because the formatter breaks none of them.
 */
const WIDEST = 120
const tooWide = (path: string, text: string): string[] => {
  if (!/\.(ts|tsx|mjs)$/.test(path) || /generated|schema\.ts$/.test(path)) return []
  let inTemplate = false
  return text.split('\n').flatMap((line, at) => {
    const isComment = !inTemplate && /^\s*(\/\/|\/?\*)/.test(line)
    const unbreakable = !isComment && (inTemplate || /['"`]|\/.{20,}\/[a-z]*[,;]?$|[(,] ?\/.{20,}\//.test(line))
    if (!isComment && (line.match(/(?<!\\)`/g) ?? []).length % 2 === 1) inTemplate = !inTemplate
    return line.length > WIDEST && !unbreakable ? [`${path}:${at + 1}: over ${WIDEST} columns`] : []
  })
}

const lineOf = (text: string, pattern: RegExp): number => text.slice(0, text.search(pattern)).split('\n').length

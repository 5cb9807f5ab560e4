import type { SourceFile } from './imports.ts'

/** Rules of this repository that a general linter doesn't know. Each says where it looks and what it finds. */
const RULES: { name: string; at: RegExp; not?: RegExp; finds: RegExp }[] = [
  {
    name: 'only ledger/ writes ledger tables',
    at: /^(server|sandbox)\/.*\.ts$/,
    not: /^server\/src\/ledger\/|\.test\.ts$/,
    finds: /(insert\s+into|update|delete\s+from)\s+ledger_\w+/i,
  },
  {
    name: 'business SQL takes the time as a parameter',
    at: /^server\/src\/.*\.ts$/,
    not: /^server\/src\/db\/|\.test\.ts$/,
    finds: /sql(?:<[^`]*>)?`[^`]*(?<![.\w])(now\(\)|current_timestamp|clock_timestamp\(\)|gen_random_uuid\(\))/i,
  },
  {
    name: 'no number near an amount',
    at: /^server\/src\/(money|ledger)\/.*\.ts$/,
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
    not: /^server\/src\/db\/pool\.ts$|\.test\.ts$/,
    finds: /new pg\.(Client|Pool)\(|\{[^}]*\bClient\b[^}]*\} from 'pg'/,
  },
  { name: 'nothing left open in the code', at: /\.(ts|mjs)$/, not: /^tools\/lint\//, finds: /\b(TODO|FIXME|XXX)\b/ },
  {
    name: 'time comes from a clock',
    at: /^server\/src\/(?!platform\/clock|main)[^/]+\/(?!.*test).*\.ts$/,
    not: /^server\/src\/(http|outbound|platform|adapters|cli)\//,
    finds: /\bDate\.now\(\)|new Date\(\)/,
  },
  {
    name: 'no secret in an environment variable of a child',
    at: /\.ts$/,
    not: /\.test\.ts$|^tools\/lint\//,
    finds: /PASSPHRASE['"]?\s*:/,
  },
]

const LONGEST_LINES = 400
/** A line of `no registry host in any file` would name one itself: the pattern is put together. */
const REGISTRY = new RegExp(['registry', 'npmjs'].join('\\.'), 'i')

/** What breaks the rules, one line each. Files over 400 lines are named too: split them by what they do. */
export const findUntidy = (files: readonly SourceFile[]): string[] =>
  files.flatMap(({ path, text }) => [
    ...RULES.filter(({ at, not, finds }) => at.test(path) && !(not?.test(path) ?? false) && finds.test(text)).map(
      ({ name, finds }) => `${path}:${lineOf(text, finds)}: ${name}`,
    ),
    ...(REGISTRY.test(text) ? [`${path}: names a host of a registry`] : []),
    ...(text.split('\n').length > LONGEST_LINES && !/generated|schema\.ts$/.test(path)
      ? [`${path}: over ${LONGEST_LINES} lines`]
      : []),
  ])

const lineOf = (text: string, pattern: RegExp): number => text.slice(0, text.search(pattern)).split('\n').length

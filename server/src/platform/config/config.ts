import { readFileSync } from 'node:fs'
import { similarWord } from '../base/similar.ts'
import { splitDatabaseUrl } from '../db/servers.ts'
import { readKeyFile } from './key-file.ts'
import { saysOf, ShapeError } from './shape.ts'
import { settingsOf, standardTextOf, type FileParsers, type Role, type Setting } from './settings.ts'

type Settings<Files extends FileParsers> = ReturnType<typeof settingsOf<Files>>
/** The validated settings of a process. A setting that is absent and has no default is null. */
export type Config<Files extends FileParsers = FileParsers> = {
  [Name in keyof Settings<Files>]: ReturnType<Settings<Files>[Name]['read']>
}

/** Lists every problem of the settings. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The settings are not right:\n${problems.map((problem) => `- ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads all settings once. Throws a ConfigError that lists every problem. */
export const readConfig = <Files extends FileParsers>(env: Environment, role: Role, files: Files): Config<Files> => {
  const settings = Object.entries<Setting<unknown>>(settingsOf(files))
  const problems = unknownVariables(
    env,
    settings.map(([, setting]) => setting),
  )
  const config = readEach(env, role, settings, problems) as Config<Files>
  problems.push(...problemsOfDatabase(config), ...problemsOfSigner(config), ...problemsOfMail(config))
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/**
 * Reads the connection to the database alone, for commands that prepare it before the other settings exist. Throws a
 * ConfigError.
 */
export const readDatabaseConfig = <Files extends FileParsers>(
  env: Environment,
  files: Files,
): Pick<Config<Files>, 'databaseUrl' | 'databaseRoles'> => {
  const { databaseUrl, databaseRoles } = settingsOf(files)
  const problems: string[] = []
  const config = readEach(env, 'cli', Object.entries({ databaseUrl, databaseRoles }), problems) as Pick<
    Config<Files>,
    'databaseUrl' | 'databaseRoles'
  >
  problems.push(...problemsOfDatabase(config))
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** Reads settings by name. A setting that is wrong becomes null, and its problems are added to `problems`. */
const readEach = (
  env: Environment,
  role: Role,
  settings: readonly (readonly [string, Setting<unknown>])[],
  problems: string[],
): object =>
  Object.fromEntries(
    settings.map(([name, setting]) => {
      try {
        return [name, readSetting(env, role, setting)]
      } catch (error) {
        problems.push(...problemsIn(error))
        return [name, null]
      }
    }),
  )

const readSetting = (env: Environment, role: Role, setting: Setting<unknown>): unknown => {
  const given = textOf(env, setting)
  const text = given?.text ?? standardTextOf(setting)
  if (text === null) {
    if (!setting.neededBy.includes(role)) return null
    throw new RangeError(
      `${setting.env} is missing: write ${saysOf(setting.shape)} (${withoutLinks(setting.shape.description!)})`,
    )
  }
  try {
    return setting.read(text)
  } catch (error) {
    const from = given?.from ?? setting.env
    throw new ShapeError(problemsIn(error).map((problem) => `${from}: ${problem}`))
  }
}

/** Removes links from a description, which is written for documents, for a terminal. */
const withoutLinks = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')

const problemsIn = (error: unknown): readonly string[] =>
  error instanceof ShapeError ? error.problems : [(error as Error).message]

/** The text given for a setting, and the variable or file it comes from. An empty variable counts as absent. */
const textOf = (
  env: Environment,
  { env: name, holds }: Setting<unknown>,
): { text: string; from: string } | undefined => {
  const value = env[name] ?? ''
  const file = holds === 'secret' ? (env[`${name}_FILE`] ?? '') : ''
  if (value !== '' && file !== '') throw new RangeError(`set ${name} or ${name}_FILE, not both`)
  if (holds === 'keys' && value !== '') return readPath(name, value, readKeyFile)
  if (holds === 'file' && value !== '') return readPath(name, value)
  if (file !== '') return readPath(`${name}_FILE`, file)
  return value === '' ? undefined : { text: value, from: name }
}

const readPath = (
  name: string,
  path: string,
  read = (file: string) => readFileSync(file, 'utf8'),
): { text: string; from: string } => {
  try {
    return { text: read(path).trim(), from: `${name} (${path})` }
  } catch (error) {
    if (error instanceof RangeError) throw new RangeError(`${name}: ${error.message}`, { cause: error })
    throw new RangeError(`${name}: ${path} can't be read (${(error as NodeJS.ErrnoException).code})`, { cause: error })
  }
}

/**
 * Variables that are valid for every process, but are not settings of an installation. The last three are those of a
 * merchant's client in the README and in `sdk/README.md`: a developer may set them in the shell that runs `bursar`.
 */
const OTHER_VARIABLES = [
  'BURSAR_IGNORE',
  'BURSAR_SANDBOX_PAUSE',
  'BURSAR_URL',
  'BURSAR_MERCHANT_ID',
  'BURSAR_PRIVATE_KEY',
]

/**
 * Reports `BURSAR_` variables that nothing reads: most likely they are misspelt. `BURSAR_IGNORE` lists those that other
 * software reads, separated by commas; one that ends with `*` covers all names with that start.
 */
const unknownVariables = (env: Environment, settings: readonly Setting<unknown>[]): string[] => {
  const known = new Set([
    ...OTHER_VARIABLES,
    ...settings.flatMap(({ env: name, holds }) => (holds === 'secret' ? [name, `${name}_FILE`] : [name])),
  ])
  const ignored = (env['BURSAR_IGNORE'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const isIgnored = (name: string): boolean =>
    ignored.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one))
  return Object.keys(env)
    .filter((name) => name.startsWith('BURSAR_') && !known.has(name) && !isIgnored(name))
    .map(
      (name) =>
        `${name} is no setting: ${suggestion(name, known)}see docs/operating/configuration.md, or list it in BURSAR_IGNORE when something else reads it`,
    )
}

const suggestion = (name: string, known: ReadonlySet<string>): string => {
  const shortened = (full: string): string => full.replace(/^BURSAR_/, '')
  const similar = similarWord(shortened(name), [...known].map(shortened))
  const full = [...known].find((one) => similar !== undefined && shortened(one) === similar)
  return full === undefined ? '' : `did you mean ${full}? Otherwise `
}

const problemsOfSigner = (config: Pick<Config, 'signer' | 'signerCa' | 'signerCert' | 'signerKey'>): string[] => {
  if (config.signer === null || 'socketPath' in config.signer) return []
  const files = {
    BURSAR_SIGNER_CA_FILE: config.signerCa,
    BURSAR_SIGNER_CERT_FILE: config.signerCert,
    BURSAR_SIGNER_KEY_FILE: config.signerKey,
  }
  return Object.entries(files)
    .filter(([, text]) => text === null)
    .map(([name]) => `${name} is missing: BURSAR_SIGNER is https`)
}

const problemsOfMail = ({
  smtp,
  smtpPassword,
  mailFrom,
}: Pick<Config, 'smtp' | 'smtpPassword' | 'mailFrom'>): string[] => {
  if (smtp === null) return []
  return [
    ...(mailFrom === null ? ['BURSAR_MAIL_FROM is missing: BURSAR_SMTP_URL is set'] : []),
    ...(smtp.user !== null && smtpPassword === null
      ? ['BURSAR_SMTP_PASSWORD_FILE is missing: BURSAR_SMTP_URL names a user']
      : []),
    ...(smtp.user === null && smtpPassword !== null ? ['BURSAR_SMTP_URL names no user for BURSAR_SMTP_PASSWORD'] : []),
  ]
}

/** Requires verified TLS for a database on another machine. Local connections need none. */
const problemsOfDatabase = ({ databaseUrl }: Pick<Config, 'databaseUrl'>): string[] => {
  if (databaseUrl === null) return []
  const { urls, needsPrimary } = splitDatabaseUrl(databaseUrl)
  const names = [...new URL(urls[0]!).searchParams.keys()]
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined) return [`DATABASE_URL has ${twice} twice, and only the last would count`]
  if (urls.length > 1 && !needsPrimary)
    return [
      'DATABASE_URL names several servers: add target_session_attrs=read-write, so that no program takes a standby',
    ]
  if (urls.every(isLocalDatabase) || /[?&]sslmode=verify-full(&|$)/.test(databaseUrl)) return []
  return [
    'DATABASE_URL: the server is on another machine: add sslmode=verify-full, and sslrootcert=FILE when its authority is not one that Node knows',
  ]
}

/** Whether a connection string refers to a Unix socket or to this machine. */
const isLocalDatabase = (databaseUrl: string): boolean => {
  const { hostname, searchParams } = new URL(databaseUrl)
  const host = searchParams.get('host') ?? hostname
  return host === '' || host.startsWith('/') || /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host)
}

/**
 * Checks the URL of a database that is not `DATABASE_URL`.
 * @param name what the sentences call the URL
 */
export const problemsOfUrl = (databaseUrl: string, name: string): string[] =>
  URL.canParse(databaseUrl)
    ? problemsOfDatabase({ databaseUrl }).map((problem) => problem.replace('DATABASE_URL', name))
    : [`${name} is no URL`]

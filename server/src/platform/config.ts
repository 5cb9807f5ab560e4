import { readFileSync } from 'node:fs'
import { readDataKey, readDataKeys } from './secrets.ts'
import {
  readChoice, readFlag, readInteger, readJson, readList, readListenAddress, readMailFrom, readOrigin, readRange, readSignerPlace, readSmtpPlace, readText,
  readUrl,
} from './setting.ts'

/** What a process is started as. `cli` is a single command of an operator. */
export type Role = 'api' | 'worker' | 'watcher' | 'all' | 'cli'

export interface Setting<Value> {
  /** the environment variable */
  env: string
  about: string
  /** `secret`: the value, or with `_FILE` behind the name the path of a file that holds it. `file`: always such a path */
  holds: 'value' | 'secret' | 'file'
  /** taken when the variable is absent */
  standard: string | null
  /** roles that don't start without it */
  neededBy: readonly Role[]
  read(text: string): Value
}

const EVERY_ROLE: readonly Role[] = ['api', 'worker', 'watcher', 'all', 'cli']
type Holds = Setting<unknown>['holds']

/** A setting without which no role starts. */
const needed = <Value>(env: string, about: string, holds: Holds, read: (text: string) => Value): Setting<Value> => ({
  env, about, holds, standard: null, neededBy: EVERY_ROLE, read,
})

const standard = <Value>(env: string, text: string, about: string, read: (text: string) => Value): Setting<Value> => ({
  env, about, holds: 'value', standard: text, neededBy: [], read,
})

const optional = <Value>(
  env: string,
  about: string,
  read: (text: string) => Value,
  { holds = 'value', neededBy = [] }: { holds?: Holds; neededBy?: readonly Role[] } = {},
): Setting<Value | null> => ({ env, about, holds, standard: null, neededBy, read })

/** What knows the shape of each file of settings. Each throws an Error that names what is wrong in it. */
export interface FileParsers {
  networks(json: unknown): unknown
  assets(json: unknown): unknown
  xpubs(json: unknown): unknown
  policy(json: unknown): unknown
  acquirers(json: unknown): unknown
  exchange(json: unknown): unknown
  screening(json: unknown): unknown
}
type Parsed<Files extends FileParsers, Name extends keyof FileParsers> = ReturnType<Files[Name]>
const readFileOf = <Files extends FileParsers, Name extends keyof FileParsers>(files: Files, name: Name) =>
  readJson((json) => files[name](json) as Parsed<Files, Name>)

/** Every setting of the server, in the order an operator reads them. */
export const settingsOf = <Files extends FileParsers>(files: Files) => ({
  databaseUrl: needed(
    'DATABASE_URL', 'PostgreSQL 15 or newer, `postgres://USER@HOST/NAME`; `postgres://USER@/NAME?host=/DIRECTORY` for a Unix socket',
    'secret', readUrl('postgres:', 'postgresql:'),
  ),
  databaseConnections: standard('BURSAR_DATABASE_CONNECTIONS', '8', 'connections for ordinary queries of one process', readInteger(1, 1_000)),
  dataKey: needed(
    'BURSAR_DATA_KEY_FILE', 'the key that seals secrets in the database: 32 bytes as 64 hex digits or base64. Back it up apart from the database',
    'file', readDataKey,
  ),
  cardKeys: optional(
    'BURSAR_CARD_KEY_FILE', 'keys that seal the numbers of cards that are paid to, one a line, the newest first, each as the data key; needed where an acquirer pays out, see card-numbers.md',
    readDataKeys, { holds: 'file' },
  ),
  http: standard('BURSAR_HTTP', '127.0.0.1:8080', 'where the API listens; put a TLS proxy before it', readListenAddress),
  publicUrl: standard(
    'BURSAR_PUBLIC_URL', 'http://127.0.0.1:8080', 'where payers and acquirers reach `BURSAR_HTTP`: scheme and host, such as `https://pay.example.com`', readOrigin,
  ),
  quoteSeconds: standard(
    'BURSAR_QUOTE_SECONDS', '900', 'how long the price of a crypto invoice in UAH, USD or EUR is valid before its missing part is quoted anew', readInteger(60, 86_400),
  ),
  inner: standard('BURSAR_INNER', '127.0.0.1:9090', 'where `/metrics` and health are served, for your own network only', readListenAddress),
  trustedProxies: standard(
    'BURSAR_TRUSTED_PROXIES', '', 'ranges of proxies whose `X-Forwarded-For` is believed, joined by commas', readList(readRange),
  ),
  timestampMaxAge: standard('BURSAR_TIMESTAMP_MAX_AGE', '60', 'how old a request may be, seconds', readInteger(10, 3_600)),
  timestampMaxAhead: standard('BURSAR_TIMESTAMP_MAX_AHEAD', '5', 'how far a request may be ahead of this clock, seconds', readInteger(0, 300)),
  requestsPerMinute: standard(
    'BURSAR_REQUESTS_PER_MINUTE', '600', 'signed requests of one merchant in one api process, unless its own setting says otherwise',
    readInteger(1, 10_000_000),
  ),
  refusalsPerMinute: standard(
    'BURSAR_REFUSALS_PER_MINUTE', '600', 'requests without a good signature of one network address in one api process', readInteger(1, 10_000_000),
  ),
  pagePostsPerMinute: standard(
    'BURSAR_PAGE_POSTS_PER_MINUTE', '60', 'forms sent from one network address to one kind of page, in one api process', readInteger(1, 10_000_000),
  ),
  pageGetsPerMinute: standard(
    'BURSAR_PAGE_GETS_PER_MINUTE', '1200', 'pages asked for from one network address, by kind of page, in one api process', readInteger(1, 10_000_000),
  ),
  pageStreamsPerAddress: standard(
    'BURSAR_PAGE_STREAMS_PER_ADDRESS', '100', 'payment pages that are shown live to one network address, in one api process', readInteger(1, 100_000),
  ),
  networks: optional('BURSAR_NETWORKS_FILE', 'JSON: the chains to follow and their nodes', readFileOf(files, 'networks'), {
    holds: 'file', neededBy: ['api', 'worker', 'watcher', 'all'],
  }),
  assets: optional('BURSAR_ASSETS_FILE', 'JSON: assets, their networks, limits and fees', readFileOf(files, 'assets'), {
    holds: 'file', neededBy: ['api', 'worker', 'watcher', 'all'],
  }),
  xpubs: optional('BURSAR_XPUBS_FILE', 'JSON: extended public keys, as `bursar-signer xpubs` prints them', readFileOf(files, 'xpubs'), {
    holds: 'file', neededBy: ['api', 'worker', 'watcher', 'all'],
  }),
  policy: optional(
    'BURSAR_POLICY_FILE', 'JSON: confirmations, fees and pace of each network, where they are not to be the standard ones',
    readFileOf(files, 'policy'), { holds: 'file' },
  ),
  acquirers: optional(
    'BURSAR_ACQUIRERS_FILE', 'JSON: accounts with acquirers for cards, see acquirers.md; without one there are no payments and payouts by card',
    readFileOf(files, 'acquirers'), { holds: 'file' },
  ),
  exchange: optional(
    'BURSAR_EXCHANGE_FILE', 'JSON: order books and official rates to read, what may be exchanged and where it is hedged, see exchange.md; without one nothing is',
    readFileOf(files, 'exchange'), { holds: 'file' },
  ),
  screening: optional(
    'BURSAR_SCREENING_FILE', 'JSON: who judges where money comes from, see screening.md; without one nothing is screened',
    readFileOf(files, 'screening'), { holds: 'file' },
  ),
  signer: optional('BURSAR_SIGNER', 'the signer: `unix:/PATH` or `https://HOST:PORT`', readSignerPlace, { neededBy: ['worker', 'all'] }),
  signerCa: optional('BURSAR_SIGNER_CA_FILE', 'PEM: who issued the signer\'s certificate; with https', readText, { holds: 'file' }),
  signerCert: optional('BURSAR_SIGNER_CERT_FILE', 'PEM: our certificate for the signer; with https', readText, { holds: 'file' }),
  signerKey: optional('BURSAR_SIGNER_KEY_FILE', 'PEM: the key of our certificate; with https', readText, { holds: 'file' }),
  ratesUrl: optional('BURSAR_RATES_URL', 'source of prices; without one there are no prices, and what needs them is strict or refuses', readUrl('http:', 'https:')),
  outboundAllow: standard(
    'BURSAR_OUTBOUND_ALLOW', '', 'ranges that notifications may be sent to although they are not public, joined by commas', readList(readRange),
  ),
  httpWebhooks: standard('BURSAR_HTTP_WEBHOOKS', 'false', 'true: notifications may go to http:// addresses', readFlag),
  smtp: optional(
    'BURSAR_SMTP_URL',
    'the mail server that the worker hands mail to: `smtps://USER@HOST`, `smtp://USER@HOST` (STARTTLS) or, for a relay on this machine, `smtp+plain://HOST`. Without it no mail is written or sent',
    readSmtpPlace,
  ),
  smtpPassword: optional('BURSAR_SMTP_PASSWORD', 'the password of that user', readText, { holds: 'secret' }),
  smtpCa: optional('BURSAR_SMTP_CA_FILE', 'PEM: who issued the mail server\'s certificate, where it is not one that everybody knows', readText, { holds: 'file' }),
  mailFrom: optional('BURSAR_MAIL_FROM', 'whom mail is from: `NAME <ADDRESS>`; needed with a mail server', readMailFrom),
  logLevel: standard(
    'BURSAR_LOG_LEVEL', 'info', 'fatal, error, warn, info, debug, trace or silent; debug shows every request, info those refused',
    readChoice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  ),
  sandbox: standard('BURSAR_SANDBOX', 'false', 'true: the business clock may be moved. Never with real money', readFlag),
})

type Settings<Files extends FileParsers> = ReturnType<typeof settingsOf<Files>>
/** The settings of a process, read and checked. A setting that is absent and has no standard is null. */
export type Config<Files extends FileParsers = FileParsers> = {
  [Name in keyof Settings<Files>]: ReturnType<Settings<Files>[Name]['read']>
}

/** Everything that is wrong with the settings, at once. */
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
  const problems: string[] = []
  const entries = Object.entries<Setting<unknown>>(settingsOf(files)).map(([name, setting]) => {
    try {
      return [name, readSetting(env, role, setting)]
    } catch (error) {
      problems.push((error as Error).message)
      return [name, null]
    }
  })
  const config = Object.fromEntries(entries) as Config<Files>
  problems.push(...problemsOfSigner(config), ...problemsOfMail(config))
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

const readSetting = (env: Environment, role: Role, setting: Setting<unknown>): unknown => {
  const given = textOf(env, setting)
  const text = given?.text ?? setting.standard
  if (text === null) {
    if (!setting.neededBy.includes(role)) return null
    throw new RangeError(`${setting.env} is missing: ${setting.about}`)
  }
  try {
    return setting.read(text)
  } catch (error) {
    throw new RangeError(`${given?.from ?? setting.env}: ${(error as Error).message}`, { cause: error })
  }
}

/** What was given for a setting, and by what. An empty variable counts as absent. */
const textOf = (env: Environment, { env: name, holds }: Setting<unknown>): { text: string; from: string } | undefined => {
  const value = env[name] ?? ''
  const file = holds === 'secret' ? (env[`${name}_FILE`] ?? '') : ''
  if (value !== '' && file !== '') throw new RangeError(`set ${name} or ${name}_FILE, not both`)
  if (holds === 'file' && value !== '') return readPath(name, value)
  if (file !== '') return readPath(`${name}_FILE`, file)
  return value === '' ? undefined : { text: value, from: name }
}

const readPath = (name: string, path: string): { text: string; from: string } => {
  try {
    return { text: readFileSync(path, 'utf8').trim(), from: `${name} (${path})` }
  } catch (error) {
    throw new RangeError(`${name}: ${path} can't be read (${(error as NodeJS.ErrnoException).code})`, { cause: error })
  }
}

const problemsOfSigner = (config: Pick<Config, 'signer' | 'signerCa' | 'signerCert' | 'signerKey'>): string[] => {
  if (config.signer === null || 'socketPath' in config.signer) return []
  const files = { BURSAR_SIGNER_CA_FILE: config.signerCa, BURSAR_SIGNER_CERT_FILE: config.signerCert, BURSAR_SIGNER_KEY_FILE: config.signerKey }
  return Object.entries(files).filter(([, text]) => text === null).map(([name]) => `${name} is missing: BURSAR_SIGNER is https`)
}

const problemsOfMail = ({ smtp, smtpPassword, mailFrom }: Pick<Config, 'smtp' | 'smtpPassword' | 'mailFrom'>): string[] => {
  if (smtp === null) return []
  return [
    ...(mailFrom === null ? ['BURSAR_MAIL_FROM is missing: BURSAR_SMTP_URL is set'] : []),
    ...(smtp.user !== null && smtpPassword === null ? ['BURSAR_SMTP_PASSWORD_FILE is missing: BURSAR_SMTP_URL names a user'] : []),
    ...(smtp.user === null && smtpPassword !== null ? ['BURSAR_SMTP_URL names no user for BURSAR_SMTP_PASSWORD'] : []),
  ]
}

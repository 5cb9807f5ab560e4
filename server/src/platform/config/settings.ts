import type { Static, TSchema } from 'typebox'
import { choice, count, flag, httpUrl, text } from './fields.ts'
import { readDataKeys } from './secrets.ts'
import {
  readDatabaseUrl,
  readHeaders,
  readJson,
  readList,
  readListenAddress,
  readMailFrom,
  readOrigin,
  readPortRange,
  readRange,
  readRolePrefix,
  readSignerPlace,
  readSmtpPlace,
  readTyped,
} from './setting.ts'
import type { Node } from './shape.ts'

/** The role of a process. `cli` is one command of an operator. */
export type Role = 'api' | 'worker' | 'watcher' | 'all' | 'cli'

export interface Setting<Value> {
  /** the environment variable */
  env: string
  /** its syntax, meaning and default */
  shape: Node
  /**
   * `secret`: the value; or, in a variable whose name has `_FILE` appended, the path of a file that contains it.
   * `file`: the path of a file. `keys`: the path of a file that others can't read, change or replace
   */
  holds: 'value' | 'secret' | 'file' | 'keys'
  /** roles that require it */
  neededBy: readonly Role[]
  read(text: string): Value
}

/** The default as text; null when there is none. */
export const standardTextOf = ({ shape }: Setting<unknown>): string | null => {
  if (shape.default === undefined) return null
  return typeof shape.default === 'string' ? shape.default : JSON.stringify(shape.default)
}

type Holds = Setting<unknown>['holds']
const EVERY_ROLE: readonly Role[] = ['api', 'worker', 'watcher', 'all', 'cli']
const SERVING: readonly Role[] = ['api', 'worker', 'watcher', 'all']

/** A setting that every role requires. */
const needed = <Value>(env: string, shape: TSchema, holds: Holds, read: (text: string) => Value): Setting<Value> => ({
  env,
  shape,
  holds,
  neededBy: EVERY_ROLE,
  read,
})

/** A setting whose shape has a default. Its text is parsed according to the shape, or by `read`. */
const standard = <Shape extends TSchema, Value = Static<Shape>>(
  env: string,
  shape: Shape,
  read: (text: string) => Value = readTyped(shape),
): Setting<Value> => ({ env, shape, holds: 'value', neededBy: [], read })

const optional = <Shape extends TSchema, Value = Static<Shape>>(
  env: string,
  shape: Shape,
  {
    holds = 'value',
    neededBy = [],
    read = readTyped(shape),
  }: { holds?: Holds; neededBy?: readonly Role[]; read?: (text: string) => Value } = {},
): Setting<Value | null> => ({ env, shape, holds, neededBy, read })

const perMinute = (description: string, amount: number) =>
  count(description, { most: 10_000_000, standard: amount, unit: 'a minute' })
const keys = { says: 'the path of a file of keys' }
const jsonFile = { says: 'the path of a JSON file' }
const pemFile = { says: 'the path of a PEM file' }

const LISTEN = 'HOST:PORT, [IPV6]:PORT, or a port alone, which listens on this machine only'
const RANGES = 'ranges such as 10.0.0.0/8 or fd00::/8, joined by commas'
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** The parser of each settings file. Each throws an Error that names the problems of the file. */
export interface FileParsers {
  networks(json: unknown): unknown
  assets(json: unknown): unknown
  xpubs(json: unknown): unknown
  policy(json: unknown): unknown
  acquirers(json: unknown): unknown
  exchange(json: unknown): unknown
  screening(json: unknown): unknown
  alerts(json: unknown): unknown
}
type Parsed<Files extends FileParsers, Name extends keyof FileParsers> = ReturnType<Files[Name]>
const readFileOf = <Files extends FileParsers, Name extends keyof FileParsers>(files: Files, name: Name) =>
  readJson((json) => files[name](json) as Parsed<Files, Name>)

/** Every setting of the server, in the order an operator reads them. */
export const settingsOf = <Files extends FileParsers>(files: Files) => ({
  databaseUrl: needed(
    'DATABASE_URL',
    text(
      'PostgreSQL 15 or newer, `postgres://USER@HOST/NAME`; `postgres:///NAME?host=/DIRECTORY&user=USER` for a Unix socket. On another machine with `sslmode=verify-full`. Several servers, one of which is the primary: `postgres://USER@HOST:PORT,HOST:PORT/NAME?target_session_attrs=read-write&sslmode=verify-full`',
      { says: 'a URL that starts with postgres:// or postgresql://' },
    ),
    'secret',
    readDatabaseUrl,
  ),
  databaseRoles: standard(
    'BURSAR_DATABASE_ROLES',
    text("prefix of this installation's database roles: `bursar` is for `bursar_api`, `bursar_worker` and so on", {
      standard: 'bursar',
      says: 'lower-case letters, digits and underscores, at most 41, a letter first',
    }),
    readRolePrefix,
  ),
  databaseConnections: standard(
    'BURSAR_DATABASE_CONNECTIONS',
    count('connections for ordinary queries of one process', { most: 1_000, standard: 8 }),
  ),
  statementSeconds: standard(
    'BURSAR_DATABASE_STATEMENT_SECONDS',
    count(
      'how long a statement of a role may run before the server ends it; a connection without an answer for 5 more seconds is closed',
      { least: 5, most: 3_600, standard: 20, unit: 'seconds' },
    ),
  ),
  dataKeys: needed(
    'BURSAR_DATA_KEY_FILE',
    text(
      'keys that encrypt secrets in the database, one per line, newest first: 32 bytes each as 64 hex digits or base64. Back them up separately from the database; to change them see [data-key.md](data-key.md)',
      keys,
    ),
    'keys',
    readDataKeys,
  ),
  cardKeys: optional(
    'BURSAR_CARD_KEY_FILE',
    text(
      'keys that encrypt the card numbers of payouts, one per line, newest first, in the format of data keys; required if an acquirer makes payouts, see [card-numbers.md](card-numbers.md)',
      keys,
    ),
    { holds: 'keys', read: readDataKeys },
  ),
  http: standard(
    'BURSAR_HTTP',
    text('where the API listens; put a TLS proxy in front of it', { standard: '127.0.0.1:8080', says: LISTEN }),
    readListenAddress,
  ),
  publicUrl: standard(
    'BURSAR_PUBLIC_URL',
    text('where payers, acquirers and people of merchants reach `BURSAR_HTTP`; passkeys need a host name', {
      standard: 'http://127.0.0.1:8080',
      says: 'a scheme and a host alone, such as https://pay.example.com',
    }),
    readOrigin,
  ),
  quoteSeconds: standard(
    'BURSAR_QUOTE_SECONDS',
    count(
      'how long the quote of a crypto invoice in UAH, USD or EUR is valid; after that the missing part is quoted again',
      {
        least: 60,
        most: 86_400,
        standard: 900,
        unit: 'seconds',
      },
    ),
  ),
  quoteMinedHours: standard(
    'BURSAR_QUOTE_MINED_HOURS',
    count(
      'a payment that is not mined within this time after the end of its quote counts at the price when it is mined. An invoice waits for unmined payments for this time after its end',
      { most: 336, standard: 24, unit: 'hours' },
    ),
  ),
  inner: standard(
    'BURSAR_INNER',
    text('where `/metrics`, `/health/live` and `/health/ready` are served; for your own network only', {
      standard: '127.0.0.1:9090',
      says: LISTEN,
    }),
    readListenAddress,
  ),
  drainSeconds: standard(
    'BURSAR_DRAIN_SECONDS',
    count(
      'how long a role that is asked to stop still serves while `/health/ready` answers 503, so that load balancers send it no more requests',
      { least: 0, most: 30, standard: 0, unit: 'seconds' },
    ),
  ),
  trustedProxies: standard(
    'BURSAR_TRUSTED_PROXIES',
    text('proxies whose `X-Forwarded-For` is trusted', { standard: '', says: RANGES }),
    readList(readRange),
  ),
  timestampMaxAge: standard(
    'BURSAR_TIMESTAMP_MAX_AGE',
    count('maximum age of a request', { least: 10, most: 3_600, standard: 60, unit: 'seconds' }),
  ),
  timestampMaxAhead: standard(
    'BURSAR_TIMESTAMP_MAX_AHEAD',
    count('maximum time by which a request may be ahead of this clock', {
      least: 0,
      most: 300,
      standard: 5,
      unit: 'seconds',
    }),
  ),
  requestsPerMinute: standard(
    'BURSAR_REQUESTS_PER_MINUTE',
    perMinute(
      'limit of signed requests per merchant in one api process; the setting of a merchant takes precedence',
      600,
    ),
  ),
  refusalsPerMinute: standard(
    'BURSAR_REFUSALS_PER_MINUTE',
    perMinute('limit of requests without a valid signature per network address in one api process', 600),
  ),
  pagePostsPerMinute: standard(
    'BURSAR_PAGE_POSTS_PER_MINUTE',
    perMinute('limit of submitted forms per network address and kind of page, in one api process', 60),
  ),
  pageGetsPerMinute: standard(
    'BURSAR_PAGE_GETS_PER_MINUTE',
    perMinute('limit of requested pages per network address and kind of page, in one api process', 1_200),
  ),
  pageStreamsPerAddress: standard(
    'BURSAR_PAGE_STREAMS_PER_ADDRESS',
    count('limit of open pages that follow changes per network address, in one api process', {
      most: 100_000,
      standard: 100,
    }),
  ),
  mostConnections: standard(
    'BURSAR_CONNECTIONS',
    count('limit of open connections to `BURSAR_HTTP` in one api process; further ones are closed at once', {
      most: 1_000_000,
      standard: 8_000,
    }),
  ),
  addressStock: standard(
    'BURSAR_ADDRESS_STOCK',
    count('number of deposit addresses that are derived in advance, for each family of networks', {
      most: 100_000,
      standard: 2_000,
    }),
  ),
  networks: optional(
    'BURSAR_NETWORKS_FILE',
    text('the chains to follow and their nodes, see [the networks file](#the-networks-file)', jsonFile),
    { holds: 'file', neededBy: SERVING, read: readFileOf(files, 'networks') },
  ),
  assets: optional(
    'BURSAR_ASSETS_FILE',
    text('assets, their networks, limits and fees, see [the assets file](#the-assets-file)', jsonFile),
    { holds: 'file', neededBy: SERVING, read: readFileOf(files, 'assets') },
  ),
  xpubs: optional('BURSAR_XPUBS_FILE', text('extended public keys, as `bursar-signer xpubs` prints them', jsonFile), {
    holds: 'file',
    neededBy: SERVING,
    read: readFileOf(files, 'xpubs'),
  }),
  policy: optional(
    'BURSAR_POLICY_FILE',
    text(
      'confirmations, fees and intervals of each network, where they differ from the defaults, see [the policy file](#the-policy-file)',
      jsonFile,
    ),
    { holds: 'file', read: readFileOf(files, 'policy') },
  ),
  acquirers: optional(
    'BURSAR_ACQUIRERS_FILE',
    text(
      'accounts with acquirers for cards, see [acquirers.md](acquirers.md); without it there are no card payments and payouts',
      jsonFile,
    ),
    { holds: 'file', read: readFileOf(files, 'acquirers') },
  ),
  exchange: optional(
    'BURSAR_EXCHANGE_FILE',
    text(
      'order books and official rates to read, the assets to exchange and the venue for hedging, see [exchange.md](exchange.md); without it there are no exchanges',
      jsonFile,
    ),
    { holds: 'file', read: readFileOf(files, 'exchange') },
  ),
  screening: optional(
    'BURSAR_SCREENING_FILE',
    text(
      'providers that judge the origin and the destination of money, see [screening.md](screening.md); without it nothing is screened',
      jsonFile,
    ),
    { holds: 'file', read: readFileOf(files, 'screening') },
  ),
  alerts: optional(
    'BURSAR_ALERTS_FILE',
    text(
      'the people and systems that get alerts, see [alerts.md](alerts.md); without it alerts are only stored',
      jsonFile,
    ),
    { holds: 'file', read: readFileOf(files, 'alerts') },
  ),
  signer: optional('BURSAR_SIGNER', text('the signer', { says: '`unix:/PATH` or `https://HOST:PORT`' }), {
    neededBy: ['worker', 'all'],
    read: readSignerPlace,
  }),
  signerCa: optional('BURSAR_SIGNER_CA_FILE', text("the CA of the signer's certificate; with https", pemFile), {
    holds: 'file',
  }),
  signerCert: optional('BURSAR_SIGNER_CERT_FILE', text('our certificate for the signer; with https', pemFile), {
    holds: 'file',
  }),
  signerKey: optional('BURSAR_SIGNER_KEY_FILE', text('the key of our certificate; with https', pemFile), {
    holds: 'keys',
  }),
  ratesUrl: optional(
    'BURSAR_RATES_URL',
    httpUrl(
      'source of prices; without it there are no prices, and operations that need one apply their strictest rule or are refused',
    ),
  ),
  outboundAllow: standard(
    'BURSAR_OUTBOUND_ALLOW',
    text('non-public addresses that notifications may be sent to', { standard: '', says: RANGES }),
    readList(readRange),
  ),
  webhookPorts: standard(
    'BURSAR_WEBHOOK_PORTS',
    text('ports that notifications may be sent to; other ports belong to mail, shells and similar services', {
      standard: '80,443,1024-65535',
      says: 'ports such as 443 or 1024-65535, joined by commas',
    }),
    readList(readPortRange),
  ),
  httpWebhooks: standard(
    'BURSAR_HTTP_WEBHOOKS',
    flag('true: notifications may go to http:// addresses', { standard: false }),
  ),
  smtp: optional(
    'BURSAR_SMTP_URL',
    text('the mail server of the worker. Without it no mail is written or sent', {
      says: '`smtps://USER@HOST`, `smtp://USER@HOST` (STARTTLS) or, for a relay on this machine, `smtp+plain://HOST`',
    }),
    { read: readSmtpPlace },
  ),
  smtpPassword: optional('BURSAR_SMTP_PASSWORD', text('the password of that user'), { holds: 'secret' }),
  smtpCa: optional(
    'BURSAR_SMTP_CA_FILE',
    text("the CA of the mail server's certificate, if it is not a well-known one", pemFile),
    { holds: 'file' },
  ),
  mailFrom: optional(
    'BURSAR_MAIL_FROM',
    text('the sender of mail; needed with a mail server', { says: '`NAME <ADDRESS>`' }),
    { read: readMailFrom },
  ),
  logLevel: standard(
    'BURSAR_LOG_LEVEL',
    choice(
      'debug logs every request, info only refused ones. A failure that repeats is logged once a minute, with the number of repetitions (`repeated`)',
      LOG_LEVELS,
      {
        standard: 'info',
        says: `one of ${LOG_LEVELS.join(', ')}`,
      },
    ),
  ),
  tracesUrl: optional(
    'BURSAR_TRACES_URL',
    httpUrl(
      'where spans of traces are sent by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces, see [traces.md](traces.md); without it there are no traces',
    ),
  ),
  tracesHeaders: optional(
    'BURSAR_TRACES_HEADERS',
    text('headers for the receiver of traces, such as its token: one `NAME: VALUE` a line'),
    { holds: 'secret', read: readHeaders },
  ),
  tracesPercent: standard(
    'BURSAR_TRACES_PERCENT',
    count('share of the orders that are traced; all processes choose the same orders', {
      most: 100,
      standard: 100,
      unit: 'percent',
    }),
  ),
  sandbox: standard(
    'BURSAR_SANDBOX',
    flag(
      'true: the business clock may be moved, and a role may connect as the owner of the database. Never use it with real money',
      { standard: false },
    ),
  ),
})

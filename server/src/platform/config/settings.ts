import { readDataKeys } from './secrets.ts'
import {
  readChoice,
  readFlag,
  readInteger,
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
  readText,
  readUrl,
} from './setting.ts'

/** What a process is started as. `cli` is a single command of an operator. */
export type Role = 'api' | 'worker' | 'watcher' | 'all' | 'cli'

export interface Setting<Value> {
  /** the environment variable */
  env: string
  about: string
  /**
   * `secret`: the value, or with `_FILE` behind the name the path of a file that holds it. `file`: always such a path.
   * `keys`: the path of a file that others can't read, change or replace
   */
  holds: 'value' | 'secret' | 'file' | 'keys'
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
  env,
  about,
  holds,
  standard: null,
  neededBy: EVERY_ROLE,
  read,
})

const standard = <Value>(env: string, text: string, about: string, read: (text: string) => Value): Setting<Value> => ({
  env,
  about,
  holds: 'value',
  standard: text,
  neededBy: [],
  read,
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
    'DATABASE_URL',
    'PostgreSQL 15 or newer, `postgres://USER@HOST/NAME`; `postgres:///NAME?host=/DIRECTORY&user=USER` for a Unix socket. On another machine with `sslmode=verify-full`',
    'secret',
    readUrl('postgres:', 'postgresql:'),
  ),
  databaseRoles: standard(
    'BURSAR_DATABASE_ROLES',
    'bursar',
    "what the names of this installation's database roles begin with: `bursar` is for `bursar_api`, `bursar_worker` and so on",
    readRolePrefix,
  ),
  databaseConnections: standard(
    'BURSAR_DATABASE_CONNECTIONS',
    '8',
    'connections for ordinary queries of one process',
    readInteger(1, 1_000),
  ),
  statementSeconds: standard(
    'BURSAR_DATABASE_STATEMENT_SECONDS',
    '20',
    'how long a statement of a role may run before the server ends it; a connection that is silent for 5 seconds longer is given up',
    readInteger(5, 3_600),
  ),
  dataKeys: needed(
    'BURSAR_DATA_KEY_FILE',
    'keys that seal secrets in the database, one a line, the newest first: 32 bytes each as 64 hex digits or base64. Back them up apart from the database; to change them see data-key.md',
    'keys',
    readDataKeys,
  ),
  cardKeys: optional(
    'BURSAR_CARD_KEY_FILE',
    'keys that seal the numbers of cards that are paid to, one a line, the newest first, each as the data key; needed where an acquirer pays out, see card-numbers.md',
    readDataKeys,
    { holds: 'keys' },
  ),
  http: standard(
    'BURSAR_HTTP',
    '127.0.0.1:8080',
    'where the API listens; put a TLS proxy before it',
    readListenAddress,
  ),
  publicUrl: standard(
    'BURSAR_PUBLIC_URL',
    'http://127.0.0.1:8080',
    'where payers and acquirers reach `BURSAR_HTTP`: scheme and host, such as `https://pay.example.com`',
    readOrigin,
  ),
  quoteSeconds: standard(
    'BURSAR_QUOTE_SECONDS',
    '900',
    'how long the price of a crypto invoice in UAH, USD or EUR is valid before its missing part is quoted anew',
    readInteger(60, 86_400),
  ),
  quoteMinedHours: standard(
    'BURSAR_QUOTE_MINED_HOURS',
    '24',
    'a payment that no block has so many hours after the end of its quote counts at the price of when it is mined; and so long after its own end an invoice waits for such payments',
    readInteger(1, 336),
  ),
  inner: standard(
    'BURSAR_INNER',
    '127.0.0.1:9090',
    'where `/metrics` and health are served, for your own network only',
    readListenAddress,
  ),
  trustedProxies: standard(
    'BURSAR_TRUSTED_PROXIES',
    '',
    'ranges of proxies whose `X-Forwarded-For` is believed, joined by commas',
    readList(readRange),
  ),
  timestampMaxAge: standard(
    'BURSAR_TIMESTAMP_MAX_AGE',
    '60',
    'how old a request may be, seconds',
    readInteger(10, 3_600),
  ),
  timestampMaxAhead: standard(
    'BURSAR_TIMESTAMP_MAX_AHEAD',
    '5',
    'how far a request may be ahead of this clock, seconds',
    readInteger(0, 300),
  ),
  requestsPerMinute: standard(
    'BURSAR_REQUESTS_PER_MINUTE',
    '600',
    'signed requests of one merchant in one api process, unless its own setting says otherwise',
    readInteger(1, 10_000_000),
  ),
  refusalsPerMinute: standard(
    'BURSAR_REFUSALS_PER_MINUTE',
    '600',
    'requests without a good signature of one network address in one api process',
    readInteger(1, 10_000_000),
  ),
  pagePostsPerMinute: standard(
    'BURSAR_PAGE_POSTS_PER_MINUTE',
    '60',
    'forms sent from one network address to one kind of page, in one api process',
    readInteger(1, 10_000_000),
  ),
  pageGetsPerMinute: standard(
    'BURSAR_PAGE_GETS_PER_MINUTE',
    '1200',
    'pages asked for from one network address, by kind of page, in one api process',
    readInteger(1, 10_000_000),
  ),
  pageStreamsPerAddress: standard(
    'BURSAR_PAGE_STREAMS_PER_ADDRESS',
    '100',
    'payment pages that are shown live to one network address, in one api process',
    readInteger(1, 100_000),
  ),
  mostConnections: standard(
    'BURSAR_CONNECTIONS',
    '8000',
    'connections to `BURSAR_HTTP` that are open at a time, in one api process; one more is closed at once',
    readInteger(1, 1_000_000),
  ),
  addressStock: standard(
    'BURSAR_ADDRESS_STOCK',
    '2000',
    'deposit addresses of each family of networks that are derived before they are asked for',
    readInteger(1, 100_000),
  ),
  networks: optional(
    'BURSAR_NETWORKS_FILE',
    'JSON: the chains to follow and their nodes',
    readFileOf(files, 'networks'),
    {
      holds: 'file',
      neededBy: ['api', 'worker', 'watcher', 'all'],
    },
  ),
  assets: optional('BURSAR_ASSETS_FILE', 'JSON: assets, their networks, limits and fees', readFileOf(files, 'assets'), {
    holds: 'file',
    neededBy: ['api', 'worker', 'watcher', 'all'],
  }),
  xpubs: optional(
    'BURSAR_XPUBS_FILE',
    'JSON: extended public keys, as `bursar-signer xpubs` prints them',
    readFileOf(files, 'xpubs'),
    {
      holds: 'file',
      neededBy: ['api', 'worker', 'watcher', 'all'],
    },
  ),
  policy: optional(
    'BURSAR_POLICY_FILE',
    'JSON: confirmations, fees and pace of each network, where they are not to be the standard ones',
    readFileOf(files, 'policy'),
    { holds: 'file' },
  ),
  acquirers: optional(
    'BURSAR_ACQUIRERS_FILE',
    'JSON: accounts with acquirers for cards, see acquirers.md; without one there are no payments and payouts by card',
    readFileOf(files, 'acquirers'),
    { holds: 'file' },
  ),
  exchange: optional(
    'BURSAR_EXCHANGE_FILE',
    'JSON: order books and official rates to read, what may be exchanged and where it is hedged, see exchange.md; without one nothing is',
    readFileOf(files, 'exchange'),
    { holds: 'file' },
  ),
  screening: optional(
    'BURSAR_SCREENING_FILE',
    'JSON: who judges where money comes from, see screening.md; without one nothing is screened',
    readFileOf(files, 'screening'),
    { holds: 'file' },
  ),
  signer: optional('BURSAR_SIGNER', 'the signer: `unix:/PATH` or `https://HOST:PORT`', readSignerPlace, {
    neededBy: ['worker', 'all'],
  }),
  signerCa: optional('BURSAR_SIGNER_CA_FILE', "PEM: who issued the signer's certificate; with https", readText, {
    holds: 'file',
  }),
  signerCert: optional('BURSAR_SIGNER_CERT_FILE', 'PEM: our certificate for the signer; with https', readText, {
    holds: 'file',
  }),
  signerKey: optional('BURSAR_SIGNER_KEY_FILE', 'PEM: the key of our certificate; with https', readText, {
    holds: 'keys',
  }),
  ratesUrl: optional(
    'BURSAR_RATES_URL',
    'source of prices; without one there are no prices, and what needs them is strict or refuses',
    readUrl('http:', 'https:'),
  ),
  outboundAllow: standard(
    'BURSAR_OUTBOUND_ALLOW',
    '',
    'ranges that notifications may be sent to although they are not public, joined by commas',
    readList(readRange),
  ),
  webhookPorts: standard(
    'BURSAR_WEBHOOK_PORTS',
    '80,443,1024-65535',
    'ports that notifications may be sent to: of the others belong to mail, shells and the like',
    readList(readPortRange),
  ),
  httpWebhooks: standard('BURSAR_HTTP_WEBHOOKS', 'false', 'true: notifications may go to http:// addresses', readFlag),
  smtp: optional(
    'BURSAR_SMTP_URL',
    'the mail server that the worker hands mail to: `smtps://USER@HOST`, `smtp://USER@HOST` (STARTTLS) or, for a relay on this machine, `smtp+plain://HOST`. Without it no mail is written or sent',
    readSmtpPlace,
  ),
  smtpPassword: optional('BURSAR_SMTP_PASSWORD', 'the password of that user', readText, { holds: 'secret' }),
  smtpCa: optional(
    'BURSAR_SMTP_CA_FILE',
    "PEM: who issued the mail server's certificate, where it is not one that everybody knows",
    readText,
    { holds: 'file' },
  ),
  mailFrom: optional(
    'BURSAR_MAIL_FROM',
    'whom mail is from: `NAME <ADDRESS>`; needed with a mail server',
    readMailFrom,
  ),
  logLevel: standard(
    'BURSAR_LOG_LEVEL',
    'info',
    'fatal, error, warn, info, debug, trace or silent; debug shows every request, info those refused',
    readChoice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  ),
  sandbox: standard(
    'BURSAR_SANDBOX',
    'false',
    'true: the business clock may be moved, and a role may log in to the database as its owner. Never with real money',
    readFlag,
  ),
})

/** The dashboard as browsers reach it: pages and forms over HTTP, and people with their authenticators. */
import { randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import {
  codeOf,
  createBuckets,
  createChallenges,
  createDevices,
  createPasswords,
  invite,
  nowOf,
  relyingPartyOf,
  stepOf,
  type Role,
} from '../../server/src/people/access/index.ts'
import { listRoutes } from '../../server/src/app/composition/lists.ts'
import { archivePages } from '../../server/src/dashboard/archive/index.ts'
import { balancePages } from '../../server/src/dashboard/balances/index.ts'
import { exchangePages } from '../../server/src/dashboard/exchange/index.ts'
import { createQuoteStore, readExchangePolicy, type TradingDeps } from '../../server/src/exchange/exchanges/index.ts'
import { createStopsReader } from '../../server/src/ledger/stops/index.ts'
import { createUsdtMarketsReader, type UsdtMarkets } from '../../server/src/market/rates/index.ts'
import { homePages } from '../../server/src/dashboard/home/index.ts'
import { invoicingPages } from '../../server/src/dashboard/invoicing/index.ts'
import { createRateLimiter, STREAM_LIMITS } from '../../server/src/app/http/index.ts'
import { createPaymentAcquirer } from './acquirer-payments.ts'
import { createRoutingTable } from '../../server/src/cards/acquiring/index.ts'
import { linkPages, linkRoutes } from '../../server/src/pay-in/payment-links/index.ts'
import { livePages } from '../../server/src/dashboard/live/index.ts'
import { explorersOf, paymentPages } from '../../server/src/dashboard/payments/index.ts'
import { payerPages } from '../../server/src/dashboard/payers/index.ts'
import { payoutPages } from '../../server/src/dashboard/payouts/index.ts'
import { refundPages } from '../../server/src/dashboard/refunds/index.ts'
import { requestPages } from '../../server/src/dashboard/requests/index.ts'
import { settingsPages } from '../../server/src/dashboard/settings/index.ts'
import { webhookPages } from '../../server/src/dashboard/webhooks/index.ts'
import type { Catalogue } from '../../server/src/market/assets/index.ts'
import { dashboardRoutes } from '../../server/src/people/pages/index.ts'
import { createSellers, problemPage } from '../../server/src/pay-in/checkout/index.ts'
import { announceSending } from '../../server/src/merchants/mail/index.ts'
import { createSecretRing } from '../../server/src/platform/config/secrets.ts'
import { createDb, inTransaction, type Db } from '../../server/src/platform/db/index.ts'
import type { Route } from '../../server/src/platform/api/route.ts'
import { makeRoles, type TestRoles } from '../setup/roles.ts'
import { createWatchedPool } from '../setup/watched-pool.ts'
import { catalogueOn } from './catalogue.ts'
import { createDirectory } from '../../server/src/merchants/accounts/index.ts'
import { box, cardBox } from './merchant.ts'
import { logoRoute } from '../../server/src/merchants/logos/index.ts'
import { createDocumentMaker } from '../../server/src/merchants/documents/index.ts'
import { createTestRuntime } from './runtime.ts'
import { useEdge, type Answer } from './edge.ts'
import { fieldOf, unescaped } from './page-text.ts'

const ORIGIN = 'https://pay.example'
const KEY = new Uint8Array(32).fill(7)
/** The password of every person of a test. */
export const PASSWORD = 'orbit velvet cactus'
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'

/** One browser: it keeps its cookies, and sends the headers that browsers send. */
export interface TestBrowser {
  /** of the session */
  cookie: string | undefined
  /** of a browser in which a person has signed in before */
  device: string | undefined
  get(path: string): Promise<Answer>
  post(path: string, fields: Readonly<Record<string, string>>, headers?: readonly string[]): Promise<Answer>
  /** Gets a page, and the options of its form `data-passkey`, by the form's field `do`. */
  optionsOf(path: string, does: string): Promise<object>
}

export { carriedFields, fieldOf, textOf, withoutScript } from './page-text.ts'

/** The secret of one-time codes on the page of an invitation, from its key in base32. */
export const seedOf = (page: Pick<Answer, 'text'>): Buffer => {
  const key = /<span class="address"><bdi>([A-Z2-7 ]+)<\/bdi>/.exec(page.text)![1]!.replaceAll(' ', '')
  const bits = [...key].map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'))
  return Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  )
}

const optionsIn = ({ text }: Pick<Answer, 'text'>, does: string): object => {
  for (const [, options, verb] of text.matchAll(
    /data-options="([^"]*)"><input type="hidden" name="do" value="([^"]*)"/g,
  ))
    if (verb === does) return JSON.parse(unescaped(options!)) as object
  throw new Error(`the page has no passkey form ${does}`)
}

/**
 * For the top of a test file. The clock is the edge's. The pages have the rights of the database role of the api.
 * @param catalogue the assets of the installation
 * @param markets the markets of exchanges; those in the database if none are given
 * @param operations of the signed API
 * @param longestStreamMs how long a stream of changes lasts
 * @param ofPort the public URL is that of the edge's port at `localhost`, for real browsers
 */
export const useDashboard = ({
  ofPort = false,
  catalogue = catalogueOn('BITCOIN', { BTC: { decimals: 8 } }),
  markets,
  operations,
  longestStreamMs = STREAM_LIMITS.longestMs,
}: {
  ofPort?: boolean
  catalogue?: Catalogue
  markets?: () => Promise<UsdtMarkets>
  operations?: readonly Route[]
  longestStreamMs?: number
} = {}) => {
  const api = {} as { db: Db }
  let pool: pg.Pool | undefined
  /** statements of the pages, oldest first */
  const statements: string[] = []
  let roles: TestRoles | undefined
  // Registered before the edge's, it runs after the database is dropped.
  afterAll(() => roles?.drop())
  const documents = createDocumentMaker()
  afterAll(() => documents.close())
  const originOf = (): string => (ofPort ? `http://localhost:${edge.port}` : ORIGIN)
  let trading: TradingDeps | undefined
  const tradingOf = (runtime: ReturnType<typeof createTestRuntime>): TradingDeps => ({
    runtime,
    policy: readExchangePolicy(catalogue),
    quoteStore: createQuoteStore(runtime),
    usdtMarkets: markets ?? createUsdtMarketsReader(runtime.db, runtime.clock.now),
    stops: createStopsReader(runtime.db, runtime.clock.now),
  })
  const table = createRoutingTable([createPaymentAcquirer('first')])
  const deps = {
    get db() {
      return api.db
    },
    get runtime() {
      return createTestRuntime(api.db, () => edge.clock.ms)
    },
    get publicUrl() {
      return originOf()
    },
    get party() {
      return relyingPartyOf(originOf())
    },
    networks: catalogue.networks,
    table,
    cards: { rules: { catalogue, routing: table }, box: cardBox },
    newInvoiceId: randomUUID,
    ring: createSecretRing([KEY]),
    random: randomBytes,
    challenges: createChallenges([KEY], randomBytes),
    passwords: createPasswords(randomBytes),
    bucketOf: createBuckets([KEY]),
    devices: createDevices([KEY]),
    catalogue,
    documents,
    get lists() {
      return listRoutes(deps)
    },
    explorers: explorersOf('mainnet', new Map([['ETHEREUM', 1n]])),
    rules: { catalogue, bitcoinChain: 'regtest' as const },
    get trading() {
      trading ??= tradingOf(deps.runtime)
      return trading
    },
  }
  // A directory of its own knows the merchants that a test has just made.
  const find = (id: string) => createDirectory(edge.db, box).find(id)
  const paying = {
    get runtime() {
      return deps.runtime
    },
    settings: deps,
    directory: { find },
    sellers: createSellers({ find }),
    limiter: createRateLimiter(),
  }
  const linking = {
    get runtime() {
      return deps.runtime
    },
    settings: deps,
    random: randomBytes,
  }
  // Limits of one network address have tests of their own.
  const all = [
    ...invoicingPages(deps),
    ...linkPages(paying),
    ...dashboardRoutes(deps),
    ...homePages(deps),
    ...livePages(deps),
    ...paymentPages(deps),
    ...balancePages(deps),
    ...exchangePages(deps),
    ...payoutPages(deps),
    ...refundPages(deps),
    ...payerPages(deps),
    ...webhookPages(deps),
    ...requestPages(deps),
    ...settingsPages(deps),
    logoRoute(deps),
    ...archivePages(deps),
  ]
  const routes = all.map((route) => ({ ...route, perMinute: 1_000_000 }))
  const edge = useEdge({
    built: [...linkRoutes(linking), ...(operations ?? [])],
    pages: {
      routes,
      problem: problemPage,
      postsPerMinute: 1_000_000,
      getsPerMinute: 1_000_000,
      streams: { ...STREAM_LIMITS, longestMs: longestStreamMs },
    },
  })
  beforeAll(async () => {
    await announceSending(edge.db, true, new Date(edge.clock.ms))
    roles = await makeRoles(edge.pool.options.connectionString!, `dash${randomBytes(2).toString('hex')}`)
    await roles.grant()
    pool = createWatchedPool(roles.url('api'), ({ text }) => void statements.push(text))
    api.db = createDb(pool)
  })
  afterAll(() => pool?.end())
  const browse = (agent = AGENT): TestBrowser => {
    /** the cookies of payment links */
    let links: string[] = []
    const send = async (method: string, path: string, headers: readonly string[], body?: string): Promise<Answer> => {
      const all = ['accept', 'text/html', 'user-agent', agent, ...headers]
      const cookies = [
        'other=1',
        ...(browser.device === undefined ? [] : [`__Host-bursar-device=${browser.device}`]),
        ...(browser.cookie === undefined ? [] : [`__Host-bursar=${browser.cookie}`]),
        ...links,
      ]
      if (cookies.length > 1) all.push('cookie', cookies.join('; '))
      const answer = await edge.raw(method, path, all, body)
      const [set] = [answer.headers['set-cookie']].flat()
      const token = set === undefined ? undefined : /^__Host-bursar=([^;]*)/.exec(set)?.[1]
      if (token !== undefined) browser.cookie = token === '' ? undefined : token
      const device = set === undefined ? undefined : /^__Host-bursar-device=([^;]*)/.exec(set)?.[1]
      if (device !== undefined) browser.device = device
      const link = set === undefined ? undefined : /^__Host-pay=[^;]*/.exec(set)?.[0]
      if (link !== undefined) links = [link]
      return answer
    }
    const browser: TestBrowser = {
      cookie: undefined,
      device: undefined,
      get: (path) => send('GET', path, []),
      post: (path, fields, headers = ['origin', ORIGIN]) =>
        send(
          'POST',
          path,
          ['content-type', 'application/x-www-form-urlencoded', ...headers],
          new URLSearchParams(fields).toString(),
        ),
      optionsOf: async (path, does) => optionsIn(await browser.get(path), does),
    }
    return browser
  }

  /** Invites an address. @returns the path of the link */
  const inviteTo = async (email: string, role: Role = 'owner', merchantId = edge.merchant.id): Promise<string> => {
    const given = { merchantId, email, role, language: 'en', actor: 'cli:test' } as const
    const { url } = await inTransaction(edge.db, (tx) =>
      invite(
        tx,
        given,
        { random: randomBytes, publicUrl: originOf() },
        nowOf(createTestRuntime(edge.db, () => edge.clock.ms)),
      ),
    )
    return new URL(url).pathname
  }

  let people = 0
  /** An address that no other test uses. */
  const newAddress = (): string => {
    people += 1
    return `person-${people}@shop.example`
  }

  const codeAt = (seed: Buffer, stepsLater = 0): string => codeOf(seed, stepOf(new Date(edge.clock.ms)) + stepsLater)

  /** A person who has accepted an invitation with a password. `seed` is that of their one-time codes. */
  const join = async (email = newAddress(), role: Role = 'owner', merchantId = edge.merchant.id) => {
    const [path, browser] = [await inviteTo(email, role, merchantId), browse()]
    let page = await browser.get(path)
    // A database on a busy machine may answer too late: a browser would load the page again.
    while (page.status === 503) page = await browser.get(path)
    const [seed, sealed] = [seedOf(page), fieldOf(page, 'seed')]
    const form = { do: 'password', password: PASSWORD, seed: sealed, code: codeAt(seed) }
    const joined = await browser.post(path, form, ['origin', originOf()])
    if (joined.status !== 200) throw new Error(`the person did not join: ${joined.status}`)
    const codes = [...joined.text.matchAll(/<li class="address">([A-Z2-7-]+)</g)].map(([, code]) => code!)
    return { email, path, browser, seed, codes, joined }
  }
  const signInWith = (browser: TestBrowser, email: string, code: string, password = PASSWORD): Promise<Answer> =>
    browser.post('/app/sign-in', { do: 'password', email, password, code })

  /** The browser of a new member of a merchant, signed in. */
  const memberOf = async (merchantId: string, role: Role = 'viewer'): Promise<TestBrowser & { email: string }> => {
    const { browser, email } = await join(newAddress(), role, merchantId)
    return Object.assign(browser, { email })
  }

  return {
    edge,
    deps,
    browse,
    inviteTo,
    join,
    signInWith,
    memberOf,
    newAddress,
    codeAt,
    statements,
    /** every route of the pages */
    routes,
    origin: ORIGIN,
  }
}

/** The numbers of the API, times in ms unless the name says otherwise (`contract.md` sections 7, 10, 18). */

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Limits that are checked before a signed request reaches its operation (`contract.md` 18 #1, 19 #2 and #3). */
export const requestLimits = {
  /** A longer body gets 413, code 104. */
  bodyBytes: 1_048_576,
  /** Oldest accepted `timestamp`; older gets code -2. */
  maxAgeSeconds: 60,
  /** How far `timestamp` may be ahead of the server; further gets code -3. */
  maxAheadSeconds: 5,
  /** Signed requests of one merchant; more get 429, code 105. The operator can set another number. */
  requestsPerMinute: 600,
  /** How long the response to an Idempotency-Key is stored (`contract.md` 18 #13). */
  idempotencyKeyLife: 30 * day,
} as const

/** Maximum lengths of texts, in Unicode characters (`contract.md` 18 #12, #14; the others are this project's). */
export const textLimits = {
  meta: 2_048,
  name: 255,
  description: 1_024,
  localId: 128,
  email: 254,
  redirectUrl: 2_048,
  address: 128,
  ticker: 32,
  blockchain: 64,
  id: 64,
  idempotencyKey: 255,
} as const

/** Life of addresses and invoices (`contract.md` 5.3, 5.14, 18 #18; 19 #6). */
export const durations = {
  rotatingAddress: { min: 10 * minute, max: 30 * day, default: day },
  /** Time from a deposit until the address expires. */
  afterReplenishment: { min: 0, max: 30 * day, default: 2 * hour },
  /** `clientDuration`, the time that the payment page shows, is two thirds of the duration when absent. */
  cryptoInvoice: { min: minute, max: 365 * day, default: 72 * hour },
  /** How long the price of an estimate is valid. */
  estimatedPrice: 10_000,
} as const

/** How a notification is delivered (`contract.md` section 7 and 18 #16). */
export const delivery = {
  /** Time limit of one attempt, from connecting to the end of the response. */
  timeout: 10_000,
  /** At most this much of the response is read. */
  answerBytes: 65_536,
  /** Gaps between attempts: 10 retries, 11 attempts in all, 8 h 10 min from the first to the last. */
  retryDelays: [10, 25, 40, 55, 60, 60, 60, 60, 60, 60].map((minutes) => minutes * minute),
} as const

/** The lists below `/merchants/lists/`: items in one page, and ids in one question. */
export const listPage = { max: 1_000, default: 100, ids: 100 } as const

/** Payment links: the most that are active at the same time, and the highest limit of payments of one. */
export const paymentLinks = { active: 1_000, payments: 10_000 } as const

/** `GET /merchants/events`: notifications in one answer. */
export const eventPage = { max: 1_000, default: 100 } as const

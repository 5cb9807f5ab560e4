import {
  generalErrors,
  listPaymentLinks,
  orderErrors,
  paymentLinks,
  type createPaymentLink,
  type BodyOf,
} from '@bursar/contract'
import type { Catalogue } from '../../market/assets/index.ts'
import { withStoredAnswer } from '../../platform/api/answers.ts'
import { type ApiRefusal, type ApiAnswer, type ApiRequest, type Route, refusal } from '../../platform/api/route.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { readIds, readTicker, type ListQuery } from '../../platform/lists/reading.ts'
import { listRoute } from '../../platform/lists/route.ts'
import { formatUnits, unitsOf } from '../../platform/money/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { BASE_TICKERS } from '../crypto-invoices/index.ts'
import { createLinkByKey, disableLink, LocalIdTaken, TooManyLinks } from './commands.ts'
import { linkUrl, statusOf, type LinkKind, type LinkStatus, type NewLink, type PaymentLink } from './link.ts'
import { listLinks, type LinkFilter } from './listing.ts'
import { canAsk, tickersOf, type MakingSettings } from './making.ts'
import { isMore, SCALE } from './paying.ts'
import { findLink } from './store.ts'

export interface LinkRoutesDeps {
  runtime: Runtime
  settings: MakingSettings
  random(count: number): Buffer
}

type LinkBody = BodyOf<typeof createPaymentLink>

const KINDS = { CRYPTO: 'crypto', CARD: 'card' } as const satisfies Record<string, LinkKind>

/** Payment links of a merchant (`contract.md` section 22). */
export const linkRoutes = (deps: LinkRoutesDeps): Route[] => [
  { operation: 'createPaymentLink', handle: (request) => create(deps, request) },
  {
    operation: 'getPaymentLink',
    handle: async ({ merchantId, params }) => {
      const id = params['id']!
      const link = isUuid(id) ? await findLink(deps.runtime.db, merchantId, id) : undefined
      return answerOf(link, deps.settings, momentOf(deps.runtime))
    },
  },
  { operation: 'disablePaymentLink', handle: (request) => disable(deps, request) },
]

const create = ({ runtime, settings, random }: LinkRoutesDeps, request: ApiRequest): Promise<ApiAnswer> =>
  inTransaction(runtime.db, (tx) => {
    const moment = momentOf(runtime)
    return withStoredAnswer(tx, request, moment.at, async () => {
      const { merchantId, keyId } = request
      const body = request.body as LinkBody
      const given = { merchantId, keyId, localId: body.localId ?? null, link: linkIn(body, settings, moment) }
      return answerOf(await createLinkByKey(tx, given, random, moment), settings, moment)
    })
  }).catch((error: unknown) => Promise.reject(asRefusal(error)))

const disable = ({ runtime, settings }: LinkRoutesDeps, request: ApiRequest): Promise<ApiAnswer> =>
  inTransaction(runtime.db, (tx) => {
    const moment = momentOf(runtime)
    return withStoredAnswer(tx, request, moment.at, async () => {
      const key = { merchantId: request.merchantId, id: request.params['id']! }
      return answerOf(isUuid(key.id) ? await disableLink(tx, key, moment) : undefined, settings, moment)
    })
  })

export interface LinkListDeps {
  runtime: Pick<Runtime, 'db' | 'clock'>
  catalogue: Catalogue
  publicUrl: string
}

/** The list of a merchant's payment links, each as its lookup shows it (`contract.md` sections 20 and 22). */
export const linkListRoute = ({ runtime: { db, clock }, catalogue, publicUrl }: LinkListDeps): Route =>
  listRoute(listPaymentLinks, clock, async ({ merchantId, query, page }) => {
    const at = new Date(clock.business())
    const { rows, next } = await listLinks(db, merchantId, filterOf(query, catalogue), page, at)
    return { items: rows.map((link) => linkBody(link, publicUrl, at)), next }
  })

const filterOf = (query: ListQuery, { crypto, fiat }: Catalogue): LinkFilter => {
  const prices = BASE_TICKERS.map((ticker) => ({ ticker, scale: 0 }))
  return {
    ids: readIds(query),
    status: query.status === undefined ? null : (query.status.toLowerCase() as LinkStatus),
    kind: query.method === undefined ? null : KINDS[query.method as keyof typeof KINDS],
    ticker: readTicker(query.ticker, [...crypto, ...fiat, ...prices])?.ticker ?? null,
    localId: query.localId ?? null,
  }
}

const linkBody = (link: PaymentLink, publicUrl: string, at: Date): object => {
  const { id, name, description, localId, kind, ticker, amount, least, most, language, mostUses } = link
  const { createdAt, expiresAt, stoppedAt } = link
  return {
    id,
    url: linkUrl(publicUrl, link),
    status: statusOf(link, at).toUpperCase(),
    name,
    description: description ?? undefined,
    localId: localId ?? undefined,
    method: kind.toUpperCase(),
    ticker,
    amount: printed(amount),
    minAmount: printed(least),
    maxAmount: printed(most),
    language: language ?? undefined,
    maxPayments: mostUses ?? undefined,
    createdAt: createdAt.getTime(),
    expiredAt: expiresAt?.getTime(),
    disabledAt: stoppedAt?.getTime(),
  }
}

/** A stored decimal as the contract writes amounts (`contract.md` 18 #10). */
const printed = (amount: string | null): string | undefined =>
  amount === null ? undefined : formatUnits(unitsOf(amount, SCALE), SCALE)

const answerOf = (link: PaymentLink | undefined, { publicUrl }: MakingSettings, { at }: Moment): ApiAnswer => {
  if (link) return { status: 200, body: linkBody(link, publicUrl, at) }
  throw refusal(generalErrors.notFound, 'there is no such payment link of this merchant')
}

const refuse = (field: string, why: string): ApiRefusal => refusal(generalErrors.invalidRequest, why, field)

/** The link that a request describes. Throws an ApiRefusal that names the first wrong field. */
const linkIn = (body: LinkBody, settings: MakingSettings, moment: Moment): NewLink => {
  const kind = KINDS[body.method]
  const { ticker, amount, minAmount, maxAmount, expiredAt } = body
  const tickers = tickersOf(settings)[kind]
  if (!tickers.includes(ticker)) throw refuse('ticker', `ticker must be one of ${tickers.join(', ')}`)
  for (const [field, value] of Object.entries({ amount, minAmount, maxAmount })) {
    if (value === undefined) continue
    if (field !== 'amount' && amount !== undefined)
      throw refuse(field, `${field} is a limit of an amount that the payer chooses: leave out amount or ${field}`)
    if (!canAsk({ kind, ticker, amount: value }, settings, moment))
      throw refuse(
        field,
        `an invoice of ${value} ${ticker} is not possible: its amount or its decimals are outside the limits of ${ticker}`,
      )
  }
  if (minAmount !== undefined && maxAmount !== undefined && isMore(minAmount, maxAmount))
    throw refuse('maxAmount', 'maxAmount must not be less than minAmount')
  const expiresAt = expiredAt === undefined ? null : new Date(expiredAt)
  if (expiresAt !== null && expiresAt <= moment.at) throw refuse('expiredAt', 'expiredAt must be in the future')
  return {
    kind,
    ticker,
    name: body.name,
    description: body.description || null,
    amount: amount ?? null,
    least: minAmount ?? null,
    most: maxAmount ?? null,
    language: body.language ?? null,
    expiresAt,
    mostUses: body.maxPayments ?? null,
  }
}

const asRefusal = (error: unknown): unknown => {
  if (error instanceof LocalIdTaken) {
    return refusal(
      orderErrors.localIdPlaced,
      'another payment link has this localId: find it in the list of payment links',
      'localId',
    )
  }
  if (!(error instanceof TooManyLinks)) return error
  return refusal(generalErrors.conflict, `there are ${paymentLinks.active} active payment links: disable one first`)
}

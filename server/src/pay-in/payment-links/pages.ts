import { randomUUID } from 'node:crypto'
import { languageOf, renderLink, type LinkView, type Seller } from '@bursar/checkout'
import { generalErrors } from '@bursar/contract'
import type { MerchantDirectory } from '../../merchants/accounts/index.ts'
import type { PageAnswer, PageRequest, PageRoute } from '../../platform/api/page.ts'
import { type ApiRefusal, refusal } from '../../platform/api/route.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { FORMS_OF_A_PAYER, sendOn, type FormMerchantDeps } from '../forms/index.ts'
import type { PaymentLink } from './link.ts'
import type { MakingSettings } from './making.ts'
import { isFormKey } from './once.ts'
import { countedEnd, limitsFor, payLink } from './paying.ts'
import { invoiceIdIn, invoiceOfLink, isFromElsewhere, returnCookie, returningTo } from './returning.ts'
import { findByToken } from './store.ts'

export interface LinkPageDeps {
  runtime: Runtime
  settings: MakingSettings
  directory: Pick<MerchantDirectory, 'find'>
  sellers(merchantId: string, company: { name: string; url: string }): Promise<Seller>
  limiter: FormMerchantDeps['limiter']
}

const PATH = '/pay/{token}'
const TOKEN = /^[A-Za-z0-9_-]{22}$/
const MOST_FORM_BYTES = 4_096
const LONGEST_AMOUNT = 50
/** Forms of one link in a minute, from all payers: enough for a busy shop, too few for a script. */
const FORMS_OF_A_LINK = 120

/** The page of a payment link. Viewing it changes nothing. */
export const linkPages = (deps: LinkPageDeps): PageRoute[] => [
  { method: 'GET', path: PATH, mostBytes: 0, handle: (request) => show(deps, request) },
  {
    method: 'POST',
    path: PATH,
    mostBytes: MOST_FORM_BYTES,
    perMinute: FORMS_OF_A_PAYER,
    handle: (request) => pay(deps, request),
  },
]

interface Found {
  link: PaymentLink
  seller: Seller
}

const show = async (deps: LinkPageDeps, request: PageRequest): Promise<PageAnswer> => {
  const found = await linkIn(deps, request)
  const { runtime, settings } = deps
  const end = await countedEnd(runtime.db, found.link, settings, momentOf(runtime))
  const open = await openIn(deps, request, found.link)
  if (end !== undefined) return page(request, found, { at: 'ended', why: end, open }, 410)
  return page(request, found, { ...formOf(deps, found.link), open }, 200)
}

/** The invoice of this browser, if it can still be paid. */
const openIn = async (
  { runtime, settings }: LinkPageDeps,
  request: PageRequest,
  link: PaymentLink,
): Promise<LinkView['state']['open']> => {
  const id = returningTo(request, link)
  const invoice =
    id === undefined ? undefined : await invoiceOfLink(runtime.db, link, id, settings, momentOf(runtime).at)
  return invoice?.isOpen ? invoice : undefined
}

const pay = async (deps: LinkPageDeps, request: PageRequest): Promise<PageAnswer> => {
  const found = await linkIn(deps, request)
  const { runtime, settings, limiter } = deps
  const fields = new URLSearchParams(request.body.toString('utf8'))
  const [key, typed] = [fields.get('key') ?? '', (fields.get('value') ?? '').slice(0, LONGEST_AMOUNT)]
  if (!isFormKey(key)) return page(request, found, { ...formOf(deps, found.link), given: typed, problem: 'old' }, 400)
  const left = limiter.take(found.link.id, FORMS_OF_A_LINK, runtime.clock.now())
  if (left < 0) {
    throw refusal(generalErrors.tooManyRequests, 'too many forms of this link: try again', { retryAfterSeconds: -left })
  }
  const wanted = { key, typed, returning: returningTo(request, found.link), another: fields.has('another') }
  const paid = await inTransaction(runtime.db, (tx) =>
    payLink(tx, found.link.token, wanted, settings, momentOf(runtime)),
  )
  if (!paid) throw nothing()
  if ('url' in paid) {
    const cookie = isFromElsewhere(request, settings.publicUrl)
      ? undefined
      : returnCookie(request, found.link, invoiceIdIn(paid.url))
    return sendOn(paid.url, cookie)
  }
  const open = await openIn(deps, request, found.link)
  if ('end' in paid) return page(request, found, { at: 'ended', why: paid.end, open }, 410)
  return page(request, found, { ...formOf(deps, found.link), key, open, given: typed, problem: paid.problem }, 400)
}

/** A link that does not exist, and one of a disabled merchant, are answered alike. */
const linkIn = async ({ runtime, directory, sellers }: LinkPageDeps, { params }: PageRequest): Promise<Found> => {
  const token = params['token'] ?? ''
  const link = TOKEN.test(token) ? await findByToken(runtime.db, token) : undefined
  const merchant = link && (await directory.find(link.merchantId))
  if (!link || !merchant || merchant.disabled) throw nothing()
  return { link, seller: await sellers(merchant.id, { name: merchant.companyName, url: merchant.companyUrl }) }
}

const nothing = (): ApiRefusal => refusal(generalErrors.notFound, 'there is no such payment link')

const formOf = ({ settings }: LinkPageDeps, link: PaymentLink): Extract<LinkView['state'], { at: 'open' }> => ({
  at: 'open',
  isCard: link.kind === 'card',
  key: randomUUID(),
  ticker: link.ticker,
  amount: link.amount ?? undefined,
  ...limitsFor(link, settings),
})

const page = (
  { query, headers }: PageRequest,
  { link, seller }: Found,
  state: LinkView['state'],
  status: number,
): PageAnswer => {
  const { name, description, token, language } = link
  const view = { seller, name, description: description ?? undefined, path: `/pay/${token}`, state }
  const rendered = renderLink(view, languageOf(query['lang'] ?? language ?? undefined, headers['accept-language']))
  // With no referrer, browsers send `Origin: null` with the form.
  return { status, headers: { ...rendered.headers, 'referrer-policy': 'same-origin' }, body: rendered.html }
}

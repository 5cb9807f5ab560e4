import { isUuid } from '../../platform/base/id.ts'
import { COOKIE_ATTRIBUTES, cookieIn } from '../../platform/api/cookies.ts'
import type { PageRequest } from '../../platform/api/page.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { findLinkInvoice } from '../crypto-invoices/index.ts'
import { findFiatLinkInvoice } from '../fiat-invoices/index.ts'
import type { LinkInvoice } from '../forms/index.ts'
import type { PaymentLink } from './link.ts'
import type { MakingSettings } from './making.ts'

/**
 * The cookie by which a browser comes back to the invoices that it made from links (decision 216). It ends with the
 * browser. It has the token of each link with the id of its newest invoice, newest first. The browser has both in its
 * history as well: they give no right.
 */
const COOKIE = '__Host-pay'
const ENTRY = /^([A-Za-z0-9_-]{22}):([0-9a-f-]{36})$/
/** Links in the cookie: one more replaces the oldest, so that a browser's requests stay small. */
const MOST_LINKS = 20

type Token = Pick<PaymentLink, 'token'>

/** Tokens of links with ids of invoices, newest first. */
const entriesIn = (request: PageRequest): [token: string, id: string][] =>
  (cookieIn(request, COOKIE) ?? '').split('.').flatMap((text): [string, string][] => {
    const [, token, id] = ENTRY.exec(text) ?? []
    return token !== undefined && id !== undefined && isUuid(id) ? [[token, id]] : []
  })

export const returnCookie = (request: PageRequest, { token }: Token, invoiceId: string): string => {
  const others = entriesIn(request).filter(([other]) => other !== token)
  const entries = [[token, invoiceId], ...others].slice(0, MOST_LINKS).map((entry) => entry.join(':'))
  return `${COOKIE}=${entries.join('.')}; ${COOKIE_ATTRIBUTES}`
}

/** The id of the invoice that this browser made from a link. */
export const returningTo = (request: PageRequest, { token }: Token): string | undefined =>
  entriesIn(request).find(([other]) => other === token)?.[1]

/**
 * Whether the page of another site sent the form: it must not choose the invoice to which a payer comes back. The key
 * of a form proves nothing, because a sender can make one. A client that sends neither header is trusted: browsers send
 * `Origin` with forms.
 */
export const isFromElsewhere = ({ headers }: PageRequest, publicUrl: string): boolean => {
  const [site, origin] = [headers['sec-fetch-site'], headers['origin']]
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return origin !== undefined && origin !== new URL(publicUrl).origin
}

/** Finds an invoice that was made from a link. @param at business clock */
export const invoiceOfLink = async (
  db: Db | Tx,
  { merchantId, id: linkId, kind }: PaymentLink,
  id: string,
  settings: MakingSettings,
  at: Date,
): Promise<LinkInvoice | undefined> => {
  const find = kind === 'card' ? findFiatLinkInvoice : findLinkInvoice
  return find(db, { merchantId, linkId, id }, settings, at)
}

/** The id of an invoice, from the URL of its payment page. */
export const invoiceIdIn = (url: string): string => new URL(url).pathname.split('/').at(-1)!

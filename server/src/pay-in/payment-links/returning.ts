import { isUuid } from '../../platform/base/id.ts'
import type { PageRequest } from '../../platform/api/page.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { findLinkInvoice, type LinkInvoice } from '../crypto-invoices/index.ts'
import { findFiatLinkInvoice } from '../fiat-invoices/index.ts'
import type { PaymentLink } from './link.ts'
import type { MakingSettings } from './making.ts'

/**
 * The cookie by which a browser comes back to the invoice that it made from a link (decision 216). It ends with the
 * browser. Its value is the id of the invoice, which the browser has in its history as well: it gives no right.
 */
const nameOf = ({ token }: Pick<PaymentLink, 'token'>): string => `__Host-pay-${token}`

export const returnCookie = (link: Pick<PaymentLink, 'token'>, invoiceId: string): string =>
  `${nameOf(link)}=${invoiceId}; Path=/; Secure; HttpOnly; SameSite=Lax`

/** The id of the invoice that this browser made from a link. */
export const returningTo = ({ headers }: PageRequest, link: Pick<PaymentLink, 'token'>): string | undefined => {
  const name = nameOf(link)
  const pairs = (headers['cookie'] ?? '').split(';').map((pair) => pair.trim())
  const id = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return id !== undefined && isUuid(id) ? id : undefined
}

/**
 * Whether the page of another site sent the form: it must not choose the invoice to which a payer comes back. The key of
 * a form proves nothing, because a sender can make one. A client that sends neither header is trusted: browsers send
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

import { serviceOf } from '../../merchants/accounts/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { unitsOf } from '../../platform/money/index.ts'
import { countLinkInvoices } from '../crypto-invoices/index.ts'
import { countFiatLinkInvoices } from '../fiat-invoices/index.ts'
import { endOf, type LinkEnd, type PaymentLink } from './link.ts'
import { amountIn, canAsk, limitsOf, makeInvoice, tickersOf, type MakingSettings } from './making.ts'
import { once, resultOf } from './once.ts'
import { invoiceOfLink } from './returning.ts'
import { lockByToken } from './store.ts'

/** Why a payer's form made no invoice. */
type PayProblem = 'missing' | 'malformed' | 'limits'

type Paid = { url: string } | { end: LinkEnd } | { problem: PayProblem }

/** The most decimals that an amount of a link has. */
export const SCALE = 18

/** The end of a link, its uses counted. */
export const countedEnd = async (
  db: Db | Tx,
  link: PaymentLink,
  settings: MakingSettings,
  moment: Moment,
): Promise<LinkEnd | undefined> => {
  const { merchantId, id, mostUses, kind, amount, ticker } = link
  const end = endOf(link, moment.at)
  if (end !== undefined) return end
  if ((await serviceOf(db, merchantId)).state !== 'active') return 'unavailable'
  if (!tickersOf(settings)[kind].includes(ticker)) return 'unavailable'
  if (amount !== null && !canAsk({ kind, ticker, amount }, settings, moment)) return 'unavailable'
  if (mostUses === null) return undefined
  const count = kind === 'card' ? countFiatLinkInvoices : countLinkInvoices
  return (await count(db, merchantId, id, mostUses)) >= mostUses ? 'used' : undefined
}

/** The limits of the amount that the payer of a link chooses. */
export const limitsFor = (link: PaymentLink, settings: MakingSettings): Limits => {
  const own = limitsOf(link, settings)
  return { least: link.least ?? own.least, most: link.most ?? own.most }
}

interface PayerForm {
  key: string
  /** the amount, if the payer chooses it */
  typed: string
  /** the invoice that the payer's browser made before */
  returning: string | undefined
  /** the payer asks for a further invoice beside that one */
  another: boolean
}

/**
 * Makes the invoice of a payer of a link: one for each key of a form and amount. A payer who asks for the same amount
 * again comes back to the invoice that the browser made before, while it is open.
 * @returns undefined if there is no such link
 */
export const payLink = async (
  tx: Tx,
  token: string,
  { key, typed, returning, another }: PayerForm,
  settings: MakingSettings,
  moment: Moment,
): Promise<Paid | undefined> => {
  const link = await lockByToken(tx, token)
  if (!link) return undefined
  const { merchantId, id: linkId, kind, ticker, name, description, language } = link
  const amount = link.amount ?? amountIn(typed)
  const submission = {
    merchantId,
    form: `pay ${linkId}`,
    key,
    content: another ? ['another', amount] : amount,
  }
  if (amount !== undefined) {
    const earlier = await resultOf<{ url: string }>(tx, submission)
    if (earlier) return earlier
    const open =
      returning === undefined || another ? undefined : await invoiceOfLink(tx, link, returning, settings, moment.at)
    if (open?.isOpen && open.ticker === ticker && isSame(open.value, amount)) return { url: open.url }
  }
  const end = await countedEnd(tx, link, settings, moment)
  if (end !== undefined) return { end }
  if (amount === undefined) return { problem: typed.trim() === '' ? 'missing' : 'malformed' }
  if (link.amount === null && !isWithin(limitsFor(link, settings), amount)) return { problem: 'limits' }
  if (!canAsk({ kind, ticker, amount }, settings, moment)) return { problem: 'malformed' }
  return once(tx, submission, moment.at, async () => {
    const more = { description: description ?? undefined, language: language ?? undefined }
    const { url } = await makeInvoice(tx, { merchantId, linkId, kind, ticker, amount, name, ...more }, settings, moment)
    return { url }
  })
}

interface Limits {
  least: string | undefined
  most: string | undefined
}

/** Whether an amount is within the limits of a link. */
const isWithin = ({ least, most }: Limits, amount: string): boolean =>
  (least === undefined || unitsOf(least, SCALE) <= unitsOf(amount, SCALE)) &&
  (most === undefined || unitsOf(amount, SCALE) <= unitsOf(most, SCALE))

const isSame = (one: string, other: string): boolean => unitsOf(one, SCALE) === unitsOf(other, SCALE)

/** Whether one decimal is more than another. */
export const isMore = (one: string, other: string): boolean => unitsOf(one, SCALE) > unitsOf(other, SCALE)

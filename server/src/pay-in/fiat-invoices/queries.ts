import { sql, type RawBuilder } from 'kysely'
import { companyOf } from '../../merchants/accounts/index.ts'
import { givenBackOf, isUnderWay, paymentsOf, type Payment, type RoutingTable } from '../../cards/acquiring/index.ts'
import type { RefusalKind } from '../../adapters/acquirers/refusal-kinds.ts'
import type { FiatAsset } from '../../market/assets/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { offered } from './amounts.ts'
import { canRetry } from './commands.ts'
import type { FiatInvoice } from './invoice.ts'
import type { FiatInvoiceSettings } from './settings.ts'
import { findById } from './store.ts'

/** Why the last payment of an invoice was refused. */
interface Refused {
  /** `unavailable`: no acquirer accepted the order; null: unknown */
  why: RefusalKind | 'unavailable' | null
  /** the acquirer's own message; null: it gave none */
  reason: string | null
}

/** The state of an invoice for its payer. */
type FiatInvoiceStatus =
  /** the payer enters personal data, and the amount if it is open, in one of these currencies */
  | { at: 'open'; offered: readonly FiatAsset[] }
  /** an acquirer is being asked for its page */
  | { at: 'waiting' }
  /** the acquirer's page is available; a payer who returned from it waits for the acquirer's answer */
  | { at: 'leaving'; page: NonNullable<Payment['page']> }
  /** the acquirer has reported a payment, and is asked to confirm it */
  | { at: 'checking' }
  /** `givenBack`: refunded amount, minor units */
  | { at: 'paid'; when: Date; givenBack: bigint }
  /** a payment of another amount, or a late one, arrived: an operator has to decide */
  | { at: 'received' }
  /** `charged`: whether money left the card, if that is known */
  | ({ at: 'failed'; charged: 'no' | 'unknown'; canRetry: boolean } & Refused)
  /** it expired, and no card was tried */
  | { at: 'expired' }

/** All data of an invoice page. Only `invoice.email` is secret. */
export interface FiatInvoiceForPayer {
  invoice: FiatInvoice
  company: { name: string; url: string }
  status: FiatInvoiceStatus
}

/** Returns the payments of an invoice, oldest first; undefined if there is no such invoice. */
export const findPaymentsFor = async (db: Db | Tx, id: string): Promise<Payment[] | undefined> => {
  const invoice = await findById(db, id)
  return invoice && paymentsOf(db, invoice.merchantId, id)
}

/** Returns an invoice for its payer by its id, which can't be guessed. */
export const findForPayer = async (
  db: Db | Tx,
  id: string,
  settings: Pick<FiatInvoiceSettings, 'catalogue' | 'table'>,
  at: Date,
): Promise<FiatInvoiceForPayer | undefined> => {
  const invoice = await findById(db, id)
  if (!invoice) return undefined
  return {
    invoice,
    company: await companyOf(db, invoice.merchantId),
    status: await statusOf(db, invoice, settings, at),
  }
}

const statusOf = async (
  db: Db | Tx,
  invoice: FiatInvoice,
  { catalogue, table }: Pick<FiatInvoiceSettings, 'catalogue' | 'table'>,
  at: Date,
): Promise<FiatInvoiceStatus> => {
  const { state, merchantId, id } = invoice
  switch (state) {
    case 'created':
      return {
        at: 'open',
        offered: offered(catalogue, table).filter(
          ({ ticker }) => (invoice.ticker ?? ticker) === ticker && (invoice.askedIn ?? [ticker]).includes(ticker),
        ),
      }
    case 'paid':
      return { at: 'checking' }
    case 'done':
      return {
        at: 'paid',
        when: invoice.updatedAt,
        givenBack: invoice.paymentId === null ? 0n : await givenBackOf(db, merchantId, invoice.paymentId),
      }
    case 'failed':
      return invoice.paymentId === null
        ? { at: 'expired' }
        : endedStatus(await paymentsOf(db, merchantId, id), table, { mayRetry: false })
    case 'pending':
      return pendingStatus(await paymentsOf(db, merchantId, id), table, at)
  }
}

/**
 * Whether it is certain that no money left the card: the acquirer says so, and has not reported a payment in a
 * callback.
 */
const isNotCharged = ({ state, calledAt }: Payment): boolean =>
  (state === 'refused' || state === 'not-taken') && calledAt === null

const endedStatus = (
  payments: readonly Payment[],
  table: RoutingTable,
  { mayRetry }: { mayRetry: boolean },
): FiatInvoiceStatus => {
  if (payments.some(({ state }) => state === 'suspended')) return { at: 'received' }
  const charged = payments.every(isNotCharged) ? 'no' : 'unknown'
  return { at: 'failed', ...refusedOf(payments, table), charged, canRetry: mayRetry && canRetry(payments) }
}

/** Why the newest of the refused payments was refused. */
const refusedOf = (payments: readonly Payment[], { accounts }: RoutingTable): Refused => {
  const last = payments.findLast(({ state }) => state === 'refused' || state === 'not-taken')
  if (last?.state !== 'refused') return { why: last ? 'unavailable' : null, reason: null }
  const kinds = accounts.find(({ name }) => name === last.acquirer)?.refusals
  return { why: kinds?.get(last.refusalCode ?? '') ?? 'declined', reason: last.refusalMessage || null }
}

const pendingStatus = (payments: readonly Payment[], table: RoutingTable, at: Date): FiatInvoiceStatus => {
  const underWay = payments.filter((payment) => isUnderWay(payment, at))
  const current = underWay.at(-1)
  // A payment that its acquirer reports takes precedence over a newer payment's page, so that no payer pays twice.
  if (underWay.some(({ state }) => !['planned', 'asking', 'open'].includes(state))) return { at: 'checking' }
  if (current)
    return current.page && current.state === 'open' ? { at: 'leaving', page: current.page } : { at: 'waiting' }
  return endedStatus(payments, table, { mayRetry: true })
}

/** SQL: whether the merchant has a card invoice. */
export const hasFiatInvoice = (merchantId: string): RawBuilder<boolean> =>
  sql`exists (select from fiat_invoices where merchant_id = ${merchantId})`

/** SQL: the newest invoice of a merchant; null without one. @param merchant SQL of the merchant's id */
export const newestFiatInvoice = (merchant: RawBuilder<string>): RawBuilder<string | null> =>
  sql`(select id from fiat_invoices where merchant_id = ${merchant} order by created_at desc, id desc limit 1)`

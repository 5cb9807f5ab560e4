import { sql, type RawBuilder } from 'kysely'
import { isUuid } from '../../platform/base/id.ts'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { StoredAnswer } from '../../ledger/postings/index.ts'
import { intoAnswers } from '../../platform/api/answers.ts'
import type { AnswerKey } from '../../platform/api/route.ts'
import type { Invoice } from './invoice.ts'
import { invoiceMoves, type InvoiceEvent } from './machine.ts'

export const INVOICE_COLUMNS =
  sql.raw(`i.merchant_id as "merchantId", i.id, i.state, i.name, i.description, i.meta, i.email,
  i.redirect_url as "redirectUrl", i.link_id as "linkId", i.language, i.ticker, i.blockchain, i.units, i.base_ticker as "baseTicker",
  i.base_e18 as "baseE18", i.price_e18 as "priceE18", i.quoted_at as "quotedAt", i.quote_until as "quoteUntil",
  i.previous_price_e18 as "previousE18", i.address, i.address_id as "addressId", i.paid_units as paid, i.fee_units as fee,
  i.paid_base_e18 as "paidBaseE18", i.waiting_units as waiting, i.waiting_in_time as "waitingInTime",
  i.waiting_mined as "waitingMined", i.refunded,
  i.client_expires_at as "clientExpiresAt", i.expires_at as "expiresAt", i.created_at as "createdAt", i.moved_at as "movedAt"`)

export type InvoiceRow = Omit<Invoice, 'base' | 'quote'> & {
  baseTicker: string | null
  baseE18: bigint | null
  priceE18: bigint | null
  quotedAt: Date | null
  quoteUntil: Date | null
  previousE18: bigint | null
}

export const invoiceOf = ({
  baseTicker,
  baseE18,
  priceE18,
  quotedAt,
  quoteUntil,
  previousE18,
  ...row
}: InvoiceRow): Invoice => ({
  ...row,
  base: baseTicker === null ? null : { ticker: baseTicker, e18: baseE18! },
  quote: priceE18 === null ? null : { priceE18, at: quotedAt!, until: quoteUntil!, previousE18 },
})

/** A new invoice, with the stored response for a repetition of its request. */
export interface NewInvoice {
  invoice: Invoice
  /** of the API key that signed the request; null: it came by a form */
  keyId: string | null
  keys: readonly AnswerKey[]
  answer: StoredAnswer
}

/** The columns of a new invoice's row; all others have defaults. */
const rowOf = ({ invoice: i, keyId }: NewInvoice) => ({
  m: i.merchantId,
  i: i.id,
  n: i.name,
  d: i.description,
  a: i.meta,
  e: i.email,
  r: i.redirectUrl,
  li: i.linkId,
  l: i.language,
  t: i.ticker,
  b: i.blockchain,
  u: i.units?.toString(),
  bt: i.base?.ticker,
  bu: i.base?.e18.toString(),
  ce: i.clientExpiresAt,
  ee: i.expiresAt,
  k: keyId,
  c: i.createdAt,
})

const INSERT =
  sql.raw(`insert into crypto_invoices(merchant_id, id, state, name, description, meta, email, redirect_url, link_id, language, ticker, blockchain,
    units, base_ticker, base_e18, client_expires_at, expires_at, api_key_id, created_at, moved_at)
  select m, i, 'created', n, d, a, e, r, li, l, t, b, u, bt, bu, ce, ee, k, c, c from given`)

/** Stores new invoices and their responses, in one statement. */
export const insertInvoices = async (db: Db | Tx, added: readonly NewInvoice[]): Promise<void> => {
  const given = sql`given as (select * from jsonb_to_recordset(${JSON.stringify(added.map(rowOf))}::jsonb)
    r(m uuid, i uuid, n text, d text, a text, e text, r text, li uuid, l text, t text, b text, u numeric, bt text, bu numeric, ce timestamptz, ee timestamptz, k uuid, c timestamptz))`
  const answers = added.flatMap(({ invoice, keys, answer }) =>
    keys.map(({ key, fingerprint }) => ({
      m: invoice.merchantId,
      k: key,
      f: fingerprint,
      s: answer.status,
      b: answer.body,
      c: invoice.createdAt,
    })),
  )
  const answered = sql`, answered as (${intoAnswers}
    select * from jsonb_to_recordset(${JSON.stringify(answers)}::jsonb) r(m uuid, k text, f text, s int, b text, c timestamptz))`
  await sql`with ${given}${answers.length === 0 ? sql`` : answered} ${INSERT}`.execute(db)
}

const select = async (db: Db | Tx, where: RawBuilder<unknown>): Promise<Invoice[]> => {
  const { rows } = await sql<InvoiceRow>`select ${INVOICE_COLUMNS} from crypto_invoices i where ${where}`.execute(db)
  return rows.map(invoiceOf)
}

export const findInvoice = async (db: Db | Tx, merchantId: string, id: string): Promise<Invoice | undefined> =>
  (await select(db, sql`i.merchant_id = ${merchantId} and i.id = ${id}`))[0]

/** Finds an invoice by its id alone, as the payer's page knows it. */
export const findById = async (db: Db | Tx, id: string): Promise<Invoice | undefined> =>
  isUuid(id) ? (await select(db, sql`i.id = ${id}`))[0] : undefined

/** Finds an invoice by its id alone, locked until the transaction ends. */
export const lockById = async (tx: Tx, id: string): Promise<Invoice | undefined> =>
  isUuid(id) ? (await select(tx, sql`i.id = ${id} for update`))[0] : undefined

/** Returns the invoices with these addresses, locked in the order of their keys. */
export const lockAtAddresses = async (
  tx: Tx,
  addresses: readonly { merchantId: string; addressId: string }[],
): Promise<Invoice[]> =>
  select(
    tx,
    sql`(i.merchant_id, i.address_id) in (select * from unnest(${addresses.map((a) => a.merchantId)}::uuid[], ${addresses.map((a) => a.addressId)}::uuid[]))
      order by i.merchant_id, i.id for update`,
  )

/** Which invoices are due for a piece of work: a condition on the row, and an order. */
export interface Due {
  condition: RawBuilder<unknown>
  order: RawBuilder<unknown>
}

/** Open invoices whose time is over and that wait for no payment. */
export const ending = (at: Date): Due => ({
  condition: sql`i.state in ('created', 'registered', 'pending') and i.waiting_in_time = 0 and i.expires_at <= ${at}`,
  order: sql`i.expires_at`,
})

/**
 * Open invoices whose time has been over for `minedWithinMs` while none of the payments that they wait for is in a
 * block: their payers may never let them be mined.
 */
export const unmined = (at: Date, minedWithinMs: number): Due => ({
  condition: sql`i.state in ('created', 'registered', 'pending') and i.waiting_in_time > 0 and i.waiting_mined = 0 and i.expires_at < ${new Date(at.getTime() - minedWithinMs)}`,
  order: sql`i.expires_at`,
})

/** Open invoices with a missing part and an expired quote, in assets and currencies that have a price. */
export const unquoted = (at: Date, tickers: readonly string[], bases: readonly string[]): Due => ({
  condition: sql`i.state in ('registered', 'pending') and i.base_ticker = any(${[...bases]}::text[]) and i.ticker = any(${[...tickers]}::text[])
    and i.quote_until <= ${at} and i.expires_at > ${at} and i.units > i.paid_units + i.waiting_units`,
  order: sql`i.quote_until`,
})

/** Invoices with payments that have no price yet, in assets and currencies that have one now. */
export const unvalued = (tickers: readonly string[], bases: readonly string[]): Due => ({
  condition: sql`(i.merchant_id, i.id) in (select p.merchant_id, p.invoice_id from crypto_invoice_payments p where p.unvalued)
    and i.base_ticker = any(${[...bases]}::text[]) and i.ticker = any(${[...tickers]}::text[])`,
  order: sql`i.merchant_id, i.id`,
})

/** Invoices whose missing part awaits a price, in assets that have one now. */
export const unpricedShortfall = (tickers: readonly string[]): Due => ({
  condition: sql`i.shortfall_unpriced and i.state in ('pending', 'expired') and i.ticker = any(${[...tickers]}::text[])`,
  order: sql`i.merchant_id, i.id`,
})

export const findDue = async (db: Db, { condition, order }: Due, most: number): Promise<string[]> => {
  const { rows } = await sql<{
    id: string
  }>`select i.id from crypto_invoices i where ${condition} order by ${order} limit ${most}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Locks an invoice if it is still due; skips one that is locked by another session. */
export const lockDue = async (tx: Tx, id: string, { condition }: Due): Promise<Invoice | undefined> =>
  (await select(tx, sql`i.id = ${id} and ${condition} for update skip locked`))[0]

/** The columns that a change of an invoice writes besides its state. */
export type Written = Partial<
  Pick<
    Invoice,
    | 'email'
    | 'language'
    | 'ticker'
    | 'blockchain'
    | 'units'
    | 'quote'
    | 'address'
    | 'addressId'
    | 'paid'
    | 'fee'
    | 'paidBaseE18'
    | 'waiting'
    | 'waitingInTime'
    | 'waitingMined'
    | 'refunded'
  >
>

const written = (invoice: Invoice, changes: Written): { next: Invoice; set: RawBuilder<unknown> } => {
  const next = { ...invoice, ...changes }
  const { quote } = next
  const set = sql`email = ${next.email}, language = ${next.language}, ticker = ${next.ticker}, blockchain = ${next.blockchain},
    units = ${next.units}, price_e18 = ${quote?.priceE18 ?? null}, quoted_at = ${quote?.at ?? null},
    quote_until = ${quote?.until ?? null}, previous_price_e18 = ${quote?.previousE18 ?? null}, address = ${next.address},
    address_id = ${next.addressId}, paid_units = ${next.paid}, fee_units = ${next.fee}, paid_base_e18 = ${next.paidBaseE18},
    waiting_units = ${next.waiting}, waiting_in_time = ${next.waitingInTime}, waiting_mined = ${next.waitingMined}, refunded = ${next.refunded}`
  return { next, set }
}

/** Writes changes of an invoice that the transaction has locked. */
export const write = async (tx: Tx, invoice: Invoice, changes: Written): Promise<Invoice> => {
  const { next, set } = written(invoice, changes)
  await sql`update crypto_invoices set ${set} where merchant_id = ${invoice.merchantId} and id = ${invoice.id}`.execute(
    tx,
  )
  return next
}

/** Notes that the missing part of a locked invoice is to be judged once its asset has a price. */
export const awaitPrice = async (tx: Tx, { merchantId, id }: Pick<Invoice, 'merchantId' | 'id'>): Promise<void> => {
  await sql`update crypto_invoices set shortfall_unpriced = true where merchant_id = ${merchantId} and id = ${id}`.execute(
    tx,
  )
}

/** Removes the note of `awaitPrice`. */
export const endAwaitingPrice = async (
  tx: Tx,
  { merchantId, id }: Pick<Invoice, 'merchantId' | 'id'>,
): Promise<void> => {
  await sql`update crypto_invoices set shortfall_unpriced = false where merchant_id = ${merchantId} and id = ${id}`.execute(
    tx,
  )
}

/** Moves an invoice by its state machine, with compare-and-set. Throws if its state does not allow the event. */
export const move = async (
  tx: Tx,
  invoice: Invoice,
  event: InvoiceEvent,
  changes: Written,
  at: Date,
): Promise<Invoice> => {
  const { next, set } = written(invoice, changes)
  const target = moveOf(invoiceMoves, invoice.state, event)?.to
  const from = statesTaking(invoiceMoves, event)
  const { numAffectedRows } =
    await sql`update crypto_invoices set state = ${target ?? invoice.state}, moved_at = ${at}, ${set}
    where merchant_id = ${invoice.merchantId} and id = ${invoice.id} and state = ${invoice.state} and state = any(${from}::text[])`.execute(
      tx,
    )
  if (target === undefined || numAffectedRows !== 1n)
    throw new Error(`invoice ${invoice.id} is ${invoice.state} and does not take ${event}`)
  return { ...next, state: target, movedAt: at }
}

/** The channel of PostgreSQL's NOTIFY on which every process gets the id of a changed invoice after the commit. */
export const INVOICE_CHANNEL = 'crypto_invoice'

export const announce = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await sql`select pg_notify(${INVOICE_CHANNEL}, u.id) from unnest(${[...ids]}::text[]) u(id)`.execute(tx)
}

/** Whether an unpaid invoice requests an asset. The invoice can't become paid before the transaction ends. */
export const isAskedFor = async (
  tx: Tx,
  id: string,
  { merchantId, asset, network }: { merchantId: string; asset: string; network: string },
): Promise<boolean> => {
  const { rows } = await sql`select from crypto_invoices
    where merchant_id = ${merchantId} and id = ${id} and state <> 'paid' and ticker = ${asset} and blockchain = ${network} for share`.execute(
    tx,
  )
  return rows.length > 0
}

/** Returns invoices by their addresses. */
export const invoicesAt = async (
  db: Db | Tx,
  merchantId: string,
  addressIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await sql<{
    id: string
    addressId: string
  }>`select id, address_id as "addressId" from crypto_invoices
    where merchant_id = ${merchantId} and address_id = any(${[...addressIds]}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, addressId }) => [addressId, id]))
}

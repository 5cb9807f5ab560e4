import { sql } from 'kysely'
import { moveOf } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { FiatInvoice } from './invoice.ts'
import { fiatInvoiceMoves, type FiatInvoiceEvent } from './machine.ts'

export const COLUMNS =
  sql.raw(`i.merchant_id as "merchantId", i.id, i.name, i.description, i.meta, i.email, i.redirect_url as "redirectUrl", i.link_id as "linkId", i.language,
  i.ticker, i.units, i.asked_value as "askedValue", i.asked_in as "askedIn", i.state, i.paid_units as "paidUnits", i.fee_units as "feeUnits", i.masked_card as "maskedCard",
  i.error_code as "errorCode", i.error_message as "errorMessage", i.payment_id as "paymentId", i.expires_at as "expiresAt", i.fails_at as "failsAt",
  i.created_at as "createdAt", i.updated_at as "updatedAt"`)

/** The channel that receives the ids of changed invoices, for open pages. */
export const FIAT_INVOICE_CHANNEL = 'fiat_invoice'

const announce = async (tx: Tx, id: string): Promise<void> => {
  await sql`select pg_notify(${FIAT_INVOICE_CHANNEL}, ${id})`.execute(tx)
}

export const insertInvoice = async (tx: Tx, invoice: FiatInvoice, keyId: string | null): Promise<void> => {
  const {
    merchantId,
    id,
    name,
    description,
    meta,
    email,
    redirectUrl,
    linkId,
    language,
    ticker,
    units,
    askedValue,
    askedIn,
    state,
    expiresAt,
    createdAt,
  } = invoice
  await sql`insert into fiat_invoices(merchant_id, id, name, description, meta, email, redirect_url, link_id, language, ticker, units, asked_value, asked_in, state,
      expires_at, api_key_id, created_at, updated_at)
    values (${merchantId}, ${id}, ${name}, ${description}, ${meta}, ${email}, ${redirectUrl}, ${linkId}, ${language}, ${ticker}, ${units}, ${askedValue}, ${askedIn}, ${state},
      ${expiresAt}, ${keyId}, ${createdAt}, ${createdAt})`.execute(tx)
}

export const findOfMerchant = async (db: Db | Tx, merchantId: string, id: string): Promise<FiatInvoice | undefined> => {
  const { rows } =
    await sql<FiatInvoice>`select ${COLUMNS} from fiat_invoices i where i.merchant_id = ${merchantId} and i.id = ${id}`.execute(
      db,
    )
  return rows[0]
}

export const findById = async (db: Db | Tx, id: string): Promise<FiatInvoice | undefined> => {
  const { rows } = await sql<FiatInvoice>`select ${COLUMNS} from fiat_invoices i where i.id = ${id}`.execute(db)
  return rows[0]
}

export const lockById = async (tx: Tx, id: string): Promise<FiatInvoice | undefined> => {
  const { rows } = await sql<FiatInvoice>`select ${COLUMNS} from fiat_invoices i where i.id = ${id} for update`.execute(
    tx,
  )
  return rows[0]
}

/** The columns that a change writes besides the state; absent ones stay unchanged. */
export type Changes = Partial<
  Pick<
    FiatInvoice,
    | 'email'
    | 'ticker'
    | 'units'
    | 'paidUnits'
    | 'feeUnits'
    | 'maskedCard'
    | 'errorCode'
    | 'errorMessage'
    | 'paymentId'
    | 'failsAt'
  >
>

/**
 * Writes changes, and moves the invoice by the state machine if `event` is given. Returns undefined if its state does
 * not allow the event, or has changed since the invoice was read.
 */
export const change = async (
  tx: Tx,
  invoice: FiatInvoice,
  event: FiatInvoiceEvent | undefined,
  changes: Changes,
  at: Date,
): Promise<FiatInvoice | undefined> => {
  const move = event === undefined ? { to: invoice.state } : moveOf(fiatInvoiceMoves, invoice.state, event)
  if (!move) return undefined
  const next = { ...invoice, ...changes }
  const { rows } =
    await sql<FiatInvoice>`update fiat_invoices i set state = ${move.to}, email = ${next.email}, ticker = ${next.ticker},
      units = ${next.units}, paid_units = ${next.paidUnits}, fee_units = ${next.feeUnits}, masked_card = ${next.maskedCard},
      error_code = ${next.errorCode}, error_message = ${next.errorMessage}, payment_id = ${next.paymentId}, fails_at = ${next.failsAt},
      updated_at = ${at}
    where merchant_id = ${invoice.merchantId} and id = ${invoice.id} and state = ${invoice.state} returning ${COLUMNS}`.execute(
      tx,
    )
  if (rows[0]) await announce(tx, invoice.id)
  return rows[0]
}

/** Updates open pages when only the payment has changed. */
export const announceChange = announce

/**
 * Whether the time of the invoice `i` is over, and none of its payments may still be paid. Null: its time is not over.
 * @param awaited selects those payments
 */
export const hasRunOut = (awaited: ReturnType<typeof sql>, at: Date): ReturnType<typeof sql> =>
  sql`(i.expires_at <= ${at} or i.fails_at <= ${at}) and not exists (${awaited})`

/** Returns ids of expired invoices whose payments have all ended, as far as visible without locks. */
export const findRunOut = async (
  db: Db,
  awaited: ReturnType<typeof sql>,
  at: Date,
  most: number,
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`select i.id from fiat_invoices i
    where i.state in ('created', 'pending') and ${hasRunOut(awaited, at)}
    order by i.expires_at limit ${most}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * The result of a schedule: everything that a merchant, a payer or an operator can see, and all balances. Ids of new
 * objects, times, and the order of notifications about different objects are left out.
 */
import { sql } from 'kysely'
import type { Db } from '../../server/src/platform/db/index.ts'

/** One line for each row, sorted, by table. */
export type Outcome = Readonly<Record<string, readonly string[]>>

/** Tables whose rows are compared. */
const TABLES = [
  'withdrawals',
  'deposits',
  'crypto_invoices',
  'crypto_invoice_payments',
  'refund_claims',
  'exchanges',
  'exchange_withdrawals',
  'conversions',
  'card_payouts',
  'card_payout_parts',
  'card_payout_attempts',
  'freezes',
  'outgoing',
  'utxos',
  'addresses',
  'watch_cursors',
  'custody_addresses',
  'mails',
  'local_ids',
  'payments',
  'payment_refunds',
  'fiat_invoices',
  'screenings',
  'screening_decisions',
  'screening_findings',
  'adjustment_signatures',
  'hedge_orders',
  'hedge_fills',
  'sweeps',
  'house_transfers',
  'cold_transfers',
] as const

/** Columns that tell when something happened, which attempt it was, or values that can't be read without a key. */
const NOT_COMPARED =
  /_at$|_before$|^(epoch|version|attempt|attempts|sealed_card|sequence|fingerprint|lease_id|touched|not_sent_since|price_basis|basis|asked|asks|leased_until|watched_until|token|compliance|report|answers|n)$/
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** A text with its ids by their names; an id without one is new. */
export const withNames = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(UUID, (id) => names.get(id) ?? 'new')

/** @param names of ids that every schedule of the pair has; all others are new */
export const outcomeOf = async (db: Db, names: ReadonlyMap<string, string>): Promise<Outcome> => {
  const lineOf = (row: Record<string, unknown>): string => {
    const cells = Object.entries(row).filter(([name, value]) => !NOT_COMPARED.test(name) && value !== null)
    return withNames(cells.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', '), names)
  }
  const { rows } = await everything.execute(db)
  return Object.fromEntries(
    Object.entries(rows[0]!.all).map(([table, found]) => [table, (found ?? []).map(lineOf).toSorted()]),
  )
}

const rowsOf = (table: string): string => `'${table}', (select jsonb_agg(to_jsonb(x)) from (select * from ${table}) x)`

/** In one statement, and so of one moment. */
const everything = sql.raw<{ all: Record<string, Record<string, unknown>[] | null> }>(`select jsonb_build_object(
  ${TABLES.map(rowsOf).join(', ')},
  'balances', (select jsonb_agg(to_jsonb(x)) from (select merchant_id, asset, kind, posted::text, held::text
    from ledger_accounts where posted <> 0 or held <> 0) x),
  'inventory', (select jsonb_agg(to_jsonb(x)) from (select asset, sum(units)::text as units, sum(reserved)::text as reserved
    from exchange_inventory group by asset) x),
  'notifications', (select jsonb_agg(to_jsonb(x)) from (select merchant_id, object_id, kind, status from events) x),
  'alerts', (select jsonb_agg(to_jsonb(x)) from (select kind, subject from alerts where resolved_at is null) x)
) as all`)

/** The differences between two outcomes, a line each. */
export const differencesOf = (found: Outcome, expected: Outcome): string[] =>
  Object.keys({ ...found, ...expected }).flatMap((table) => {
    const [have, want] = [[...(found[table] ?? [])], [...(expected[table] ?? [])]]
    const missing = want.filter((line) => !take(have, line))
    return [...missing.map((line) => `- ${table}: ${line}`), ...have.map((line) => `+ ${table}: ${line}`)]
  })

const take = (lines: string[], line: string): boolean => {
  const at = lines.indexOf(line)
  if (at !== -1) lines.splice(at, 1)
  return at !== -1
}

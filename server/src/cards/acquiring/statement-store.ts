import { sql } from 'kysely'
import type { StatementLine } from '../../adapters/acquirers/port.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { PAYMENT_COLUMNS } from './store.ts'
import type { Payment } from './payment.ts'
import type { Refund } from './refund-store.ts'

/**
 * Stores each line once.
 * @returns for each line: whether it is new, and whether it differs from the line stored before
 */
export const storeLines = async (
  tx: Tx,
  acquirer: string,
  lines: readonly StatementLine[],
  at: Date,
): Promise<{ isNew: boolean; isAltered: boolean }[]> => {
  const outcomes: { isNew: boolean; isAltered: boolean }[] = []
  for (const line of lines) {
    const { kind, acquirerReference, ticker, reference = null, units, feeUnits } = line
    const { rows } =
      await sql`insert into acquirer_statement_lines(acquirer, kind, acquirer_reference, ticker, reference, units, fee_units, at, read_at)
      values (${acquirer}, ${kind}, ${acquirerReference}, ${ticker}, ${reference}, ${units}, ${feeUnits}, ${new Date(line.at)}, ${at})
      on conflict do nothing returning 1`.execute(tx)
    if (rows.length === 1) {
      outcomes.push({ isNew: true, isAltered: false })
      continue
    }
    const { rows: same } =
      await sql`select from acquirer_statement_lines where acquirer = ${acquirer} and kind = ${kind}
      and acquirer_reference = ${acquirerReference} and ticker = ${ticker} and units = ${units} and fee_units = ${feeUnits}
      and reference is not distinct from ${reference}`.execute(tx)
    outcomes.push({ isNew: false, isAltered: same.length === 0 })
  }
  return outcomes
}

type PaymentKey = Pick<Payment, 'merchantId' | 'id' | 'acquirer'>

/**
 * Assigns a statement line to a refund of ours; an earlier assignment stays. @returns undefined when no refund of that
 * amount is left
 */
export const claimRefundLine = async (
  tx: Tx,
  { merchantId, id, acquirer }: PaymentKey,
  line: StatementLine,
): Promise<string | undefined> => {
  const { acquirerReference, units } = line
  const { rows } = await sql<{
    id: string | null
  }>`update acquirer_statement_lines l set refund_id = coalesce(l.refund_id, (
      select r.id from payment_refunds r where r.merchant_id = ${merchantId} and r.payment_id = ${id} and r.acquirer = ${acquirer}
        and r.units = ${-units} and r.state in ('asked', 'done')
        and not exists (select from acquirer_statement_lines o where o.refund_id = r.id)
      order by r.created_at limit 1))
    where l.acquirer = ${acquirer} and l.kind = 'refund' and l.acquirer_reference = ${acquirerReference}
    returning l.refund_id as id`.execute(tx)
  return rows[0]?.id ?? undefined
}

/**
 * Returns how much more the refund lines of a payment state than is posted: the lines that are no refund of ours, less
 * the refunds made without us that are on no line. An acquirer's answer may have given one sum for refunds that its
 * statement lists singly, or the reverse. Minor units; negative while lines are awaited.
 */
export const statedBeyondPosted = async (tx: Tx, { merchantId, id, acquirer }: PaymentKey): Promise<bigint> => {
  const { rows } = await sql<{ units: bigint }>`select ${unclaimed} - ${unstatedForeign} as units
    from (select ${merchantId}::uuid as merchant_id, ${id}::uuid as payment_id, ${acquirer}::text as acquirer) r`.execute(
    tx,
  )
  return rows[0]!.units
}

const unclaimed = sql`coalesce((select -sum(l.units) from acquirer_statement_lines l
  where l.acquirer = r.acquirer and l.reference = r.payment_id::text and l.kind = 'refund' and l.refund_id is null and l.units < 0), 0)`

/** Refunds made without us that no statement shows; they were never sent by us. */
const unstatedForeign = sql`coalesce((select sum(f.units) from payment_refunds f
  where f.merchant_id = r.merchant_id and f.payment_id = r.payment_id and f.state = 'done' and f.sent_at is null
    and not exists (select from acquirer_statement_lines o where o.refund_id = f.id)), 0)`

/**
 * Whether another line states the same for the same payment or payout, so that one of the two is redundant. The
 * acquirer's own number decides first, then the age.
 */
export const isSaidBefore = async (
  tx: Tx,
  acquirer: string,
  line: StatementLine,
  known: string | null,
): Promise<boolean> => {
  const { rows } = await sql<{ first: string }>`select l.acquirer_reference as first from acquirer_statement_lines l
    where l.acquirer = ${acquirer} and l.reference = ${line.reference ?? ''} and l.kind = ${line.kind} and l.units = ${line.units} and l.ticker = ${line.ticker}
    order by l.acquirer_reference is not distinct from ${known}::text desc, l.read_at, l.at, l.acquirer_reference limit 1`.execute(
    tx,
  )
  return rows.length > 0 && rows[0]!.first !== line.acquirerReference
}

/** Whether a statement line is assigned to this refund. */
export const hasStatedRefund = async (tx: Tx, { id }: Pick<Refund, 'id'>): Promise<boolean> => {
  const { rows } = await sql`select from acquirer_statement_lines where refund_id = ${id} limit 1`.execute(tx)
  return rows.length > 0
}

/**
 * Removes the assignment of statement lines to a refund that was not made. The next reading of the statement books
 * them.
 * @returns whether there was one
 */
export const forgetClaimedLines = async (tx: Tx, { id }: Pick<Refund, 'id'>): Promise<boolean> => {
  const { rows } =
    await sql`update acquirer_statement_lines set refund_id = null where refund_id = ${id} returning 1`.execute(tx)
  return rows.length > 0
}

/** Returns payments posted in a period that no statement has shown yet. */
export const unstatedPayments = async (db: Db | Tx, acquirer: string, from: Date, to: Date): Promise<Payment[]> => {
  const { rows } = await sql<Payment>`select ${PAYMENT_COLUMNS} from payments p
    where p.acquirer = ${acquirer} and p.paid_units is not null
      and exists (select from ledger_transfers t where t.merchant_id = p.merchant_id and t.cause_id = p.id
        and t.cause_kind = 'payment' and t.created_at >= ${from} and t.created_at < ${to})
      and not exists (select from acquirer_statement_lines l where l.acquirer = ${acquirer} and l.kind = 'payment'
        and l.reference = p.id::text)
    order by p.created_at, p.id`.execute(db)
  return rows
}

/** Returns refunds made in a period that no statement has shown yet. */
export const unstatedRefunds = async (
  db: Db | Tx,
  acquirer: string,
  from: Date,
  to: Date,
): Promise<{ id: string; paymentId: string; ticker: string; units: bigint }[]> => {
  const { rows } = await sql<{ id: string; paymentId: string; ticker: string; units: bigint }>`
    select r.id, r.payment_id as "paymentId", r.ticker, r.units from payment_refunds r
    where r.acquirer = ${acquirer} and r.state = 'done' and r.updated_at >= ${from} and r.updated_at < ${to}
      and not exists (select from acquirer_statement_lines l where l.refund_id = r.id)
      and (r.sent_at is not null or ${unclaimed} < ${unstatedForeign})
    order by r.created_at, r.id`.execute(db)
  return rows
}

/** Returns the sums of all lines read so far from an acquirer, by currency. */
export const statedTotals = async (db: Db | Tx, acquirer: string): Promise<Map<string, bigint>> => {
  const { rows } = await sql<{ ticker: string; units: bigint }>`select ticker, sum(units - fee_units) as units
    from acquirer_statement_lines where acquirer = ${acquirer} group by ticker order by ticker`.execute(db)
  return new Map(rows.map(({ ticker, units }) => [ticker, units]))
}

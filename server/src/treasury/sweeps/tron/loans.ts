import { sql } from 'kysely'
import type { Moment } from '../../../platform/base/moment.ts'
import type { Db, Tx } from '../../../platform/db/index.ts'

/** Energy lent to a deposit address. */
export interface Loan {
  id: string
  address: string
  merchantId: string
  derivationIndex: number
  /** sun of stake */
  stake: bigint
}

/**
 * Serialises the planning of TRON sweeps, so that energy is not taken back from an address whose sweep is being
 * planned, and no sweep is planned on energy that is being taken back.
 */
export const lockTronSweeps = async (tx: Tx): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtext('sweeps TRON'))`.execute(tx)
}

export const insertLoan = async (tx: Tx, loan: Loan, lendId: string, { at }: Moment): Promise<void> => {
  await sql`insert into tron_loans(id, address, merchant_id, derivation_index, stake, lend_id, created_at)
    values (${loan.id}, ${loan.address}, ${loan.merchantId}, ${loan.derivationIndex}, ${loan.stake}, ${lendId}, ${at})`.execute(
    tx,
  )
}

/** Closes loans that were never made, or are finally returned. */
export const closeLoans = async (db: Db, at: Date): Promise<void> => {
  await sql`update tron_loans l set closed_at = ${at} where closed_at is null
    and (exists (select from outgoing o where o.id = l.lend_id and o.state in ('failed', 'abandoned'))
      or exists (select from outgoing o where o.id = l.return_id and o.state = 'final'))`.execute(db)
}

/** A borrower whose sweeps have all ended, without a return under way. */
export interface Borrower {
  address: string
  derivationIndex: number
  /** the block that holds the newest loan */
  height: number
}

/** SQL: the borrower is idle. Not while a loan is unconfirmed, because the last loan would remain. */
const IDLE = sql`not exists (select from sweeps s where s.network = 'TRON' and s.address = l.address and s.state not in ('final', 'failed', 'replaced'))
  and not exists (select from outgoing r where r.id = l.return_id and r.state not in ('failed', 'abandoned'))
  and not exists (select from tron_loans other join outgoing o on o.id = other.lend_id
    where other.address = l.address and other.closed_at is null and o.state not in ('final', 'failed', 'abandoned'))`

export const idleBorrowers = async (db: Db, most: number): Promise<Borrower[]> => {
  const { rows } =
    await sql<Borrower>`select l.address, l.derivation_index as "derivationIndex", max(o.mined_height) as height
    from tron_loans l join outgoing o on o.id = l.lend_id
    where l.closed_at is null and o.state = 'final' and o.mined_height is not null and ${IDLE}
    group by l.address, l.derivation_index order by min(l.created_at) limit ${most}`.execute(db)
  return rows
}

/**
 * Records the transaction that takes back all that an address has borrowed, or that nothing is left to return. False
 * when the address is no longer idle.
 */
export const noteReturn = async (
  tx: Tx,
  address: string,
  change: { returnId: string } | { closedAt: Date },
): Promise<boolean> => {
  const set = 'returnId' in change ? sql`return_id = ${change.returnId}` : sql`closed_at = ${change.closedAt}`
  const { rows } =
    await sql`update tron_loans l set ${set} where l.address = ${address} and l.closed_at is null and ${IDLE} returning id`.execute(
      tx,
    )
  return rows.length > 0
}

/**
 * Returns those of these addresses with no sweep of any asset and no return under way. Their resources stay until their
 * next sweep.
 */
export const quietAmong = async (db: Db | Tx, addresses: readonly string[]): Promise<Set<string>> => {
  const { rows } = await sql<{ address: string }>`select u.address from unnest(${[...addresses]}::text[]) u(address)
    where not exists (select from sweeps s where s.network = 'TRON' and s.address = u.address
        and s.state not in ('final', 'failed', 'replaced'))
      and not exists (${returning('u.address')})`.execute(db)
  return new Set(rows.map(({ address }) => address))
}

const returning = (column: string) => sql`select from tron_loans b join outgoing r on r.id = b.return_id
  where b.address = ${sql.raw(column)} and b.closed_at is null and r.state not in ('final', 'failed', 'abandoned')`

/** Returns the owners of addresses from which a transaction takes energy back. */
export const borrowersOf = async (tx: Tx, returnId: string): Promise<string[]> => {
  const { rows } = await sql<{
    merchantId: string
  }>`select merchant_id as "merchantId" from tron_loans where return_id = ${returnId} order by id`.execute(tx)
  return rows.map(({ merchantId }) => merchantId)
}

export interface OpenLoan extends Pick<Loan, 'address' | 'stake'> {
  /** states of the transactions that lend and take back; `returning` is null before the second is planned */
  lending: string
  returning: string | null
  since: Date
}

/** Returns the loans that are not closed, oldest first. */
export const openLoansOf = async (db: Db): Promise<OpenLoan[]> => {
  const { rows } =
    await sql<OpenLoan>`select l.address, l.stake, o.state as lending, r.state as returning, l.created_at as since
    from tron_loans l join outgoing o on o.id = l.lend_id left join outgoing r on r.id = l.return_id
    where l.closed_at is null order by l.created_at, l.id`.execute(db)
  return rows
}

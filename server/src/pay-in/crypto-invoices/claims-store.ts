import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { KeyedPage } from '../../platform/lists/keyed.ts'

/**
 * - requested: the payer has requested a refund; the merchant decides
 * - approved: a withdrawal pays it
 * - sent: that withdrawal is Done
 * - failed: that withdrawal is Failed, possibly after it was Done; the merchant decides again
 * - refused: the merchant keeps the money; the payer may ask again
 */
export type ClaimState = 'requested' | 'approved' | 'sent' | 'failed' | 'refused'

/** The states in which a claim waits for its merchant. */
export const UNDECIDED: readonly ClaimState[] = ['requested', 'failed']

/** A refund that the payer of an underpaid invoice requests, and the merchant's decision. */
export interface ClaimLine {
  merchantId: string
  id: string
  invoiceId: string
  state: ClaimState
  refundAddress: string
  /** units that the receiver gets, in ledger units; null until approved */
  units: bigint | null
  /** the newest withdrawal made for it */
  withdrawalId: string | null
  /** the hash of the transaction that paid it */
  hash: string | null
  /** the merchant's message to the payer */
  note: string | null
  requestedAt: Date
  decidedAt: Date | null
}

export const CLAIM_COLUMNS =
  sql.raw(`c.merchant_id as "merchantId", c.id, c.invoice_id as "invoiceId", c.state, c.refund_address as "refundAddress",
  c.units, c.withdrawal_id as "withdrawalId", c.hash, c.note, c.requested_at as "requestedAt", c.decided_at as "decidedAt"`)

/** The newest claim of an invoice. */
export const claimOf = async (db: Db | Tx, merchantId: string, invoiceId: string): Promise<ClaimLine | undefined> => {
  const { rows } = await sql<ClaimLine>`select ${CLAIM_COLUMNS} from refund_claims c
    where c.merchant_id = ${merchantId} and c.invoice_id = ${invoiceId} order by c.requested_at desc, c.id desc limit 1`.execute(
    db,
  )
  return rows[0]
}

/** The newest claims of these invoices, by invoice. */
export const claimsOf = async (
  db: Db,
  merchantId: string,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, ClaimLine>> => {
  if (invoiceIds.length === 0) return new Map()
  const { rows } = await sql<ClaimLine>`select ${CLAIM_COLUMNS} from refund_claims c
    where c.merchant_id = ${merchantId} and c.invoice_id = any(${[...invoiceIds]}::uuid[])
    order by c.requested_at, c.id`.execute(db)
  return new Map(rows.map((claim) => [claim.invoiceId, claim]))
}

/** A page of all claims at a merchant, by id. */
export const claimsById = async (
  db: Db,
  merchantId: string,
  { after, before, limit }: KeyedPage,
): Promise<ClaimLine[]> => {
  const { rows } = await sql<ClaimLine>`select ${CLAIM_COLUMNS} from refund_claims c
    where c.merchant_id = ${merchantId} and c.id > ${after} and c.requested_at < ${before}
    order by c.id limit ${limit}`.execute(db)
  return rows
}

/** A claim, named by its merchant and its id. */
export type ClaimKey = Pick<ClaimLine, 'merchantId' | 'id'>

/** Locks a claim of a merchant. */
export const lockClaim = async (tx: Tx, { merchantId, id }: ClaimKey): Promise<ClaimLine | undefined> => {
  const { rows } = await sql<ClaimLine>`select ${CLAIM_COLUMNS} from refund_claims c
    where c.merchant_id = ${merchantId} and c.id = ${id} for update`.execute(tx)
  return rows[0]
}

/** For operators, who name a claim by its id: its merchant. It reads the claims of all merchants. */
export const merchantOfClaim = async (db: Db | Tx, id: string): Promise<string | undefined> =>
  (
    await sql<{ merchantId: string }>`select merchant_id as "merchantId" from refund_claims where id = ${id}`.execute(
      db,
    )
  ).rows[0]?.merchantId

export const insertClaim = async (
  tx: Tx,
  claim: Pick<ClaimLine, 'merchantId' | 'id' | 'invoiceId' | 'refundAddress' | 'requestedAt'>,
): Promise<void> => {
  await sql`insert into refund_claims(merchant_id, id, invoice_id, state, refund_address, requested_at)
    values (${claim.merchantId}, ${claim.id}, ${claim.invoiceId}, 'requested', ${claim.refundAddress}, ${claim.requestedAt})`.execute(
    tx,
  )
}

/** Returns the claim that a withdrawal pays, locked. */
export const lockClaimPaidBy = async (
  tx: Tx,
  merchantId: string,
  withdrawalId: string,
): Promise<ClaimLine | undefined> => {
  const { rows } = await sql<ClaimLine>`select ${CLAIM_COLUMNS} from refund_claims c
    where c.merchant_id = ${merchantId} and c.withdrawal_id = ${withdrawalId} for update`.execute(tx)
  return rows[0]
}

/** Stores how the withdrawal of an approved claim ended, or that it failed after it was sent. */
export const endClaim = async (
  tx: Tx,
  { merchantId, id }: ClaimKey,
  end: { state: 'sent'; hash: string | null } | { state: 'failed' },
): Promise<void> => {
  await sql`update refund_claims set state = ${end.state}, hash = ${end.state === 'sent' ? end.hash : null}
    where merchant_id = ${merchantId} and id = ${id}
      and (state = 'approved' or (state = 'sent' and ${end.state} = 'failed'))`.execute(tx)
}

/** The decision of a merchant about a claim; `units`: that the receiver gets, in ledger units. */
type Decision = { state: 'approved'; units: bigint; withdrawalId: string } | { state: 'refused' }

/**
 * Decides a waiting claim. Returns false if it is not waiting any more. The api may refuse a claim, and has no right to
 * name a withdrawal that pays one.
 */
export const decideClaim = async (
  tx: Tx,
  { merchantId, id }: ClaimKey,
  { note, ...decision }: Decision & { note: string | null },
  at: Date,
): Promise<boolean> => {
  const paid =
    decision.state === 'approved'
      ? sql`units = ${decision.units}, withdrawal_id = ${decision.withdrawalId}`
      : sql`units = null`
  const { numAffectedRows } = await sql`update refund_claims set state = ${decision.state}, ${paid}, note = ${note},
      decided_at = ${at}
    where merchant_id = ${merchantId} and id = ${id} and state = any(${[...UNDECIDED]}::text[])`.execute(tx)
  return numAffectedRows === 1n
}

/** A claim with the data that a decision needs. */
export interface ClaimDetail extends ClaimLine {
  name: string
  email: string | null
  ticker: string
  blockchain: Network
  /** units credited for the invoice, and their fees; ledger units */
  paid: bigint
  fee: bigint
}

export const DETAIL_COLUMNS = sql.raw(
  'i.name, i.email, i.ticker, i.blockchain, i.paid_units as paid, i.fee_units as fee',
)

/** Returns claims in a state, oldest first; claims in all states if none is given. */
export const listClaims = async (
  db: Db | Tx,
  filter: { merchantId?: string; states?: readonly ClaimState[] },
): Promise<ClaimDetail[]> => {
  const { rows } = await sql<ClaimDetail>`select ${CLAIM_COLUMNS}, ${DETAIL_COLUMNS}
    from refund_claims c join crypto_invoices i on i.merchant_id = c.merchant_id and i.id = c.invoice_id
      and i.ticker is not null and i.blockchain is not null
    where ${filter.merchantId === undefined ? sql`true` : sql`c.merchant_id = ${filter.merchantId}`}
      and ${filter.states === undefined ? sql`true` : sql`c.state = any(${[...filter.states]}::text[])`}
    order by c.requested_at, c.id`.execute(db)
  return rows
}

/** The rows of this module that a merchant takes with its archive, with the mail addresses of its members. */
import { sql } from 'kysely'
import { emailsOf } from '../../people/access/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { LEAST_ID } from '../../platform/lists/page.ts'
import type { KeyedPage } from '../../platform/lists/keyed.ts'
import { readRules, type PayoutRules } from './rules.ts'
import { REQUEST_COLUMNS, type PayoutRequest, type StoredLine } from './store.ts'

/** A person's mail address; null: no person. */
type ByPerson = string | null

const namesOf = async (db: Db, ids: readonly (string | null)[]): Promise<(id: string | null) => ByPerson> => {
  const emails = await emailsOf(db, [...new Set(ids.filter((id) => id !== null))])
  return (id) => (id === null ? null : (emails.get(id) ?? null))
}

export interface ArchivedRequest extends Omit<PayoutRequest, 'makerId' | 'decidedBy' | 'contentHash'> {
  maker: ByPerson
  decidedBy: ByPerson
}

/** A page of the requests of a merchant that were made before a time, oldest first. `after`: the id of a request. */
export const requestsInOrder = async (
  db: Db,
  merchantId: string,
  { after, before, limit }: KeyedPage,
): Promise<ArchivedRequest[]> => {
  const { rows } = await sql<PayoutRequest>`select ${REQUEST_COLUMNS} from payout_requests r
    where r.merchant_id = ${merchantId} and r.created_at < ${before}
      and (${after}::uuid = ${LEAST_ID}::uuid or (r.created_at, r.id) > (select b.created_at, b.id from payout_requests b
        where b.merchant_id = ${merchantId} and b.id = ${after}::uuid))
    order by r.created_at, r.id limit ${limit}`.execute(db)
  const nameOf = await namesOf(
    db,
    rows.flatMap(({ makerId, decidedBy }) => [makerId, decidedBy]),
  )
  return rows.map(({ makerId, decidedBy, contentHash: _, ...row }) => ({
    ...row,
    maker: nameOf(makerId),
    decidedBy: nameOf(decidedBy),
  }))
}

export type ArchivedLine = StoredLine & { requestId: string; endedAt: Date | null }

/** The lines of requests of a merchant. */
export const linesOfRequests = async (
  db: Db,
  merchantId: string,
  requestIds: readonly string[],
): Promise<ArchivedLine[]> =>
  (
    await sql<ArchivedLine>`select request_id as "requestId", number, ticker, blockchain, to_address as "to", units,
        fee_limit as "feeLimit", meta, state, withdrawal_id as "withdrawalId", reason, ended_at as "endedAt"
      from payout_lines where merchant_id = ${merchantId} and request_id = any(${[...requestIds]}::uuid[])
      order by request_id, number`.execute(db)
  ).rows

/** The approvals of requests of a merchant. */
export const approvalsOfRequests = async (
  db: Db,
  merchantId: string,
  requestIds: readonly string[],
): Promise<{ requestId: string; by: ByPerson; at: Date }[]> => {
  const { rows } = await sql<{ requestId: string; personId: string; at: Date }>`select request_id as "requestId",
      person_id as "personId", at from payout_approvals
    where merchant_id = ${merchantId} and request_id = any(${[...requestIds]}::uuid[]) order by at, request_id`.execute(
    db,
  )
  const nameOf = await namesOf(
    db,
    rows.map(({ personId }) => personId),
  )
  return rows.map(({ requestId, personId, at }) => ({ requestId, by: nameOf(personId), at }))
}

export interface ArchivedAddress {
  id: string
  name: string
  blockchain: string
  address: string
  addedBy: ByPerson
  addedAt: Date
  usableAt: Date
  removedBy: ByPerson
  removedAt: Date | null
}

/** Every address that a merchant's book has or had, oldest first. */
export const everyAddress = async (db: Db, merchantId: string): Promise<ArchivedAddress[]> => {
  const { rows } = await sql<ArchivedAddress & { addedBy: string }>`select id, name, blockchain, address,
      added_by as "addedBy", added_at as "addedAt", usable_at as "usableAt", removed_by as "removedBy",
      removed_at as "removedAt" from payout_addresses where merchant_id = ${merchantId} order by added_at, id`.execute(
    db,
  )
  const nameOf = await namesOf(
    db,
    rows.flatMap(({ addedBy, removedBy }) => [addedBy, removedBy]),
  )
  return rows.map((row) => ({ ...row, addedBy: nameOf(row.addedBy), removedBy: nameOf(row.removedBy) }))
}

export interface ArchivedPolicy {
  version: number
  rules: PayoutRules
  madeBy: ByPerson
  madeAt: Date
  inForceAt: Date
}

/** Every version of a merchant's policy, oldest first. */
export const everyPolicy = async (db: Db, merchantId: string): Promise<ArchivedPolicy[]> => {
  const { rows } = await sql<
    Omit<ArchivedPolicy, 'rules' | 'madeBy'> & { rules: Parameters<typeof readRules>[0]; madeBy: string }
  >`select version, rules, made_by as "madeBy", made_at as "madeAt", in_force_at as "inForceAt" from payout_policies
    where merchant_id = ${merchantId} order by version`.execute(db)
  const nameOf = await namesOf(
    db,
    rows.map(({ madeBy }) => madeBy),
  )
  return rows.map(({ rules, madeBy, ...row }) => ({ ...row, rules: readRules(rules), madeBy: nameOf(madeBy) }))
}

/** Requests of a merchant, as its members see them. */
import { sql, type RawBuilder } from 'kysely'
import { emailsOf, memberSince } from '../../people/access/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { keyOf, knownAddresses } from './address-book.ts'
import { approvalsFor, refundedOf } from './approving.ts'
import { CARD_NETWORK } from './content.ts'
import {
  approvalsOf,
  isPresent,
  linesOf,
  REQUEST_COLUMNS,
  WAITS_MS,
  type PayoutRequest,
  type StoredLine,
} from './store.ts'

/** A request in a list, with its first line. */
export interface RequestRow extends PayoutRequest {
  maker: string
  lines: number
  approvals: number
  ticker: string
  blockchain: string
  to: string
  units: bigint
}

/** SQL: a request waits at a time, or is being placed. It reads no request that has ended long before. */
const isOpen = (merchantId: string, at: Date): RawBuilder<boolean> =>
  sql`r.id in (select w.id from payout_requests w where w.merchant_id = ${merchantId} and w.state = 'waiting'
      and w.expires_at > ${at} and w.created_at > ${new Date(at.getTime() - WAITS_MS)}
    union all select p.id from payout_requests p where p.merchant_id = ${merchantId} and p.state = 'placing')`

/**
 * A page of the requests of a merchant, newest first.
 * @param given `after`: the id of the last request of the page before; `isRefund`: refunds only
 */
export const listRequests = async (
  db: Db,
  merchantId: string,
  {
    after,
    limit,
    openAt,
    isRefund = false,
  }: { after: string | null; limit: number; openAt: Date | null; isRefund?: boolean },
): Promise<{ rows: RequestRow[]; hasMore: boolean }> => {
  const { rows } = await sql<Omit<RequestRow, 'maker'>>`select ${REQUEST_COLUMNS}, l.ticker, l.blockchain,
      l.to_address as "to", l.units,
      (select count(*)::int from payout_lines c where c.request_id = r.id) as lines,
      (select count(*)::int from payout_approvals a where a.request_id = r.id) as approvals
    from payout_requests r join payout_lines l on l.request_id = r.id and l.number = 1
    where r.merchant_id = ${merchantId}
      and ${openAt === null ? sql`true` : isOpen(merchantId, openAt)}
      and (not ${isRefund}::boolean or r.refund_of is not null)
      and (${after}::uuid is null or (r.created_at, r.id) < (select b.created_at, b.id from payout_requests b
        where b.merchant_id = ${merchantId} and b.id = ${after}::uuid))
    order by r.created_at desc, r.id desc limit ${limit + 1}`.execute(db)
  const shown = rows.slice(0, limit)
  const emails = await emailsOf(db, [...new Set(shown.map(({ makerId }) => makerId))])
  return { rows: shown.map((row) => ({ ...row, maker: emails.get(row.makerId)! })), hasMore: rows.length > limit }
}

export interface RequestLine extends StoredLine {
  /** an address that is not in the address book, or not long enough */
  isNew: boolean
  /** more than any payout of this asset that was placed in 90 days; false without such a payout */
  isAboveUsual: boolean
}

export interface RequestDetail extends PayoutRequest {
  maker: string
  /** who placed, refused or withdrew it */
  decider: string | undefined
  lines: RequestLine[]
  /** without those of members who were removed and added again since */
  approvals: { personId: string; email: string; at: Date }[]
  /** by the policy in force now; 0: the maker pays alone */
  needed: number
}

const USUAL_MS = 90 * 24 * 3_600_000

/** A request of a merchant with its lines and what speaks for care; undefined if the merchant has none of this id. */
export const readRequest = async (
  db: Db,
  merchantId: string,
  id: string,
  now: Date,
): Promise<RequestDetail | undefined> => {
  const { rows } = await sql<PayoutRequest>`select ${REQUEST_COLUMNS} from payout_requests r
    where r.merchant_id = ${merchantId} and r.id = ${id}`.execute(db)
  const request = rows[0]
  if (!request) return undefined
  const since = await memberSince(db, merchantId)
  const approvals = (await approvalsOf(db, id)).filter((approval) => isPresent(since, approval))
  const lines = await linesOf(db, id)
  const known = await knownAddresses(db, merchantId, now)
  const usual = await largestSince(db, merchantId, new Date(now.getTime() - USUAL_MS))
  const { makerId, decidedBy } = request
  const ids = [makerId, ...(decidedBy === null ? [] : [decidedBy]), ...approvals.map(({ personId }) => personId)]
  const emails = await emailsOf(db, ids)
  return {
    ...request,
    maker: emails.get(makerId)!,
    decider: decidedBy === null ? undefined : emails.get(decidedBy),
    lines: lines.map((line) => ({
      ...line,
      isNew: line.blockchain !== CARD_NETWORK && !known.has(keyOf(line.blockchain, line.to)),
      isAboveUsual: line.units > (usual.get(line.ticker) ?? line.units),
    })),
    approvals: approvals.map(({ personId, at }) => ({ personId, email: emails.get(personId)!, at })),
    needed: await approvalsFor(db, merchantId, { lines, refunded: refundedOf(request) }, now),
  }
}

const largestSince = async (db: Db, merchantId: string, since: Date): Promise<Map<string, bigint>> => {
  const { rows } = await sql<{ ticker: string; units: bigint }>`select ticker, max(units) as units from payout_lines
    where merchant_id = ${merchantId} and state = 'placed' and ended_at > ${since} group by ticker`.execute(db)
  return new Map(rows.map(({ ticker, units }) => [ticker, units]))
}

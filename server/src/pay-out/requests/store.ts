import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { statesTaking } from '../../platform/base/moves.ts'
import type { PayoutLine, Refunded } from './content.ts'
import { requestMoves, stateAfter, type RequestEvent, type RequestState } from './machine.ts'

export interface PayoutRequest {
  id: string
  merchantId: string
  /** a payout of a form, a file of payouts, a payout to a card, or a refund */
  kind: 'one' | 'file' | 'to-card' | Refunded['kind']
  /** of the file; empty for one payout */
  name: string
  state: RequestState
  makerId: string
  contentHash: Buffer
  createdAt: Date
  expiresAt: Date
  decidedBy: string | null
  decidedAt: Date | null
  reason: string | null
  /** the claim or the card payment that a refund returns */
  refundOf: string | null
  /** what was refunded of a card payment before, in minor units; null: no refund of a card */
  refundedBefore: bigint | null
  /** the invoice that it belongs to */
  invoiceId: string | null
}

export interface StoredLine extends PayoutLine {
  state: 'waiting' | 'placed' | 'failed'
  withdrawalId: string | null
  reason: string | null
}

export const REQUEST_COLUMNS =
  sql.raw(`r.id, r.merchant_id as "merchantId", r.kind, r.name, r.state, r.maker_id as "makerId",
  r.content_hash as "contentHash", r.created_at as "createdAt", r.expires_at as "expiresAt", r.decided_by as "decidedBy",
  r.decided_at as "decidedAt", r.reason, r.refund_of as "refundOf",
  r.refunded_before as "refundedBefore", r.invoice_id as "invoiceId"`)

const LINE_COLUMNS =
  sql.raw(`number, ticker, blockchain, to_address as "to", units, fee_limit as "feeLimit", meta, state,
  withdrawal_id as "withdrawalId", reason`)

/** Stores a request with its lines. Returns the id of the request that this form has made before, if any. */
export const insertRequest = async (
  tx: Tx,
  request: Omit<PayoutRequest, 'state' | 'decidedBy' | 'decidedAt' | 'reason'> & { formKey: string },
  lines: readonly PayoutLine[],
): Promise<string | undefined> => {
  const { id, merchantId, kind, formKey, name, makerId, contentHash, createdAt, expiresAt, refundOf, invoiceId } =
    request
  const before = request.refundedBefore === null ? null : `${request.refundedBefore}`
  const { rows } =
    await sql`insert into payout_requests(id, merchant_id, kind, form_key, name, state, maker_id, content_hash, created_at, expires_at,
      refund_of, refunded_before, invoice_id)
    values (${id}, ${merchantId}, ${kind}, ${formKey}, ${name}, 'waiting', ${makerId}, ${contentHash}, ${createdAt}, ${expiresAt},
      ${refundOf}, ${before}::numeric, ${invoiceId})
    on conflict (merchant_id, form_key) do nothing returning 1`.execute(tx)
  if (rows.length === 0) {
    const { rows: made } = await sql<{ id: string }>`select id from payout_requests
      where merchant_id = ${merchantId} and form_key = ${formKey}`.execute(tx)
    return made[0]!.id
  }
  await sql`insert into payout_lines(request_id, number, merchant_id, ticker, blockchain, to_address, units, fee_limit, meta, state)
    select ${id}, l.number, ${merchantId}, l.ticker, l.blockchain, l.to_address, l.units, l.fee_limit, l.meta, 'waiting'
    from unnest(${lines.map((l) => l.number)}::int[], ${lines.map((l) => l.ticker)}::text[],
      ${lines.map((l) => l.blockchain)}::text[], ${lines.map((l) => l.to)}::text[], ${lines.map((l) => `${l.units}`)}::numeric[],
      ${lines.map((l) => `${l.feeLimit}`)}::numeric[], ${lines.map((l) => l.meta)}::text[])
      as l(number, ticker, blockchain, to_address, units, fee_limit, meta)`.execute(tx)
  return undefined
}

/** The open request of a refund: one that waits and has not expired, or is being placed. */
export const openRefundOf = async (
  db: Db | Tx,
  merchantId: string,
  refundOf: string,
  at: Date,
): Promise<{ id: string } | undefined> =>
  (
    await sql<{
      id: string
    }>`select id from payout_requests where merchant_id = ${merchantId} and refund_of = ${refundOf}
      and (state = 'placing' or (state = 'waiting' and expires_at > ${at})) order by created_at, id limit 1`.execute(db)
  ).rows[0]

/** Requests whose lines are to be placed now, the one that was tried the longest ago first. */
export const placingRequests = async (db: Db, most: number, now: Date): Promise<PayoutRequest[]> =>
  (
    await sql<PayoutRequest>`select ${REQUEST_COLUMNS} from payout_requests r
      where r.state = 'placing' and (r.not_before is null or r.not_before <= ${now})
      order by coalesce(r.not_before, r.decided_at), r.id limit ${most}`.execute(db)
  ).rows

/** Delays the next try of a request that is being placed, and puts it behind those that were tried before. */
export const postponeRequest = async (
  db: Db,
  { merchantId, id }: Pick<PayoutRequest, 'merchantId' | 'id'>,
  until: Date,
): Promise<void> => {
  await sql`update payout_requests set not_before = ${until}
    where merchant_id = ${merchantId} and id = ${id} and state = 'placing'`.execute(db)
}

/** The lines of a request that wait, by number. */
export const waitingLines = async (
  db: Db,
  requestId: string,
): Promise<Pick<StoredLine, 'number' | 'ticker' | 'blockchain'>[]> =>
  (
    await sql<Pick<StoredLine, 'number' | 'ticker' | 'blockchain'>>`select number, ticker, blockchain from payout_lines
      where request_id = ${requestId} and state = 'waiting' order by number`.execute(db)
  ).rows

/** Whether a line of a request waits. */
export const hasWaiting = async (tx: Tx, requestId: string): Promise<boolean> =>
  (await sql`select from payout_lines where request_id = ${requestId} and state = 'waiting' limit 1`.execute(tx)).rows
    .length > 0

/** A request that waits for so long has expired. */
export const WAITS_MS = 72 * 3_600_000

/** SQL: how many requests of a merchant wait for a decision at a time of the real clock, at most `most`. */
export const countWaiting = (merchantId: string, at: Date, most: number): RawBuilder<number> =>
  sql`(select count(*) from (select from payout_requests where merchant_id = ${merchantId} and state = 'waiting'
    and expires_at > ${at} and created_at > ${new Date(at.getTime() - WAITS_MS)} limit ${most}) w)`

/** Requests whose states `newestStates` reads: those of the first page of the list. */
const NEWEST = 30

/** SQL: the states of the newest requests of a merchant, as one text. @param merchant SQL of the merchant's id */
export const newestStates = (merchant: RawBuilder<string>): RawBuilder<string | null> =>
  sql`(select string_agg(state, ' ' order by created_at, id) from (select state, created_at, id from payout_requests
    where merchant_id = ${merchant} order by created_at desc, id desc limit ${NEWEST}) r)`

/** Why a line of a request has failed; undefined if none has. */
export const failureIn = async (tx: Tx, requestId: string): Promise<string | undefined> =>
  (
    await sql<{ reason: string }>`select coalesce(reason, '') as reason from payout_lines
      where request_id = ${requestId} and state = 'failed' order by number limit 1`.execute(tx)
  ).rows[0]?.reason

/** One line of a request, if it waits. */
export const waitingLine = async (tx: Tx, requestId: string, number: number): Promise<StoredLine | undefined> =>
  (
    await sql<StoredLine>`select ${LINE_COLUMNS} from payout_lines
      where request_id = ${requestId} and number = ${number} and state = 'waiting'`.execute(tx)
  ).rows[0]

/** Locks a request of a merchant. */
export const lockRequest = async (tx: Tx, merchantId: string, id: string): Promise<PayoutRequest | undefined> =>
  (
    await sql<PayoutRequest>`select ${REQUEST_COLUMNS} from payout_requests r
      where r.merchant_id = ${merchantId} and r.id = ${id} for update`.execute(tx)
  ).rows[0]

export const linesOf = async (db: Db | Tx, requestId: string): Promise<StoredLine[]> =>
  (
    await sql<StoredLine>`select ${LINE_COLUMNS} from payout_lines where request_id = ${requestId} order by number`.execute(
      db,
    )
  ).rows

/** Moves a request by its state machine, with compare-and-set. Returns false if its state does not allow the event. */
export const moveRequest = async (
  tx: Tx,
  { merchantId, id }: Pick<PayoutRequest, 'merchantId' | 'id'>,
  event: RequestEvent,
  { by, at, reason = null }: { by: string; at: Date; reason?: string | null },
): Promise<boolean> => {
  const from = statesTaking(requestMoves, event)
  const { rows } = await sql`update payout_requests set state = ${stateAfter(from[0]!, event)!}, decided_by = ${by},
      decided_at = ${at}, reason = ${reason}
    where merchant_id = ${merchantId} and id = ${id} and state = any(${from}) returning 1`.execute(tx)
  return rows.length > 0
}

/** Stores which lines of an approved request count in the sum that members pay alone: those of these tickers. */
export const markAlone = async (tx: Tx, requestId: string, tickers: readonly string[]): Promise<void> => {
  await sql`update payout_lines set alone = ticker = any(${[...tickers]}::text[]) where request_id = ${requestId}`.execute(
    tx,
  )
}

export const endLine = async (
  tx: Tx,
  { requestId, number }: { requestId: string; number: number },
  end: { withdrawalId: string } | { reason: string },
  at: Date,
): Promise<void> => {
  const [withdrawalId, reason] = 'reason' in end ? [null, end.reason] : [end.withdrawalId, null]
  await sql`update payout_lines set state = ${withdrawalId === null ? 'failed' : 'placed'}, withdrawal_id = ${withdrawalId},
      reason = ${reason}, ended_at = ${at}
    where request_id = ${requestId} and number = ${number} and state = 'waiting'`.execute(tx)
}

/**
 * Stores an approval of a locked request. Returns false if the person has approved it before, as the member that they
 * are now. @param since when they became a member
 */
export const insertApproval = async (
  tx: Tx,
  { id, merchantId, contentHash }: Pick<PayoutRequest, 'id' | 'merchantId' | 'contentHash'>,
  { personId, since }: { personId: string; since: Date },
  at: Date,
): Promise<boolean> => {
  const { rows } = await sql`insert into payout_approvals(request_id, person_id, merchant_id, content_hash, at)
    select ${id}, ${personId}, ${merchantId}, ${contentHash}, ${at} where not exists (select from payout_approvals
      where request_id = ${id} and person_id = ${personId} and at >= ${since}) returning 1`.execute(tx)
  return rows.length > 0
}

export interface Approval {
  personId: string
  contentHash: Buffer
  at: Date
}

/** Whether an approval was made since its person became a member for the last time. */
export const isPresent = (
  since: ReadonlyMap<string, Date>,
  { personId, at }: Pick<Approval, 'personId' | 'at'>,
): boolean => at >= (since.get(personId) ?? at)

export const approvalsOf = async (db: Db | Tx, requestId: string): Promise<Approval[]> =>
  (
    await sql<Approval>`select person_id as "personId", content_hash as "contentHash", at from payout_approvals
      where request_id = ${requestId} order by at, person_id`.execute(db)
  ).rows

/** Sums of payouts of one asset in ledger units. */
export interface Paid {
  hour: bigint
  day: bigint
  /** in 24 hours, without all approvals of its rule */
  alone: bigint
}

const HOUR_MS = 3_600_000

/** What a merchant has paid in this way before a time, by ticker. Lines that are being placed count. */
export const paidBefore = async (db: Db | Tx, merchantId: string, at: Date): Promise<Map<string, Paid>> => {
  const [hourAgo, dayAgo] = [new Date(at.getTime() - HOUR_MS), new Date(at.getTime() - 24 * HOUR_MS)]
  const { rows } = await sql<Paid & { ticker: string }>`select ticker,
      coalesce(sum(units) filter (where ended_at is null or ended_at > ${hourAgo}), 0) as hour, sum(units) as day,
      coalesce(sum(units) filter (where coalesce(l.alone,
        not exists (select from payout_approvals a where a.request_id = l.request_id))), 0) as alone
    from (
      select ticker, units, ended_at, request_id, alone from payout_lines
        where merchant_id = ${merchantId} and state = 'placed' and ended_at > ${dayAgo}
      union all select p.ticker, p.units, p.ended_at, p.request_id, p.alone from payout_requests r
        join payout_lines p on p.request_id = r.id
        where r.state = 'placing' and r.merchant_id = ${merchantId} and p.state = 'waiting') l
    group by ticker`.execute(db)
  return new Map(rows.map(({ ticker, ...paid }) => [ticker, paid]))
}

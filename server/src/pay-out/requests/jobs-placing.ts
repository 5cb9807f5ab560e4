/** Places the payouts of approved files, one by one, and approved payouts to cards, and makes approved refunds. */
import { ApiRefusal } from '../../platform/api/route.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { forEachIsolated, isolated, type Job } from '../../platform/jobs/index.ts'
import { wasRestoredSince } from '../../platform/runtime/installation.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { type Now, nowOf } from '../../people/access/index.ts'
import type { Rules } from '../withdrawals/index.ts'
import { canWait, placeLine, refundedOf } from './approving.ts'
import { requireServed } from './asking.ts'
import type { PayoutLine, Refunded } from './content.ts'
import { PayoutProblem, type PayoutTrouble } from './problem.ts'
import { placeCardPayout, tendCards, type CardPlacingDeps } from './to-cards.ts'
import {
  endLine,
  failureIn,
  hasWaiting,
  lockRequest,
  moveRequest,
  placingRequests,
  postponeRequest,
  waitingLine,
  waitingLines,
  type PayoutRequest,
} from './store.ts'

interface PlacingJobDeps {
  runtime: Runtime
  rules: Rules
  refunds: RefundMakers
  toCards: CardPlacingDeps
}

/** An approved refund. */
export interface ApprovedRefund {
  merchantId: string
  /** the claim or the card payment */
  refundOf: string
  makerId: string
  /** what was refunded of the card payment when its refund was requested, in minor units; null: a claim */
  before: bigint | null
  line: PayoutLine
}

/**
 * Make refunds in the transaction of the job, for modules that this one can't import. Each returns the id of the
 * withdrawal or of the card refund, and throws a RefundImpossible, an ApiRefusal or a PayoutProblem.
 */
export type RefundMakers = Readonly<
  Record<Refunded['kind'], (tx: Tx, refund: ApprovedRefund, now: Now) => Promise<string>>
>

/** A refund that can't be made: why, in words for the members. */
export class RefundImpossible extends Error {
  override name = 'RefundImpossible'
}

const REQUESTS = 20
/** Payouts of one file that are placed before the other files have their turn. */
const LINES = 50
/** A file with payouts that are stopped is tried again after this time. */
const PAUSE_MS = 30_000
/** A payout that is stopped, or whose fee is unknown, is tried for so long after the approval. */
const LONGEST_MS = 24 * 3_600_000
const REASONS: Partial<Record<PayoutTrouble, string>> = {
  fee: 'the fee is more than twice the fee at the time of the request',
  'not-served': 'the merchant is disabled or has ended',
  expired: 'the number of the card was erased, because the request had expired',
  changed: 'the amount or the address is no longer the approved one',
}

const NOT_PLACED = 'it could not be placed within 24 hours of its approval'

/** Each payout or refund is placed in one transaction with the state of its line: once, whatever is killed. */
export const createPlacingJob = (deps: PlacingJobDeps, everyMs: number): Job => ({
  name: 'approved files and refunds',
  everyMs,
  run: async (signal) => {
    await tendCards(deps.runtime.db, deps.toCards.cards, nowOf(deps.runtime).real)
    const requests = await placingRequests(deps.runtime.db, REQUESTS, nowOf(deps.runtime).real)
    let hasMore = requests.length === REQUESTS
    await forEachIsolated(requests, async (request) => {
      if (await placeSome(deps, request, signal)) hasMore = true
    })
    return hasMore && !signal.aborted
  },
})

/**
 * Places the next payouts of a file. After one that is stopped, it tries no other one of the same asset on the same
 * network. Returns true if the file has more that can be tried at once.
 */
const placeSome = async (deps: PlacingJobDeps, request: PayoutRequest, signal: AbortSignal): Promise<boolean> => {
  const { db } = deps.runtime
  const stopped = new Set<string>()
  let tried = 0
  let isCut = false
  const fail = await isolated(await waitingLines(db, request.id), async ({ number, ticker, blockchain }) => {
    const place = `${ticker}/${blockchain}`
    if (stopped.has(place)) return
    isCut ||= signal.aborted || tried === LINES
    if (isCut) return
    tried += 1
    if (await placeOne(deps, request, number)) stopped.add(place)
  })
  const pause = isCut || stopped.size === 0 ? 0 : PAUSE_MS
  await postponeRequest(db, request, new Date(nowOf(deps.runtime).real.getTime() + pause))
  if (!isCut) await endPlaced(deps, request)
  fail()
  return isCut
}

/** Ends a request that has no line that waits. A refund or a payout to a card that was not made has failed. */
const endPlaced = ({ runtime }: Pick<PlacingJobDeps, 'runtime'>, { merchantId, id }: PayoutRequest): Promise<void> =>
  inTransaction(runtime.db, async (tx) => {
    const found = await lockRequest(tx, merchantId, id)
    if (!found || (await hasWaiting(tx, id))) return
    const by = { by: found.decidedBy!, at: found.decidedAt! }
    const failure = found.kind === 'file' ? undefined : await failureIn(tx, id)
    if (failure === undefined) await moveRequest(tx, found, 'ended', by)
    else await moveRequest(tx, found, 'unplaced', { ...by, reason: failure })
  })

/** Returns true if the payout is stopped, or its fee is unknown: it still waits. */
const placeOne = async (
  { runtime, rules, refunds, toCards }: PlacingJobDeps,
  request: PayoutRequest,
  number: number,
): Promise<boolean> => {
  const now = nowOf(runtime)
  const { merchantId, id, decidedAt } = request
  try {
    await inTransaction(runtime.db, async (tx) => {
      const line = await lockedLine(tx, request, number)
      if (!line) return
      await requireServed(tx, merchantId)
      if (request.kind === 'to-card') {
        const payoutId = await placeCardPayout(tx, request, line, toCards, now)
        return endLine(tx, { requestId: id, number }, { withdrawalId: payoutId }, now.real)
      }
      const refunded = refundedOf(request)
      if (refunded === null) return placeLine(tx, request, line, rules, now)
      const { kind, ...of } = refunded
      const withdrawalId = await refunds[kind](tx, { merchantId, ...of, makerId: request.makerId, line }, now)
      await endLine(tx, { requestId: id, number }, { withdrawalId }, now.real)
    })
    return false
  } catch (error) {
    const isLate = now.real.getTime() - decidedAt!.getTime() > LONGEST_MS
    // The time that a restored database has lost may have paid the card. Only placing asks the acquirers.
    const mayBePaid = request.kind === 'to-card' && (await wasRestoredSince(runtime.db, decidedAt!))
    const reason = reasonOf(error) ?? (request.kind === 'to-card' && isLate && !mayBePaid ? NOT_PLACED : undefined)
    if (reason === undefined) throw error
    if (mayBePaid && !isErased(error)) return true
    if (error instanceof ApiRefusal && canWait(error) && !isLate) return true
    await inTransaction(runtime.db, async (tx) => {
      if (await lockedLine(tx, { merchantId, id }, number))
        await endLine(tx, { requestId: id, number }, { reason }, now.real)
    })
    return false
  }
}

/** The line, if it still waits. Another worker waits for the end of this transaction. */
const lockedLine = async (tx: Tx, { merchantId, id }: Pick<PayoutRequest, 'merchantId' | 'id'>, number: number) => {
  const request = await lockRequest(tx, merchantId, id)
  if (request?.state !== 'placing') return undefined
  return waitingLine(tx, id, number)
}

const isErased = (error: unknown): boolean =>
  error instanceof PayoutProblem && (error.trouble === 'expired' || error.trouble === 'changed')

/** Why a payout is refused; undefined: the error is no refusal. */
const reasonOf = (error: unknown): string | undefined => {
  if (error instanceof ApiRefusal || error instanceof RefundImpossible) return error.message
  return error instanceof PayoutProblem ? REASONS[error.trouble] : undefined
}

/** Approvals of requests. The last one that is needed places the withdrawal, in the same transaction. */
import { orderErrors } from '@bursar/contract'
import { ApiRefusal } from '../../platform/api/route.ts'
import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import {
  authoriseSession,
  can,
  lockTeam,
  memberSince,
  type Now,
  recordOf,
  type Session,
} from '../../people/access/index.ts'
import { askWithdrawal, type Rules } from '../withdrawals/index.ts'
import { ACTIONS, MAKING, requireInBook, requireServed } from './asking.ts'
import { lockSums, paidByApi, type PaidByApi, sumOf } from './api-sums.ts'
import { contentHash, type Refunded, totalsOf, type PayoutLine } from './content.ts'
import { readPolicy } from './policy.ts'
import { PayoutProblem } from './problem.ts'
import { allowsHour, ruleOf, type PayoutRules } from './rules.ts'
import {
  approvalsOf,
  endLine,
  insertApproval,
  isPresent,
  linesOf,
  lockRequest,
  markAlone,
  moveRequest,
  paidBefore,
  type Paid,
  type PayoutRequest,
} from './store.ts'

/** The request that a person approves, with the hash of what they saw, in hexadecimal. */
export interface Approved {
  merchantId: string
  id: string
  shown: string
}

/**
 * - placed: the withdrawal exists; placing: the worker makes those of a file
 * - counted: it needs more approvals
 * - refused: the rules of withdrawals refuse it: now (the request still waits, without this approval), or for good
 *   (the request has ended)
 */
export type ApprovalResult =
  | { kind: 'placed' | 'placing' }
  | { kind: 'counted'; missing: number }
  | { kind: 'refused'; why: string; isFinal: boolean }

/**
 * Approves a request, or places one that needs no approval for its maker.
 * @throws NotAllowed, ProofNeeded or a PayoutProblem
 */
export const approveRequest = async (
  db: Db,
  session: Session,
  approved: Approved,
  rules: Rules,
  now: Now,
): Promise<ApprovalResult> => {
  try {
    return await inTransaction(db, (tx) => approveWithin(tx, session, approved, rules, now))
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    const isFinal = isForGood(error)
    if (isFinal) await inTransaction(db, (tx) => fail(tx, session, approved, error.message, now))
    return { kind: 'refused', why: error.message, isFinal }
  }
}

/** Whether a refusal is of payments that are stopped, or of a fee that is unknown: it ends without the merchant. */
export const canWait = ({ status }: ApiRefusal): boolean => status !== orderErrors.invalidOrder.status

/** A balance can rise and a stop can end; a destination or an amount that is refused stays so. */
const isForGood = (refusal: ApiRefusal): boolean =>
  !canWait(refusal) && refusal.code !== orderErrors.notEnoughBalance.code

const approveWithin = async (
  tx: Tx,
  session: Session,
  { merchantId, id, shown }: Approved,
  rules: Rules,
  now: Now,
): Promise<ApprovalResult> => {
  const personId = session.person.id
  // Approvals, policies and members of a merchant change one after another.
  await lockTeam(tx, session, merchantId)
  const request = await lockRequest(tx, merchantId, id)
  const isMaker = request?.makerId === personId
  const asked = isMaker ? MAKING[request.kind] : 'approve-payouts'
  await authoriseSession(tx, session, { merchantId, action: asked, needsProof: true })
  await requireServed(tx, merchantId)
  if (!request) throw new PayoutProblem('unknown')
  if (request.state !== 'waiting') throw new PayoutProblem('ended')
  if (request.expiresAt <= now.real) throw new PayoutProblem('expired')
  const lines = await linesOf(tx, id)
  const refunded = refundedOf(request)
  const hash = contentHash({ merchantId, id, refunded, isToCard: request.kind === 'to-card' }, lines)
  if (!hash.equals(request.contentHash) || shown !== hash.toString('hex')) throw new PayoutProblem('changed')
  if (!(await can(tx, { personId: request.makerId, action: MAKING[request.kind], merchantId })))
    throw new PayoutProblem('maker-left')
  const { rules: policy } = await readPolicy(tx, merchantId, now.real)
  await lockSums(tx, merchantId)
  const paid = await paidBefore(tx, merchantId, now.real)
  const needed = approvalsNeeded(policy, { lines, refunded }, paid)
  if (isMaker && needed > 0) throw new PayoutProblem('own')
  if (refunded === null) await requireInBook(tx, merchantId, lines, now.real)
  requireWithinLimits(policy, lines, { paid, byApi: await paidByApi(tx, merchantId, now.real) }, now.real)
  const since = await memberSince(tx, merchantId)
  const approver = { personId, since: since.get(personId)! }
  if (!isMaker && !(await insertApproval(tx, request, approver, now.real))) throw new PayoutProblem('already')
  const detail = { id, hash: hash.toString('hex') }
  const action = ACTIONS[request.kind][isMaker ? 'alone' : 'approved']
  await recordOf(tx, session, { merchantId, action, detail }, now)
  const count = await countApprovals(tx, request, { hash, since })
  if (count < needed) return { kind: 'counted', missing: needed - count }
  const tickers = [...totalsOf(lines).keys()]
  await markAlone(
    tx,
    id,
    tickers.filter((ticker) => count < ruleOf(policy, ticker).approvals),
  )
  if (request.kind !== 'one') {
    await moveRequest(tx, request, 'approved-file', { by: personId, at: now.real })
    return { kind: 'placing' }
  }
  await placeLine(tx, request, lines[0]!, rules, now)
  await moveRequest(tx, request, 'approved-one', { by: personId, at: now.real })
  return { kind: 'placed' }
}

/** Approvals of this content by members who may still approve, made since each became a member for the last time. */
const countApprovals = async (
  tx: Tx,
  { id, merchantId }: PayoutRequest,
  { hash, since }: { hash: Buffer; since: ReadonlyMap<string, Date> },
): Promise<number> => {
  let count = 0
  for (const { personId, contentHash: approved, at } of await approvalsOf(tx, id))
    if (
      approved.equals(hash) &&
      isPresent(since, { personId, at }) &&
      (await can(tx, { personId, action: 'approve-payouts', merchantId }))
    )
      count += 1
  return count
}

/** What the number of approvals depends on. */
interface Weighed {
  lines: readonly Pick<PayoutLine, 'ticker' | 'units'>[]
  /** null: payouts */
  refunded: Pick<Refunded, 'kind'> | null
}

/** What a request returns money of; null for payouts. */
export const refundedOf = ({
  kind,
  refundOf,
  refundedBefore: before,
}: Pick<PayoutRequest, 'kind' | 'refundOf' | 'refundedBefore'>): Refunded | null =>
  kind === 'claim' || kind === 'card' ? { kind, refundOf: refundOf!, before } : null

/**
 * How many members must approve; 0: the maker pays alone. Amounts that were paid within a day with fewer approvals than
 * their rule asks for count together, refunds among them: parts of an amount need the approvals of the whole. The
 * address of a claim is in no address book: where only the book is paid, no member pays a claim alone.
 */
const approvalsNeeded = (
  policy: PayoutRules,
  { lines, refunded }: Weighed,
  paid: ReadonlyMap<string, Paid>,
): number => {
  const isOutsideBook = policy.onlyBook && refunded?.kind === 'claim'
  const needed = [...totalsOf(lines)].map(([ticker, units]) => {
    const { alone, approvals } = ruleOf(policy, ticker)
    return !isOutsideBook && units + (paid.get(ticker)?.alone ?? 0n) <= alone ? 0 : approvals
  })
  return Math.max(...needed)
}

/** How many members would have to approve these payouts, or this refund, now. */
export const approvalsFor = async (db: Db, merchantId: string, weighed: Weighed, at: Date): Promise<number> => {
  const { rules } = await readPolicy(db, merchantId, at)
  return approvalsNeeded(rules, weighed, await paidBefore(db, merchantId, at))
}

const requireWithinLimits = (
  policy: PayoutRules,
  lines: readonly PayoutLine[],
  { paid, byApi }: { paid: ReadonlyMap<string, Paid>; byApi: ReadonlyMap<string, PaidByApi> },
  at: Date,
): void => {
  if (!allowsHour(policy, at)) throw new PayoutProblem('hours')
  for (const [ticker, units] of totalsOf(lines)) {
    const { mostHour, mostDay } = ruleOf(policy, ticker)
    const { hour, day } = sumOf(paid.get(ticker), byApi.get(ticker))
    if (mostHour !== null && hour + units > mostHour) throw new PayoutProblem('hour-limit')
    if (mostDay !== null && day + units > mostDay) throw new PayoutProblem('day-limit')
  }
}

/**
 * Places the withdrawal of a line. Its localId and its intent are made from the request: it exists at most once, and
 * the signer refuses a second payment even if a restored database has forgotten the first. Throws an ApiRefusal or a
 * PayoutProblem.
 */
export const placeLine = async (
  tx: Tx,
  { id, merchantId, kind }: Pick<PayoutRequest, 'id' | 'merchantId' | 'kind'>,
  { number, ticker, blockchain, to, units, feeLimit, meta }: PayoutLine,
  rules: Rules,
  now: Now,
): Promise<void> => {
  const localId = kind === 'one' ? `payout-${id}` : `payout-${id}-${number}`
  const scale = rules.catalogue.findCrypto(ticker)?.scale ?? 0
  const asked = { merchantId, ticker, blockchain, to, spend: 0n, amount: formatUnits(units, scale), meta, localId }
  const named = { ...asked, name: `local:${localId}` }
  const withdrawal = await askWithdrawal(tx, named, rules, now.real.getTime(), now.moment)
  if (withdrawal.fee > feeLimit) throw new PayoutProblem('fee')
  await endLine(tx, { requestId: id, number }, { withdrawalId: withdrawal.id }, now.real)
}

/** Ends a request whose withdrawal is refused for good, unless it has ended meanwhile. */
const fail = async (
  tx: Tx,
  session: Session,
  { merchantId, id }: Approved,
  reason: string,
  now: Now,
): Promise<void> => {
  const request = await lockRequest(tx, merchantId, id)
  const by = session.person.id
  if (!request || !(await moveRequest(tx, request, 'rejected', { by, at: now.real, reason }))) return
  const detail = { id, reason }
  await recordOf(tx, session, { merchantId, action: 'payout failed', detail }, now)
}

/** Requests of payouts, as members make and end them. No money moves here. */
import { sql } from 'kysely'
import { mayPlaceOrders } from '../../merchants/accounts/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { type Action, authoriseSession, lockTeam, type Now, recordOf, type Session } from '../../people/access/index.ts'
import { keyOf, knownAddresses } from './address-book.ts'
import { contentHash, type PayoutLine, type Refunded } from './content.ts'
import { isMeta } from './judging.ts'
import { readPolicy } from './policy.ts'
import { PayoutProblem } from './problem.ts'
import {
  countWaiting,
  insertRequest,
  lockRequest,
  moveRequest,
  openRefundOf,
  type PayoutRequest,
  WAITS_MS,
} from './store.ts'

/** Requests of a merchant that wait at once. */
const MOST_WAITING = 200

/**
 * Stores a request of payouts. The same form makes one request, however often it is sent.
 * @returns the id of the request
 * @throws NotAllowed, ProofNeeded or a PayoutProblem
 */
export const requestPayouts = async (
  tx: Tx,
  session: Session,
  given: {
    merchantId: string
    kind: 'one' | 'file' | 'to-card'
    name: string
    formKey: string
    lines: readonly PayoutLine[]
  },
  now: Now,
): Promise<string> => (await makeRequest(tx, session, given, now)).id

/** As `requestPayouts`. `isNew`: the form has made no request before. */
export const makeRequest = async (
  tx: Tx,
  session: Session,
  given: Parameters<typeof requestPayouts>[2],
  now: Now,
): Promise<{ id: string; isNew: boolean }> => {
  const { merchantId, kind, name, lines } = given
  await lockTeam(tx, session, merchantId)
  await authoriseSession(tx, session, { merchantId, action: MAKING[kind], needsProof: false })
  await requireServed(tx, merchantId)
  await requireInBook(tx, merchantId, lines, now.real)
  const { id, isNew } = await insertOnce(tx, session, { ...given, refunded: null, invoiceId: null }, now)
  if (!isNew) return { id, isNew }
  const detail = { id, ...(lines.length === 1 ? detailOf(lines[0]!) : { name, lines: lines.length }) }
  await recordOf(tx, session, { merchantId, action: ACTIONS[kind].requested, detail }, now)
  return { id, isNew }
}

/**
 * Stores a request of a refund. The same form makes one request, however often it is sent, and a claim or a card
 * payment has one open request at a time. The address book does not apply: a refund goes to the payer.
 * @param given `line`: what is refunded, and where to
 * @returns the id of the request
 * @throws NotAllowed, ProofNeeded or a PayoutProblem
 */
export const requestRefund = async (
  tx: Tx,
  session: Session,
  given: { merchantId: string; refunded: Refunded; invoiceId: string; formKey: string; line: PayoutLine },
  now: Now,
): Promise<string> => {
  const { merchantId, refunded, invoiceId, formKey, line } = given
  const { kind, refundOf } = refunded
  await lockTeam(tx, session, merchantId)
  await authoriseSession(tx, session, { merchantId, action: MAKING[kind], needsProof: false })
  await requireServed(tx, merchantId)
  const open = await openRefundOf(tx, merchantId, refundOf, now.real)
  const request = { merchantId, kind, name: '', formKey, lines: [line], refunded, invoiceId }
  const { id, isNew } = await insertOnce(tx, session, request, now)
  if (!isNew) return id
  if (open) throw new PayoutProblem('asked')
  const detail = { id, refundOf, invoiceId, ...detailOf(line) }
  await recordOf(tx, session, { merchantId, action: ACTIONS[kind].requested, detail }, now)
  return id
}

/** The permission that making a request of a kind needs, and paying it alone. */
export const MAKING = {
  one: 'request-payouts',
  file: 'request-payouts',
  'to-card': 'request-payouts',
  claim: 'refund-payments',
  card: 'refund-payments',
} as const satisfies Record<PayoutRequest['kind'], Action>

const OF_PAYOUTS = {
  requested: 'requested payout',
  approved: 'approved payout',
  alone: 'paid without approval',
  refused: 'refused payout',
  withdrawn: 'withdrew payout',
} as const
const OF_REFUNDS = {
  requested: 'requested refund',
  approved: 'approved refund',
  alone: 'refunded without approval',
  refused: 'refused refund',
  withdrawn: 'withdrew refund',
} as const

/** The names of actions in the audit log, by the kind of request. */
export const ACTIONS = {
  one: OF_PAYOUTS,
  file: OF_PAYOUTS,
  'to-card': OF_PAYOUTS,
  claim: OF_REFUNDS,
  card: OF_REFUNDS,
} as const

/** Stores a request, unless its form has made one before. Throws a PayoutProblem if too many wait. */
const insertOnce = async (
  tx: Tx,
  session: Session,
  given: Pick<PayoutRequest, 'merchantId' | 'kind' | 'name' | 'invoiceId'> & {
    formKey: string
    lines: readonly PayoutLine[]
    refunded: Refunded | null
  },
  now: Now,
): Promise<{ id: string; isNew: boolean }> => {
  const { lines, refunded, ...named } = given
  const { merchantId } = named
  const id = now.moment.newId()
  const request = {
    ...named,
    id,
    refundOf: refunded?.refundOf ?? null,
    refundedBefore: refunded?.before ?? null,
    makerId: session.person.id,
    contentHash: contentHash({ merchantId, id, refunded, isToCard: named.kind === 'to-card' }, lines),
    createdAt: now.real,
    expiresAt: new Date(now.real.getTime() + WAITS_MS),
  }
  const before = await insertRequest(tx, request, lines)
  if (before !== undefined) return { id: before, isNew: false }
  const { rows } = await sql<{
    count: number
  }>`select ${countWaiting(merchantId, now.real, MOST_WAITING + 1)}::int as count`.execute(tx)
  if (rows[0]!.count > MOST_WAITING) throw new PayoutProblem('many')
  return { id, isNew: true }
}

const detailOf = ({ ticker, blockchain, to, units }: PayoutLine) => ({ ticker, blockchain, to, units: `${units}` })

/** Throws a PayoutProblem if the merchant is disabled or has ended. */
export const requireServed = async (tx: Tx, merchantId: string): Promise<void> => {
  if (!(await mayPlaceOrders(tx, merchantId))) throw new PayoutProblem('not-served')
}

/** Throws a PayoutProblem if the policy allows known addresses only, and one of the lines has another. */
export const requireInBook = async (
  tx: Tx,
  merchantId: string,
  lines: readonly Pick<PayoutLine, 'blockchain' | 'to'>[],
  at: Date,
): Promise<void> => {
  const { rules } = await readPolicy(tx, merchantId, at)
  if (!rules.onlyBook) return
  const known = await knownAddresses(tx, merchantId, at)
  if (lines.some(({ blockchain, to }) => !known.has(keyOf(blockchain, to)))) throw new PayoutProblem('book')
}

/** Ends a request that waits: its maker withdraws it, another member refuses it. */
const end = async (
  tx: Tx,
  session: Session,
  { merchantId, id, reason }: { merchantId: string; id: string; reason: string | null },
  event: 'refused' | 'withdrawn',
  now: Now,
): Promise<void> => {
  const personId = session.person.id
  await lockTeam(tx, session, merchantId)
  const request = await lockRequest(tx, merchantId, id)
  const asked = event === 'refused' ? 'approve-payouts' : MAKING[request?.kind ?? 'one']
  await authoriseSession(tx, session, { merchantId, action: asked, needsProof: false })
  if (!request) throw new PayoutProblem('unknown')
  if ((request.makerId === personId) !== (event === 'withdrawn')) throw new PayoutProblem('own')
  const moved = await moveRequest(tx, request, event, { by: personId, at: now.real, reason })
  if (!moved) throw new PayoutProblem('ended')
  const action = ACTIONS[request.kind][event]
  const detail = { id, ...(reason !== null && { reason }) }
  await recordOf(tx, session, { merchantId, action, detail }, now)
}

/** The maker withdraws a request. Throws NotAllowed, ProofNeeded or a PayoutProblem. */
export const withdrawRequest = (
  tx: Tx,
  session: Session,
  { merchantId, id }: { merchantId: string; id: string },
  now: Now,
): Promise<void> => end(tx, session, { merchantId, id, reason: null }, 'withdrawn', now)

/** Another member than the maker refuses a request. Throws NotAllowed, ProofNeeded or a PayoutProblem. */
export const refuseRequest = (
  tx: Tx,
  session: Session,
  { merchantId, id, reason }: { merchantId: string; id: string; reason: string },
  now: Now,
): Promise<void> =>
  end(tx, session, { merchantId, id, reason: isMeta(reason) && reason !== '' ? reason : null }, 'refused', now)

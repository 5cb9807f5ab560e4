/** Requests of payouts, as members make and end them. No money moves here. */
import { sql } from 'kysely'
import { mayPlaceOrders } from '../../merchants/accounts/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { authoriseSession, lockTeam, type Now, recordOf, type Session } from '../../people/access/index.ts'
import { keyOf, knownAddresses } from './address-book.ts'
import { contentHash, type PayoutLine } from './content.ts'
import { isMeta } from './judging.ts'
import { readPolicy } from './policy.ts'
import { PayoutProblem } from './problem.ts'
import { insertRequest, lockRequest, moveRequest, type PayoutRequest } from './store.ts'

const HOUR_MS = 3_600_000
/** A request that waits for so long has expired. */
const WAITS_MS = 72 * HOUR_MS
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
  given: Pick<PayoutRequest, 'merchantId' | 'kind' | 'name'> & { formKey: string; lines: readonly PayoutLine[] },
  now: Now,
): Promise<string> => {
  const { merchantId, kind, name, formKey, lines } = given
  await lockTeam(tx, session, merchantId)
  await authoriseSession(tx, session, { merchantId, action: 'request-payouts', needsProof: false })
  await requireServed(tx, merchantId)
  await requireInBook(tx, merchantId, lines, now.real)
  const id = now.moment.newId()
  const request = {
    id,
    merchantId,
    kind,
    formKey,
    name,
    makerId: session.person.id,
    contentHash: contentHash(merchantId, id, lines),
    createdAt: now.real,
    expiresAt: new Date(now.real.getTime() + WAITS_MS),
  }
  const before = await insertRequest(tx, request, lines)
  if (before !== undefined) return before
  if ((await countWaiting(tx, merchantId, now.real)) > MOST_WAITING) throw new PayoutProblem('many')
  const detail = { id, ...(lines.length === 1 ? detailOf(lines[0]!) : { name, lines: lines.length }) }
  await recordOf(tx, session, { merchantId, action: 'requested payout', detail }, now)
  return id
}

const detailOf = ({ ticker, blockchain, to, units }: PayoutLine) => ({ ticker, blockchain, to, units: `${units}` })

const countWaiting = async (tx: Tx, merchantId: string, at: Date): Promise<number> =>
  (
    await sql<{ count: number }>`select count(*)::int as count from payout_requests
      where merchant_id = ${merchantId} and state = 'waiting' and expires_at > ${at}
        and created_at > ${new Date(at.getTime() - WAITS_MS)}`.execute(tx)
  ).rows[0]!.count

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
  const asked = event === 'refused' ? 'approve-payouts' : 'request-payouts'
  await authoriseSession(tx, session, { merchantId, action: asked, needsProof: false })
  const request = await lockRequest(tx, merchantId, id)
  if (!request) throw new PayoutProblem('unknown')
  if ((request.makerId === personId) !== (event === 'withdrawn')) throw new PayoutProblem('own')
  const moved = await moveRequest(tx, request, event, { by: personId, at: now.real, reason })
  if (!moved) throw new PayoutProblem('ended')
  const action = event === 'refused' ? 'refused payout' : 'withdrew payout'
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

/** Requests of payouts, as members make and end them. No money moves here. */
import { sql } from 'kysely'
import { ApiRefusal } from '../../platform/api/route.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { actorOf, authorise, lockTeam, record, requireOpen, type Now, type Session } from '../../people/access/index.ts'
import { priceWithdrawal, type Priced, type Rules } from '../withdrawals/index.ts'
import { keyOf, knownAddresses } from './address-book.ts'
import { contentHash, type PayoutLine } from './content.ts'
import { readPolicy } from './policy.ts'
import { PayoutProblem } from './problem.ts'
import { insertRequest, lockRequest, moveRequest, type PayoutRequest } from './store.ts'

const HOUR_MS = 3_600_000
/** A request that waits for so long has expired. */
const WAITS_MS = 72 * HOUR_MS
/** Requests of a merchant that wait at once. */
const MOST_WAITING = 200
const LONGEST_META = 1_000

/** A payout as typed. */
export interface TypedPayout {
  ticker: string
  blockchain: string
  to: string
  amount: string
  meta: string
}

/** A typed payout as the rules of withdrawals judge it: its price now, or why it is refused. */
export type JudgedPayout = { priced: Priced } | { refused: ApiRefusal }

/**
 * Judges a payout by all rules of a withdrawal of the API, except for the balance.
 * @param now real time, ms
 */
export const judgePayout = async (
  db: Db,
  merchantId: string,
  { ticker, blockchain, to, amount }: TypedPayout,
  rules: Rules,
  now: number,
): Promise<JudgedPayout> => {
  try {
    return { priced: await priceWithdrawal(db, { merchantId, ticker, blockchain, to, amount, spend: 0n }, rules, now) }
  } catch (error) {
    if (error instanceof ApiRefusal) return { refused: error }
    throw error
  }
}

/** A line of a request. It accepts a fee of at most twice the present one, because fees change until it is approved. */
export const lineOf = ({ place, units, fee }: Priced, number: number, meta: string): PayoutLine => ({
  number,
  ticker: place.where.asset.ticker,
  blockchain: place.where.on.network,
  to: place.to,
  units,
  feeLimit: 2n * fee,
  meta: meta === '' ? null : meta,
})

export const isMeta = (text: string): boolean =>
  text.length <= LONGEST_META && !text.includes('\0') && text.isWellFormed()

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
  await authorise(tx, { personId: session.person.id, action: 'request-payouts', merchantId })
  await requireOpen(tx, session)
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
  const actor = actorOf(session.person.id)
  await record(tx, { merchantId, personId: null, actor, action: 'requested payout', detail }, now)
  return id
}

const detailOf = ({ ticker, blockchain, to, units }: PayoutLine) => ({ ticker, blockchain, to, units: `${units}` })

const countWaiting = async (tx: Tx, merchantId: string, at: Date): Promise<number> =>
  (
    await sql<{ count: number }>`select count(*)::int as count from payout_requests
      where merchant_id = ${merchantId} and state = 'waiting' and expires_at > ${at}
        and created_at > ${new Date(at.getTime() - WAITS_MS)}`.execute(tx)
  ).rows[0]!.count

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
  await authorise(tx, {
    personId,
    action: event === 'refused' ? 'approve-payouts' : 'request-payouts',
    merchantId,
  })
  await requireOpen(tx, session)
  const request = await lockRequest(tx, merchantId, id)
  if (!request) throw new PayoutProblem('unknown')
  if ((request.makerId === personId) !== (event === 'withdrawn')) throw new PayoutProblem('own')
  const moved = await moveRequest(tx, request, event, { by: personId, at: now.real, reason })
  if (!moved) throw new PayoutProblem('ended')
  const action = event === 'refused' ? 'refused payout' : 'withdrew payout'
  const detail = { id, ...(reason !== null && { reason }) }
  await record(tx, { merchantId, personId: null, actor: actorOf(personId), action, detail }, now)
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

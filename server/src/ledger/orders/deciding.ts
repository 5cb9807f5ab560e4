import { inTransaction, isSilence, type Tx } from '../../platform/db/index.ts'
import { ApiRefusal, type ApiAnswer } from '../../platform/api/route.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { carryOut, joinEffects, type Effects } from '../effects/index.ts'
import { lockKnown, type Known, type Outcome } from '../postings/index.ts'
import { answerOf, answerToKnown, type NewOrder } from './placing.ts'
import type { OrderRequest } from './request.ts'

/** The identity of a request. It has at least one key, so that a repetition of its transaction finds its answer. */
export type RequestIdentity = Pick<OrderRequest, 'merchantId' | 'answerKeys' | 'localId'>

/** An order as the ledger judged it. The effects are carried out if it was placed. */
export interface JudgedOrder {
  order: Pick<NewOrder, 'transfer' | 'scale'>
  outcome: Outcome
  effects: Effects
}

type Decided = JudgedOrder | { refused: ApiRefusal }

/** Prices requests and places their orders in this transaction. @throws ApiRefusal: roll back */
export type Decide<Request> = (tx: Tx, requests: readonly Request[], moment: Moment) => Promise<readonly Decided[]>

export type Placed = { answer: ApiAnswer } | { error: unknown }

/**
 * Places orders whose price depends on rows that the transaction locks, such as quotes and inventory. Requests that
 * are known get their answer and are not decided. All orders share a transaction; when that fails, each gets its own,
 * so that none makes the others fail: too little of an asset for all may be enough for some. A request that fails alone
 * is tried once more unless it was refused: a COMMIT whose answer was lost may have placed it, or another transaction
 * has just taken its key or its localId. The repetition finds that. When the database is silent, the others get the
 * error of the first one: each would wait as long, with a price that grows old.
 */
export const placeDecided = async <Request extends RequestIdentity>(
  runtime: Runtime,
  requests: readonly Request[],
  decide: Decide<Request>,
): Promise<Placed[]> => {
  const [only, ...others] = requests
  if (only !== undefined && others.length === 0) return [await placeAlone(runtime, only, decide)]
  try {
    return await placeTogether(runtime, requests, decide)
  } catch (error) {
    const tries = isSilence(error) ? 1 : MOST_TRIES
    const placed: Placed[] = []
    for (const request of requests) {
      const last = placed.at(-1)
      placed.push(endedInSilence(last) ? last : await placeAlone(runtime, request, decide, tries))
    }
    return placed
  }
}

/** Of a request by itself. Each may wait for a silent database, at the same price. */
const MOST_TRIES = 2

const placeAlone = async <Request extends RequestIdentity>(
  runtime: Runtime,
  request: Request,
  decide: Decide<Request>,
  tries = MOST_TRIES,
): Promise<Placed> => {
  try {
    return (await placeTogether(runtime, [request], decide))[0]!
  } catch (error) {
    return tries === 1 || error instanceof ApiRefusal ? { error } : placeAlone(runtime, request, decide, tries - 1)
  }
}

/** True for an order that waited for a silent database: it may be placed, and a retry may take as long. */
export const endedInSilence = (placed: Placed | undefined): placed is { error: unknown } =>
  placed !== undefined && 'error' in placed && isSilence(placed.error)

const placeTogether = <Request extends RequestIdentity>(
  runtime: Runtime,
  requests: readonly Request[],
  decide: Decide<Request>,
): Promise<Placed[]> =>
  inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    // Concurrent equal requests wait here for the first one, before they read prices and quotes, which it uses up.
    const known = await lockKnown(
      tx,
      requests.map(({ merchantId, answerKeys, localId }) => ({ merchantId, keys: answerKeys, localId })),
    )
    const fresh = requests.filter((_, i) => known[i] === undefined)
    const decided = fresh.length === 0 ? [] : await decide(tx, fresh, moment)
    await carryOut(tx, joinEffects(decided.flatMap(effectsOf)), moment)
    return requests.map((request, i) => placedOf(known[i] ?? decided[fresh.indexOf(request)]!))
  })

const effectsOf = (decided: Decided): Effects[] =>
  'outcome' in decided && decided.outcome.kind === 'applied' ? [decided.effects] : []

const placedOf = (found: Known | Decided): Placed => {
  if ('refused' in found) return { error: found.refused }
  try {
    return { answer: 'order' in found ? answerOf(found.outcome, found.order) : answerToKnown(found) }
  } catch (error) {
    if (error instanceof ApiRefusal) return { error }
    throw error
  }
}

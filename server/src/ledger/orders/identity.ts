import { Batcher } from '../../platform/base/batcher.ts'
import {
  inTransaction,
  isLost,
  PreparedConnection,
  type PoolSettings,
  type Db,
  type Tx,
} from '../../platform/db/index.ts'
import { findKnown, lockKnown, type Identity, type Known } from '../postings/index.ts'
import type { ApiAnswer } from '../../platform/api/route.ts'
import { answerOf } from './placing.ts'

/**
 * Finds requests that came before: the answer that is kept for them, or that their localId is taken. It is asked before
 * price, fee, limits, stops or market of a request are judged, so that what was done is never answered with a refusal
 * that means that nothing was.
 */
export interface KnownRequests {
  /** @throws ApiRefusal when a key came before with another request */
  find(identity: Identity): Promise<ApiAnswer | undefined>
  close(): Promise<void>
}

const MOST_IN_BATCH = 256

/** Answers from the database; requests that wait together share one statement. */
export const createKnownRequests = (settings: PoolSettings): KnownRequests => {
  const connection = new PreparedConnection(settings)
  const find = (asked: readonly Identity[]) => findKnown(connection.query, asked)
  const batcher = new Batcher<Identity, Known | undefined>({
    most: MOST_IN_BATCH,
    // A connection that broke is found out by using it: reading may be tried again.
    run: (asked) => find(asked).catch((error: unknown) => (isLost(error) ? find(asked) : Promise.reject(error))),
  })
  return {
    find: async (identity) => {
      const known = await batcher.submit({ ...identity, localId: storable(identity.localId) })
      return known && answerToKnown(known)
    },
    close: async () => {
      await batcher.close()
      await connection.close()
    },
  }
}

/** PostgreSQL's text can't hold it: nothing has this name, and the operation refuses it. */
const storable = (localId: string | null): string | null =>
  localId === null || localId.includes('\0') || !localId.isWellFormed() ? null : localId

/** @throws ApiRefusal when a key came before with another request */
export const answerToKnown = (known: Known): ApiAnswer => answerOf(known, { id: '', scale: 0 })

/**
 * Runs what decides about one request in a transaction, unless it is known. Equal requests that run at the same time
 * wait here for the first one, before they look at prices and promises, which the first one uses up.
 */
export const unlessKnown = (db: Db, identity: Identity, decide: (tx: Tx) => Promise<ApiAnswer>): Promise<ApiAnswer> =>
  inTransaction(db, async (tx) => {
    const [known] = await lockKnown(tx, [identity])
    return known ? answerToKnown(known) : decide(tx)
  })

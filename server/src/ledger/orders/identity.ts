import { Batcher } from '../../platform/base/batcher.ts'
import { isLost, PreparedConnection, type PoolSettings } from '../../platform/db/index.ts'
import { findKnown, type Identity, type Known } from '../postings/index.ts'
import type { ApiAnswer } from '../../platform/api/route.ts'
import { answerToKnown } from './placing.ts'

/**
 * Finds repeated requests: their stored answer, or that their localId is in use. Called before price, fee, limits,
 * stops or market of a request are checked, so that a request which succeeded is never answered with a refusal, which
 * would mean that nothing was done.
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
    // A broken connection shows only when it is used; a read may be repeated.
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

/** Returns null for a localId that PostgreSQL's text can't store: no order has it, and the operation refuses it. */
const storable = (localId: string | null): string | null =>
  localId === null || localId.includes('\0') || !localId.isWellFormed() ? null : localId

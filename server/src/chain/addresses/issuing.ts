import { sql } from 'kysely'
import { Batcher } from '../../platform/base/batcher.ts'
import { inTransaction, sqlState, type Db, type Tx } from '../../platform/db/index.ts'
import type { DepositKeys } from './derivation.ts'
import { restock } from './stock.ts'
import { addressesOf, storedAnswer, takeFromStock, type NewAddress } from './store.ts'

export type Issued =
  | { kind: 'issued'; address: string }
  /** The same request was answered before; no address was issued. */
  | { kind: 'answered'; status: number; body: string }
  /** Its Idempotency-Key was used before for another request. */
  | { kind: 'key-reused' }
  | { kind: 'limit-reached'; limit: number }

export interface AddressIssuer {
  issue(request: NewAddress): Promise<Issued>
  close(): Promise<void>
}

const MOST_IN_BATCH = 128

/**
 * Issues addresses from the stock. Requests that wait share one statement, and so one commit.
 * @param limitOf the most addresses a merchant may have, or null
 */
export const createAddressIssuer = (deps: {
  db: Db
  keys: DepositKeys
  limitOf(merchantId: string): Promise<number | null>
}): AddressIssuer => {
  const batcher = new Batcher<NewAddress, Issued>({
    most: MOST_IN_BATCH,
    lanes: 2,
    keyOf: ({ merchantId }) => merchantId,
    run: (requests) => issueBatch(deps, requests),
  })
  return {
    issue: async (request) => {
      const limit = await deps.limitOf(request.merchantId)
      return limit === null ? batcher.submit(request) : issueWithin(deps, request, limit)
    },
    close: () => batcher.close(),
  }
}

interface Deps {
  db: Db
  keys: DepositKeys
}

/**
 * Issues addresses for all requests in one statement. If the statement fails because one of the requests already has a
 * stored answer, runs one statement for each request.
 */
const issueBatch = async (deps: Deps, requests: readonly NewAddress[]): Promise<Issued[]> => {
  try {
    return await issueAll(deps, requests)
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error
    const all: Issued[] = []
    for (const request of requests) all.push(await issueAlone(deps, request))
    return all
  }
}

const UNIQUE_VIOLATION = '23505'

/** Issues addresses from the stock; derives at once those that the stock lacks. */
const issueAll = async (deps: Deps, requests: readonly NewAddress[]): Promise<Issued[]> => {
  const taken = await takeFromStock(deps.db, deps.keys, requests)
  const left = requests.filter(({ id }) => !taken.has(id))
  const derived = left.length === 0 ? taken : await inTransaction(deps.db, (tx) => takeDerived(tx, deps.keys, left))
  return requests.map(({ id }) => ({ kind: 'issued', address: taken.get(id) ?? derived.get(id)! }))
}

/**
 * Issues one address in the caller's transaction, without regard to its merchant's limit: for objects that need an
 * address of their own and have limits of their own.
 */
export const issueInside = async (tx: Tx, keys: DepositKeys, request: NewAddress): Promise<string> => {
  const taken = await takeFromStock(tx, keys, [request])
  return (taken.get(request.id) ?? (await takeDerived(tx, keys, [request])).get(request.id))!
}

const takeDerived = async (
  tx: Tx,
  keys: DepositKeys,
  requests: readonly NewAddress[],
): Promise<Map<string, string>> => {
  for (const family of new Set(requests.map((request) => request.family))) {
    await restock(tx, keys, family, requests.filter((request) => request.family === family).length)
  }
  return takeFromStock(tx, keys, requests)
}

const issueAlone = async (deps: Deps, request: NewAddress): Promise<Issued> => {
  try {
    return (await storedAnswer(deps.db, request)) ?? (await issueAll(deps, [request]))[0]!
  } catch (error) {
    // Another process stored its answer between our check and our statement.
    const stored = sqlState(error) === UNIQUE_VIOLATION ? await storedAnswer(deps.db, request) : undefined
    if (stored) return stored
    throw error
  }
}

/**
 * Issues an address for a merchant that has a limit. Such requests run one after the other, over all processes, so that
 * the limit is exact.
 */
const issueWithin = async ({ db, keys }: Deps, request: NewAddress, limit: number): Promise<Issued> =>
  inTransaction(db, async (tx): Promise<Issued> => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`addresses ${request.merchantId}`}, 0))`.execute(tx)
    const stored = await storedAnswer(tx, request)
    if (stored) return stored
    if ((await addressesOf(tx, request.merchantId, limit)) >= limit) return { kind: 'limit-reached', limit }
    const taken = await takeFromStock(tx, keys, [request])
    const addresses = taken.size > 0 ? taken : await takeDerived(tx, keys, [request])
    return { kind: 'issued', address: addresses.get(request.id)! }
  })

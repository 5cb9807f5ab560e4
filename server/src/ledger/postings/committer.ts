import { Batcher } from '../../platform/base/batcher.ts'
import {
  announceWork,
  ConnectionLost,
  DatabaseSilent,
  mayRetry,
  PreparedConnection,
  sqlState,
  type PoolSettings,
} from '../../platform/db/index.ts'
import { recordCommit, type OrderChange } from '../../platform/traces/tracing.ts'
import { spanTime } from '../../platform/traces/span.ts'
import { judge } from './judge.ts'
import { checkTransfer, type Item, type Outcome } from './posting.ts'
import { openAccounts, readForJudging, writeJudged, type AccountIds } from './store.ts'

/** Thrown when COMMIT was sent and no answer came: the items may or may not have been applied. */
class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown'
}

export interface Committer {
  /** Resolves after the commit that applied the item, or with the guard that refused it. */
  submit(item: Item): Promise<Outcome>
  close(): Promise<void>
}

const MOST_ITEMS = 256
const ONE_LANE_UP_TO = 128
const MOST_ATTEMPTS = 5
/** How many of these attempts may end without an answer of the database: each takes seconds while a request waits. */
const MOST_SILENCES = 2

/**
 * Applies items of many requests in one transaction, with two round trips for a batch (lock and read; write and commit)
 * and the judging between them. After an error the batch's items run one by one, so that one bad item can't fail the
 * others.
 * @param lanes connections. Small batches all use one of them; under more load they share the items, and a merchant's
 *   items are never on two at once, so that batches don't wait for each other's accounts
 */
export const createCommitter = (settings: PoolSettings, lanes = 2): Committer => {
  const all = Array.from({ length: lanes }, (): Lane => ({
    connection: new PreparedConnection(settings),
    ids: new Map(),
  }))
  const batcher = new Batcher<Item, Result>({
    most: MOST_ITEMS,
    lanes,
    oneLaneUpTo: ONE_LANE_UP_TO,
    keyOf: ({ transfer }) => transfer.merchantId,
    run: (items, lane) => runBatch(all[lane]!, items),
  })
  return {
    submit: async (item) => {
      checkTransfer(item.transfer)
      const startedAt = spanTime()
      const result = await batcher.submit(item)
      if ('error' in result) throw result.error
      if (result.outcome.kind === 'applied') {
        announceWork()
        recordCommit('ledger commit', startedAt, [changeOf(item)])
      }
      return result.outcome
    },
    close: async () => {
      await batcher.close()
      await Promise.all(all.map(({ connection }) => connection.close()))
    },
  }
}

/** An item with answers for repeated requests is a request that places an order. */
const changeOf = ({ transfer: { cause }, answers }: Item): OrderChange => ({
  orderId: cause.id,
  kind: cause.kind,
  isFirst: answers !== undefined,
})

interface Lane {
  connection: PreparedConnection
  /** accounts that are known to exist */
  ids: AccountIds
}

type Result = { outcome: Outcome } | { error: unknown }

const runBatch = async (lane: Lane, items: readonly Item[]): Promise<Result[]> => {
  try {
    return (await commitItems(lane, items)).map((outcome) => ({ outcome }))
  } catch (error) {
    const results: Result[] = []
    for (const item of items) {
      // The outcome of the others is unknown too, and each would wait as long for a database that does not answer.
      const last = results.at(-1)
      results.push(last !== undefined && isOfSilence(last) ? last : await runAlone(lane, item, error))
    }
    return results
  }
}

const isOfSilence = (result: Result): boolean =>
  'error' in result && result.error instanceof OutcomeUnknown && result.error.cause instanceof DatabaseSilent

/**
 * Runs one item alone after `error`, and repeats it after lost races and lost connections. After an unknown COMMIT it
 * first looks for the transfer's id: if an applied item were judged again, its own localId would refuse it.
 */
const runAlone = async (lane: Lane, item: Item, first: unknown): Promise<Result> => {
  let error = first
  for (let attempt = 0, silences = 0; attempt < MOST_ATTEMPTS && silences < MOST_SILENCES; attempt += 1) {
    try {
      if (await hasTransfer(lane, item)) return { outcome: { kind: 'applied' } }
      return { outcome: (await commitItems(lane, [item]))[0]! }
    } catch (caught) {
      error = caught
      if (caught instanceof ConnectionLost && caught.cause instanceof DatabaseSilent) silences += 1
      if (!worthAnother(caught)) return { error: caught }
    }
  }
  return {
    error:
      error instanceof ConnectionLost
        ? new OutcomeUnknown('the database did not answer', { cause: error.cause })
        : error,
  }
}

/** Whether to try again. A unique violation comes from a faster process; judging again then reads its rows. */
const worthAnother = (error: unknown): boolean =>
  error instanceof ConnectionLost || mayRetry(error) || sqlState(error) === '23505' || sqlState(error) === '23514'

const commitItems = async ({ connection, ids }: Lane, items: readonly Item[]): Promise<Outcome[]> => {
  const { query, oneTrip } = await connection.session()
  await openAccounts(query, ids, items)
  try {
    const [, reading] = await oneTrip(() => settleAll([query('begin', 'begin', []), readForJudging(query, ids, items)]))
    const judged = judge(items, reading)
    await oneTrip(() => settleAll([writeJudged(query, items, judged), query('commit', 'commit', [])]))
    return judged.outcomes
  } catch (error) {
    if (!(error instanceof ConnectionLost)) await query('rollback', 'rollback', [])
    throw error
  }
}

/** Waits for all answers of one round trip before it throws, so that none arrives in the next transaction. */
const settleAll = async <T extends Promise<unknown>[] | []>(
  promises: T,
): Promise<{ [K in keyof T]: Awaited<T[K]> }> => {
  await Promise.allSettled(promises)
  return (await Promise.all(promises)) as { [K in keyof T]: Awaited<T[K]> }
}

const hasTransfer = async ({ connection }: Lane, { transfer }: Item): Promise<boolean> => {
  const { query } = await connection.session()
  const text = 'select 1 from ledger_transfers where merchant_id = $1 and id = $2'
  return (await query('ledger-has', text, [transfer.merchantId, transfer.id])).length === 1
}

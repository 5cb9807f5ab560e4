import type pg from 'pg'
import { Batcher } from '../../platform/base/batcher.ts'
import {
  connectPipelined,
  DatabaseSilent,
  isLost,
  mayRetry,
  sqlState,
  type PoolSettings,
  type Query,
} from '../../platform/db/index.ts'
import { judge } from './judge.ts'
import { checkTransfer, type Item, type Outcome } from './posting.ts'
import { openAccounts, readForJudging, writeJudged, type AccountIds } from './store.ts'

/** Thrown when COMMIT was sent and its answer never came: the items may or may not have been applied. */
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
/** Of those, attempts that a silent database does not answer: each takes seconds while a request waits. */
const MOST_SILENCES = 2

/**
 * The hot path: items of many requests share one transaction. Two trips a batch (lock and read; write and commit),
 * judged in between. An error re-runs the batch's items one by one, so that one bad item can't fail its neighbours.
 * @param lanes connections. What fits one batch with ease goes down one of them; beyond that they share it, a
 *   merchant's items never on two at once, so that batches don't wait for each other's accounts
 */
export const createCommitter = (settings: PoolSettings, lanes = 2): Committer => {
  const connections = Array.from({ length: lanes }, () => new Connection(settings))
  const batcher = new Batcher<Item, Result>({
    most: MOST_ITEMS,
    lanes,
    oneLaneUpTo: ONE_LANE_UP_TO,
    keyOf: ({ transfer }) => transfer.merchantId,
    run: (items, lane) => runBatch(connections[lane]!, items),
  })
  return {
    submit: async (item) => {
      checkTransfer(item.transfer)
      const result = await batcher.submit(item)
      if ('error' in result) throw result.error
      return result.outcome
    },
    close: async () => {
      await batcher.close()
      await Promise.all(connections.map((connection) => connection.close()))
    },
  }
}

type Result = { outcome: Outcome } | { error: unknown }

const runBatch = async (connection: Connection, items: readonly Item[]): Promise<Result[]> => {
  try {
    return (await commitItems(connection, items)).map((outcome) => ({ outcome }))
  } catch (error) {
    const results: Result[] = []
    for (const item of items) {
      // Nothing is known of the others either, and each would wait as long for a database that is not there.
      const last = results.at(-1)
      results.push(last !== undefined && isOfSilence(last) ? last : await runAlone(connection, item, error))
    }
    return results
  }
}

const isOfSilence = (result: Result): boolean =>
  'error' in result && result.error instanceof OutcomeUnknown && result.error.cause instanceof DatabaseSilent

/**
 * Runs one item by itself after `error`, again after lost races and lost connections. An unknown COMMIT is resolved by
 * the transfer's id before anything is judged again: judged again, an applied item would be refused by its own localId.
 */
const runAlone = async (connection: Connection, item: Item, first: unknown): Promise<Result> => {
  let error = first
  for (let attempt = 0, silences = 0; attempt < MOST_ATTEMPTS && silences < MOST_SILENCES; attempt += 1) {
    try {
      if (await connection.hasTransfer(item)) return { outcome: { kind: 'applied' } }
      return { outcome: (await commitItems(connection, [item]))[0]! }
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

/** Unique violations come from another process that was faster; judging again then sees what it wrote. */
const worthAnother = (error: unknown): boolean =>
  error instanceof ConnectionLost || mayRetry(error) || sqlState(error) === '23505' || sqlState(error) === '23514'

const commitItems = async (connection: Connection, items: readonly Item[]): Promise<Outcome[]> => {
  const query = await connection.query()
  await openAccounts(query, connection.ids, items)
  try {
    const [, reading] = await connection.oneTrip(() =>
      settleAll([query('begin', 'begin', []), readForJudging(query, connection.ids, items)]),
    )
    const judged = judge(items, reading)
    await connection.oneTrip(() => settleAll([writeJudged(query, items, judged), query('commit', 'commit', [])]))
    return judged.outcomes
  } catch (error) {
    if (!(error instanceof ConnectionLost)) await query('rollback', 'rollback', [])
    throw error
  }
}

/** Waits for all answers of one trip before it throws, so that no answer is left to arrive in the next transaction. */
const settleAll = async <T extends Promise<unknown>[] | []>(
  promises: T,
): Promise<{ [K in keyof T]: Awaited<T[K]> }> => {
  await Promise.allSettled(promises)
  return (await Promise.all(promises)) as { [K in keyof T]: Awaited<T[K]> }
}

class ConnectionLost extends Error {}

/** One pipelined connection, made again when it breaks. */
class Connection {
  readonly ids: AccountIds = new Map()
  readonly #settings: PoolSettings
  #client: pg.Client | undefined

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  async query(): Promise<Query> {
    const client = (this.#client ??= await this.#connect())
    return async (name, text, values) => {
      try {
        return (await client.query({ name, text, values })).rows as Record<string, unknown>[]
      } catch (error) {
        if (!isLost(error)) throw error
        this.#drop(client)
        throw new ConnectionLost('connection to the database lost', { cause: error })
      }
    }
  }

  /** Sends everything that `send` asks for before its first wait as one write: each write wakes the server. */
  oneTrip<T>(send: () => T): T {
    const stream = this.#client?.connection.stream
    stream?.cork()
    try {
      return send()
    } finally {
      stream?.uncork()
    }
  }

  async hasTransfer(item: Item): Promise<boolean> {
    const query = await this.query()
    const text = 'select 1 from ledger_transfers where merchant_id = $1 and id = $2'
    return (await query('ledger-has', text, [item.transfer.merchantId, item.transfer.id])).length === 1
  }

  async close(): Promise<void> {
    await this.#client?.end()
    this.#client = undefined
  }

  async #connect(): Promise<pg.Client> {
    try {
      const client = await connectPipelined(this.#settings)
      client.on('error', () => this.#drop(client))
      return client
    } catch (error) {
      throw new ConnectionLost('no connection to the database', { cause: error })
    }
  }

  #drop(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    client.end().catch(() => {})
  }
}

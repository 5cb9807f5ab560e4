import { inTransaction, isLocked, isLost, mayRetry, throughTx, type Query, type Tx } from '../../platform/db/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { raiseExhausted, type EndAlert, type ExhaustedSubscriber } from './alert.ts'
import type { StreamStore } from './store.ts'
import type { Settlement } from './stream.ts'

/** Settlements that are written at once; fewer wait for more, or for a flush. */
const ENOUGH = 64
const MOST_AT_ONCE = 512
const TRIES = 3

/** One kind of receivers: the endpoints of merchants' settings, or the additional ones. */
export interface Receivers {
  store: StreamStore
  endAlertIfOver: EndAlert
  isAdditional: boolean
}

/**
 * Stores the results of claimed streams in batches. A stream whose result is not stored is delivered again when its
 * lease ends.
 */
export class Acknowledger {
  readonly #store: StreamStore
  readonly #endAlertIfOver: EndAlert
  readonly #isAdditional: boolean
  readonly #runtime: Runtime
  readonly #query: Query
  readonly #ended: () => void
  readonly #onExhausted: ExhaustedSubscriber
  #waiting: Settlement[] = []
  #writing = 0
  #running = false
  #wanted = false

  /**
   * @param query executes batches; a settlement that raises or ends an alert has its own transaction
   * @param ended called when a batch was stored, or could not be stored
   * @param onExhausted called in the transaction in which a merchant's deliveries become exhausted
   */
  constructor(
    { store, endAlertIfOver, isAdditional }: Receivers,
    runtime: Runtime,
    query: Query,
    ended: () => void,
    onExhausted: ExhaustedSubscriber,
  ) {
    this.#store = store
    this.#endAlertIfOver = endAlertIfOver
    this.#isAdditional = isAdditional
    this.#runtime = runtime
    this.#query = query
    this.#ended = ended
    this.#onExhausted = onExhausted
  }

  /** Number of settlements that are not stored yet. */
  get pending(): number {
    return this.#waiting.length + this.#writing
  }

  /** Queues a settlement. It is stored with others: when there are enough of them, or at a flush. */
  submit(settlement: Settlement): void {
    this.#waiting.push(settlement)
    if (this.#waiting.length >= ENOUGH) this.flush()
  }

  /** Stores the queued settlements, after the batch in progress. */
  flush(): void {
    if (this.#waiting.length === 0) return
    this.#wanted = true
    if (this.#running) return
    this.#running = true
    setImmediate(() => void this.#drain())
  }

  async #drain(): Promise<void> {
    while (this.#wanted) {
      const batch = this.#waiting.splice(0, MOST_AT_ONCE)
      this.#writing = batch.length
      this.#wanted = false
      try {
        await this.#write(batch)
      } catch (error) {
        this.#runtime.log.error(
          { err: error, streams: batch.length },
          'deliveries were not recorded and will be repeated',
        )
      }
      this.#writing = 0
      this.#wanted ||= this.#waiting.length >= ENOUGH
      this.#ended()
    }
    this.#running = false
  }

  async #write(settlements: readonly Settlement[]): Promise<void> {
    // In the order of keys, as `emit` locks them.
    const sorted = settlements.toSorted(
      (a, b) => compare(a.stream.receiverId, b.stream.receiverId) || compare(a.stream.objectId, b.stream.objectId),
    )
    const isAlone = ({ effects }: Settlement): boolean =>
      effects.includes('alert') || effects.includes('restart-endpoint')
    const together = sorted.filter((settlement) => !isAlone(settlement))
    const fenced = await this.#writeAll(this.#persistent(together), together)
    await this.#releaseAfter(together)
    for (const settlement of sorted.filter(isAlone)) fenced.push(...(await this.#writeAlone(settlement)))
    if (fenced.length > 0)
      this.#runtime.log.warn({ streams: fenced.length }, 'claims have passed to another worker: nothing written')
  }

  /**
   * Makes the exhausted deliveries of each receiver that has accepted something due again, in order
   * (`contract.md` 19 #9).
   */
  async #releaseAfter(settlements: readonly Settlement[]): Promise<void> {
    const accepted = settlements.filter(({ stream, nextSequence }) => nextSequence > stream.events[0]!.sequence)
    const receivers = [...new Set(accepted.map(({ stream }) => stream.receiverId))]
    if (receivers.length === 0) return
    for (const receiverId of await this.#store.withExhausted(this.#query, receivers, this.#runtime.clock.now())) {
      await inTransaction(this.#runtime.db, (tx) => this.#release(tx, receiverId))
    }
  }

  async #release(tx: Tx, receiverId: string): Promise<void> {
    const { at } = momentOf(this.#runtime)
    await this.#store.restartExhausted(throughTx(tx), receiverId, {
      business: at.getTime(),
      now: this.#runtime.clock.now(),
    })
    await this.#endAlertIfOver(tx, receiverId, at)
  }

  /**
   * Executes a statement again when the connection was lost. All such statements check the epoch, so that nothing is
   * stored twice. While another transaction has locked a row (to add an event), the statement is repeated until the
   * claims' leases end.
   */
  #persistent(settlements: readonly Settlement[]): Query {
    const leaseUntil = Math.min(...settlements.map(({ stream }) => stream.leaseUntil))
    return async (...statement) => {
      for (let failures = 0; ;) {
        try {
          return await this.#query(...statement)
        } catch (error) {
          if (isLocked(error) && this.#runtime.clock.now() < leaseUntil) continue
          failures += 1
          if (failures === TRIES || !(mayRetry(error) || isLost(error))) throw error
        }
      }
    }
  }

  /**
   * Stores settlements.
   * @returns those whose stream another worker has claimed
   */
  async #writeAll(query: Query, settlements: readonly Settlement[]): Promise<Settlement[]> {
    const notFinished = await this.#store.finishStreams(
      query,
      settlements.filter((settlement) => settlement.finished),
    )
    return this.#store.keepStreams(query, [...settlements.filter((settlement) => !settlement.finished), ...notFinished])
  }

  #writeAlone(settlement: Settlement): Promise<Settlement[]> {
    const moment = momentOf(this.#runtime)
    const { stream, effects } = settlement
    return inTransaction(this.#runtime.db, async (tx) => {
      const fenced = await this.#writeAll(throughTx(tx), [settlement])
      if (fenced.length > 0) return fenced
      if (effects.includes('restart-endpoint')) await this.#release(tx, stream.receiverId)
      const endpointId = this.#isAdditional ? stream.receiverId : null
      if (effects.includes('alert')) await raiseExhausted(tx, settlement, endpointId, this.#onExhausted, moment)
      return []
    })
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

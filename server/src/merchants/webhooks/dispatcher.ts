import type { Acknowledger } from './acknowledger.ts'
import { deliver, type DeliveringDeps } from './delivering.ts'
import { EndpointLimiters, type EndpointLimiter } from './endpoint-limiter.ts'
import { settle, type ClaimedStream, type Settlement } from './stream.ts'

export interface DispatcherDeps extends DeliveringDeps {
  /** Stores the results of streams. */
  acknowledger: Pick<Acknowledger, 'submit' | 'flush' | 'pending'>
  /** Most streams held at a time, not counting attempts that hang or may hang. */
  slots: number
}

/** An attempt that takes longer counts as hanging: it is set aside and no longer uses a slot. */
const HANGS_AFTER_MS = 1_000
/** When more attempts than this are set aside, silent receivers get no new ones until some have ended. */
const MOST_ASIDE = 4_096
/**
 * An attempt at a receiver that is silent or unknown is set aside from its start, while fewer than this are set aside.
 */
const MOST_UNPROVEN = 1_024
const MOST_UNACKNOWLEDGED = 2_048

/**
 * Delivers claimed streams, each by `deliver`, and passes their results to the acknowledger. Streams run in parallel,
 * as many of each receiver as its limiter lets start. A stream uses a slot while it is held, except while its attempt
 * hangs: it is then set aside.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #limiters = new EndpointLimiters()
  /** attempts in progress, in the order of their start */
  readonly #underWay = new Set<{ limiter: EndpointLimiter; since: number; aside: boolean }>()
  #held = 0
  #aside = 0
  #lastStart = 0
  #ended = 0
  readonly #waiters = new Set<{ ready: () => boolean; resolve: (ready: boolean) => void }>()

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
  }

  /** Sets hanging attempts aside and returns the number of free slots. */
  findFree(): number {
    this.#findHanging()
    if (this.#deps.acknowledger.pending > MOST_UNACKNOWLEDGED) return 0
    return Math.max(0, this.#deps.slots - this.#held + this.#aside)
  }

  /** True when no stream is held and every result is stored. */
  get empty(): boolean {
    return this.#held + this.#deps.acknowledger.pending === 0
  }

  /** Whether an attempt or an acknowledgement is likely to end soon. */
  get busy(): boolean {
    return (
      this.#deps.acknowledger.pending > 0 ||
      (this.#held > 0 && this.#deps.runtime.clock.now() - this.#lastStart < HANGS_AFTER_MS)
    )
  }

  /** How many streams of a receiver's own lane may be taken now. */
  async freeSlotsFor(receiverId: string): Promise<number> {
    const capacity = this.#limiters.capacityFor(receiverId, this.#isCrowded)
    if (capacity === 0) return 0
    try {
      return (await this.#deps.endpointOf(receiverId)) === null ? 0 : capacity
    } catch {
      // The attempt itself will report this error.
      return capacity
    }
  }

  /**
   * Accepts claimed streams. Streams that exceed the limit of a receiver's limiter are moved to that receiver's own
   * lane.
   */
  accept(streams: readonly ClaimedStream[]): void {
    for (const stream of streams) {
      const limiter = this.#limiters.of(stream.receiverId)
      if (limiter.capacity(this.#isCrowded) === 0) {
        this.#acknowledge(settle(stream, [], { kind: 'untried', ownLane: true }))
        continue
      }
      this.#held += 1
      limiter.admit(stream)
      this.#start(limiter)
    }
  }

  /** Number of streams that have ended so far. */
  get ended(): number {
    return this.#ended
  }

  /**
   * Resolves with true as soon as `ready` returns true, or with false after `atMostMs`. `ready` is called whenever a
   * stream ends or results are stored.
   */
  until(ready: () => boolean, atMostMs?: number): Promise<boolean> {
    if (ready()) return Promise.resolve(true)
    return new Promise((resolve) => {
      const waiter = { ready, resolve }
      this.#waiters.add(waiter)
      if (atMostMs === undefined) return
      setTimeout(() => {
        if (this.#waiters.delete(waiter)) resolve(false)
      }, atMostMs)
    })
  }

  /**
   * Call this after results were stored, or could not be stored: wakes the callers of `until` whose condition is met.
   */
  wake(): void {
    for (const waiter of this.#waiters) {
      if (!waiter.ready()) continue
      this.#waiters.delete(waiter)
      waiter.resolve(true)
    }
  }

  get #isCrowded(): boolean {
    return this.#aside > MOST_ASIDE
  }

  #start(limiter: EndpointLimiter): void {
    for (let stream = limiter.next(); stream; stream = limiter.next()) void this.#carry(stream, limiter)
  }

  async #carry(stream: ClaimedStream, limiter: EndpointLimiter): Promise<void> {
    this.#lastStart = this.#deps.runtime.clock.now()
    const entry = { limiter, since: this.#lastStart, aside: !limiter.answers && this.#aside < MOST_UNPROVEN }
    if (entry.aside) this.#aside += 1
    this.#underWay.add(entry)
    const settlement = await deliver(stream, limiter, this.#deps)
    // A receiver that does not answer is tried with one stream at a time; its other streams go back to its lane.
    if (settlement.attempts.at(-1)?.status === null) this.#handBack(limiter.suspect())
    this.#underWay.delete(entry)
    if (entry.aside) this.#aside -= 1
    this.#held -= 1
    limiter.leave()
    this.#acknowledge(settlement)
    this.#start(limiter)
  }

  #handBack(streams: readonly ClaimedStream[]): void {
    this.#held -= streams.length
    for (const stream of streams) this.#acknowledge(settle(stream, [], { kind: 'untried', ownLane: true }))
  }

  #acknowledge(settlement: Settlement): void {
    this.#ended += 1
    this.#deps.acknowledger.submit(settlement)
    // No further result is expected soon, so waiting would not make the batch larger.
    if (this.#held === this.#aside) this.#deps.acknowledger.flush()
    this.wake()
  }

  #findHanging(): void {
    const before = this.#deps.runtime.clock.now() - HANGS_AFTER_MS
    for (const entry of this.#underWay) {
      if (entry.since > before) break
      if (entry.aside) continue
      entry.aside = true
      this.#aside += 1
      this.#handBack(entry.limiter.suspect())
    }
  }
}

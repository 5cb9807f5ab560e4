import type { Signer } from './signature.ts'
import type { ClaimedStream } from './stream.ts'

const HIGHEST_LIMIT = 64
/** Maximum number of concurrent streams to a slow receiver. */
const SLOW_LIMIT = 8
/** When there are more limiters than this, idle ones are removed. */
const MOST_LIMITERS = 10_000

/** State of one receiver in one worker: limits the number of concurrent streams to it. */
export class EndpointLimiter {
  signer: Signer | undefined
  #limit = 1
  #underWay = 0
  #health: 'unknown' | 'answers' | 'silent' = 'unknown'
  readonly #waiting: ClaimedStream[] = []

  /** True when the limiter holds no state that must be preserved. */
  get idle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0 && this.#health !== 'silent'
  }

  /** Whether the receiver answered the last attempt. */
  get answers(): boolean {
    return this.#health === 'answers'
  }

  /**
   * Number of streams that can be admitted. A receiver that answers may have as many again waiting as are in progress,
   * so that the next is ready when one ends. Any other is only probed with one stream.
   * @param crowded many receivers hang: a silent one gets no streams
   */
  capacity(crowded: boolean): number {
    if (crowded && this.#health === 'silent') return 0
    const most = this.answers ? 2 * this.#limit : 1
    return Math.max(0, most - this.#underWay - this.#waiting.length)
  }

  /** Queues a claimed stream; `next` returns it when it may start. */
  admit(stream: ClaimedStream): void {
    this.#waiting.push(stream)
  }

  /** Returns a stream that may start now, and counts it as in progress. */
  next(): ClaimedStream | undefined {
    if (this.#underWay >= this.#limit) return undefined
    const stream = this.#waiting.shift()
    if (stream) this.#underWay += 1
    return stream
  }

  /** Marks the receiver as silent and returns the waiting streams, which belong in its own lane. */
  suspect(): ClaimedStream[] {
    this.learn('none')
    return this.#waiting.splice(0)
  }

  /** Call this when a stream has ended. */
  leave(): void {
    this.#underWay -= 1
  }

  /** Adapts the limit to an attempt: higher while responses are fast, lower when slow, 1 without a response. */
  learn(outcome: 'fast' | 'slow' | 'none'): void {
    this.#health = outcome === 'none' ? 'silent' : 'answers'
    if (outcome === 'none') this.#limit = 1
    else this.#limit = Math.min(this.#limit * 2, outcome === 'slow' ? SLOW_LIMIT : HIGHEST_LIMIT)
  }
}

/** The limiters of one worker, by receiver. */
export class EndpointLimiters {
  readonly #limiters = new Map<string, EndpointLimiter>()
  #sweepAt = MOST_LIMITERS

  of(receiverId: string): EndpointLimiter {
    let limiter = this.#limiters.get(receiverId)
    if (!limiter) {
      this.#sweep()
      this.#limiters.set(receiverId, (limiter = new EndpointLimiter()))
    }
    return limiter
  }

  /** The same as `of(receiverId).capacity(crowded)`, without making a limiter. */
  capacityFor(receiverId: string, crowded: boolean): number {
    return (this.#limiters.get(receiverId) ?? new EndpointLimiter()).capacity(crowded)
  }

  #sweep(): void {
    if (this.#limiters.size < this.#sweepAt) return
    for (const [receiverId, limiter] of this.#limiters) if (limiter.idle) this.#limiters.delete(receiverId)
    this.#sweepAt = Math.max(MOST_LIMITERS, this.#limiters.size * 2)
  }
}

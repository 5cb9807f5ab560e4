import type { Signer } from './signature.ts'
import type { ClaimedStream } from './stream.ts'

const FIRST_LIMIT = 2
const HIGHEST_LIMIT = 64
/** Streams of a receiver that answers, but slowly, that are under way at once. */
const SLOW_LIMIT = 8

/** What one worker knows of one merchant's receiver, and how many streams it may have under way there. */
export class Gate {
  signer: Signer | undefined
  #limit = FIRST_LIMIT
  #underWay = 0
  #troubled = false
  readonly #waiting: ClaimedStream[] = []

  /** Nothing known that is worth keeping. */
  get idle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0 && !this.#troubled
  }

  /**
   * Streams it takes. One that answers takes as many again as may be under way, so that the next is at hand when one
   * ends; one that doesn't answer is only ever tried.
   * @param crowded many receivers hang: one that is known to takes no more
   */
  room(crowded: boolean): number {
    if (this.#troubled) return crowded ? 0 : Math.max(0, 1 - this.#underWay)
    return Math.max(0, 2 * this.#limit - this.#underWay - this.#waiting.length)
  }

  /** Takes a claimed stream; `next` says when it is its turn. */
  admit(stream: ClaimedStream): void {
    this.#waiting.push(stream)
  }

  /** A stream that may go under way now. */
  next(): ClaimedStream | undefined {
    if (this.#underWay >= this.#limit) return undefined
    const stream = this.#waiting.shift()
    if (stream) this.#underWay += 1
    return stream
  }

  /** A stream is no longer under way. */
  leave(): void {
    this.#underWay -= 1
  }

  /** Takes back what waits here, for another time or another worker. */
  empty(): ClaimedStream[] {
    return this.#waiting.splice(0)
  }

  /** Learns from an attempt: more at once while answers come fast, fewer when they are slow, one when there is none. */
  learn(outcome: 'fast' | 'slow' | 'none'): void {
    this.#troubled = outcome === 'none'
    if (outcome === 'none') this.#limit = 1
    else if (outcome === 'slow') this.#limit = Math.max(1, Math.min(this.#limit * 2, SLOW_LIMIT))
    else this.#limit = Math.min(this.#limit * 2, HIGHEST_LIMIT)
  }
}

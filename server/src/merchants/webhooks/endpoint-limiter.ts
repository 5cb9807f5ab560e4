import type { Signer } from './signature.ts'
import type { ClaimedStream } from './stream.ts'

const HIGHEST_LIMIT = 64
/** Streams of a receiver that answers, but slowly, that are under way at once. */
const SLOW_LIMIT = 8

/** What one worker knows of one merchant's receiver, and how many streams it may have under way there. */
export class EndpointLimiter {
  signer: Signer | undefined
  #limit = 1
  #underWay = 0
  #standing: 'unknown' | 'answers' | 'silent' = 'unknown'
  readonly #waiting: ClaimedStream[] = []

  /** Nothing known that is worth keeping. */
  get idle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0 && this.#standing !== 'silent'
  }

  /** Whether its last attempt was answered. */
  get answers(): boolean {
    return this.#standing === 'answers'
  }

  /**
   * Streams it takes. One that answers takes as many again as may be under way, so that the next is at hand when one
   * ends; one that doesn't, or that nothing is known of, is only tried.
   * @param crowded many receivers hang: one that was silent takes no more
   */
  room(crowded: boolean): number {
    if (crowded && this.#standing === 'silent') return 0
    const most = this.answers ? 2 * this.#limit : 1
    return Math.max(0, most - this.#underWay - this.#waiting.length)
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

  /** No answer has come for long: what waits is better off in its lane. Takes it back. */
  suspect(): ClaimedStream[] {
    this.learn('none')
    return this.#waiting.splice(0)
  }

  /** A stream is no longer under way. */
  leave(): void {
    this.#underWay -= 1
  }

  /** Learns from an attempt: more at once while answers come fast, fewer when they are slow, one when there is none. */
  learn(outcome: 'fast' | 'slow' | 'none'): void {
    this.#standing = outcome === 'none' ? 'silent' : 'answers'
    if (outcome === 'none') this.#limit = 1
    else this.#limit = Math.min(this.#limit * 2, outcome === 'slow' ? SLOW_LIMIT : HIGHEST_LIMIT)
  }
}

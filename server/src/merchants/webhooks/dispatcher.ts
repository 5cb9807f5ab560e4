import { delivery as rules } from '@bursar/contract'
import type { Outbound } from '../../platform/outbound/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import type { Acknowledger } from './acknowledger.ts'
import { attemptOf, isAccepted, send, speedOf } from './attempt.ts'
import { EndpointLimiter } from './endpoint-limiter.ts'
import type { EndpointOf } from './signature.ts'
import { settle, type Attempt, type ClaimedStream, type Ending, type Settlement } from './stream.ts'

export interface DispatcherDeps {
  runtime: Pick<Runtime, 'clock' | 'log'>
  outbound: Outbound
  /** Where a merchant's notifications go at this moment; null while it has set no URL. Asked before each attempt. */
  endpointOf: EndpointOf
  /** Writes what became of streams. */
  acknowledger: Pick<Acknowledger, 'submit' | 'flush' | 'pending'>
  /** Streams held at once, those that hang or may hang not counted. */
  slots: number
}

/** An attempt that takes longer is taken to hang: it is set aside and no longer counts against the slots. */
const HANGS_AFTER_MS = 1_000
/** With more set aside, receivers that were silent are left alone until some attempts have ended. */
const MOST_ASIDE = 4_096
/** The first attempt at a receiver that is silent or not known is set aside from its start, unless there are more. */
const MOST_UNPROVEN = 1_024
/** Between the end of an attempt and that of its lease. */
const LEASE_MARGIN_MS = 5_000
/** Before another try when our own side can't make an attempt: a key that can't be opened. */
const OWN_FAULT_PAUSE_MS = 60_000
const MOST_UNACKNOWLEDGED = 2_048
/** Receivers remembered before the idle ones are forgotten. */
const MOST_LIMITERS = 10_000

/**
 * Brings claimed streams to their receivers: an object's events in order, objects at once, each merchant through its
 * limiter.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #limiters = new Map<string, EndpointLimiter>()
  /** in the order they went under way */
  readonly #underWay = new Set<{ limiter: EndpointLimiter; since: number; aside: boolean }>()
  #sweepAt = MOST_LIMITERS
  #held = 0
  #aside = 0
  #lastStart = 0
  #ended = 0
  readonly #waiters = new Set<{ ready: () => boolean; resolve: (ready: boolean) => void }>()

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
  }

  /** Finds out what hangs, and how many slots are free then. */
  findFree(): number {
    this.#findHanging()
    if (this.#deps.acknowledger.pending > MOST_UNACKNOWLEDGED) return 0
    return Math.max(0, this.#deps.slots - this.#held + this.#aside)
  }

  /** Nothing is held, and everything is acknowledged. */
  get empty(): boolean {
    return this.#held + this.#deps.acknowledger.pending === 0
  }

  /** Whether something may be expected to end soon. */
  get busy(): boolean {
    return (
      this.#deps.acknowledger.pending > 0 ||
      (this.#held > 0 && this.#deps.runtime.clock.now() - this.#lastStart < HANGS_AFTER_MS)
    )
  }

  /** Streams of a merchant's own lane to take now. */
  async roomFor(merchantId: string): Promise<number> {
    const room = this.#limiters.get(merchantId)?.room(this.#aside > MOST_ASIDE) ?? new EndpointLimiter().room(false)
    if (room === 0) return 0
    try {
      return (await this.#deps.endpointOf(merchantId)) === null ? 0 : room
    } catch {
      // A failure to find out shows when the attempt is made.
      return room
    }
  }

  /** Takes claimed streams. What a merchant's limiter has no room for goes to that merchant's own lane. */
  accept(streams: readonly ClaimedStream[]): void {
    for (const stream of streams) {
      const limiter = this.#limiterOf(stream.merchantId)
      if (limiter.room(this.#aside > MOST_ASIDE) === 0) {
        this.#acknowledge(settle(stream, [], { kind: 'untried', ownLane: true }))
        continue
      }
      this.#held += 1
      limiter.admit(stream)
      this.#start(limiter)
    }
  }

  /** Streams whose time here has ended. */
  get ended(): number {
    return this.#ended
  }

  /** Resolves with true once `ready` holds, which is asked whenever something ends, or with false after a time. */
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

  /** To be called when something was acknowledged. */
  tell(): void {
    for (const waiter of this.#waiters) {
      if (!waiter.ready()) continue
      this.#waiters.delete(waiter)
      waiter.resolve(true)
    }
  }

  #start(limiter: EndpointLimiter): void {
    for (let stream = limiter.next(); stream; stream = limiter.next()) void this.#carry(stream, limiter)
  }

  async #carry(stream: ClaimedStream, limiter: EndpointLimiter): Promise<void> {
    this.#lastStart = this.#deps.runtime.clock.now()
    const entry = { limiter, since: this.#lastStart, aside: !limiter.answers && this.#aside < MOST_UNPROVEN }
    if (entry.aside) this.#aside += 1
    this.#underWay.add(entry)
    const attempts: Attempt[] = []
    const ending = await this.#deliver(stream, limiter, attempts)
    this.#underWay.delete(entry)
    if (entry.aside) this.#aside -= 1
    this.#held -= 1
    limiter.leave()
    this.#acknowledge(settle(stream, attempts, ending))
    this.#start(limiter)
  }

  /** Sends a stream's events one after the other until one is not accepted. Adds to `attempts`. */
  async #deliver(stream: ClaimedStream, limiter: EndpointLimiter, attempts: Attempt[]): Promise<Ending> {
    const { clock, log } = this.#deps.runtime
    try {
      for (const event of stream.events) {
        if (clock.now() + rules.timeout + LEASE_MARGIN_MS > stream.leaseUntil)
          return { kind: 'untried', ownLane: stream.ownLane }
        const asked = this.#deps.endpointOf(stream.merchantId)
        const endpoint = asked instanceof Promise ? await asked : asked
        if (!endpoint) return { kind: 'untried', ownLane: true }
        const number = attempts.length === 0 ? stream.failures + 1 : 1
        const at = clock.business()
        const answer = await send({ clock, outbound: this.#deps.outbound, limiter, endpoint }, event, number)
        limiter.learn(speedOf(answer))
        const attempt = attemptOf(answer, event, number, at)
        attempts.push(attempt)
        // A receiver that gives no answer is tried with one stream; the others wait in its lane, not here.
        if (attempt.status === null) this.#handBack(limiter.suspect())
        if (!isAccepted(attempt)) return { kind: 'failed' }
      }
      return { kind: 'delivered' }
    } catch (error) {
      log.error(
        { err: error, merchantId: stream.merchantId },
        'a notification could not be prepared: is its key sealed with another data key?',
      )
      return { kind: 'untried', notBefore: clock.business() + OWN_FAULT_PAUSE_MS, ownLane: true }
    }
  }

  #handBack(streams: readonly ClaimedStream[]): void {
    this.#held -= streams.length
    for (const stream of streams) this.#acknowledge(settle(stream, [], { kind: 'untried', ownLane: true }))
  }

  #acknowledge(settlement: Settlement): void {
    this.#ended += 1
    this.#deps.acknowledger.submit(settlement)
    // Nothing to wait for that would make the batch larger.
    if (this.#held === this.#aside) this.#deps.acknowledger.flush()
    this.tell()
  }

  #limiterOf(merchantId: string): EndpointLimiter {
    let limiter = this.#limiters.get(merchantId)
    if (!limiter) {
      this.#sweep()
      this.#limiters.set(merchantId, (limiter = new EndpointLimiter()))
    }
    return limiter
  }

  #sweep(): void {
    if (this.#limiters.size < this.#sweepAt) return
    for (const [merchantId, limiter] of this.#limiters) if (limiter.idle) this.#limiters.delete(merchantId)
    this.#sweepAt = Math.max(MOST_LIMITERS, this.#limiters.size * 2)
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

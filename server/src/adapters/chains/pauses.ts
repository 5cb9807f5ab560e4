import { setTimeout as sleep } from 'node:timers/promises'
import { NoAnswer } from './exchange.ts'

/** The node, or what stands before it, refuses because it was asked too often. It took nothing of what was asked. */
export class TooFast extends Error {
  override name = 'TooFast'
  /** ms it wants to be left alone; null when it does not say */
  readonly pauseMs: number | null

  constructor(message: string, pauseMs: number | null) {
    super(message)
    this.pauseMs = pauseMs
  }
}

/** Time as adapters measure it, in ms: it never goes back, and its zero means nothing. */
export interface Timer {
  now(): number
  sleep(ms: number): Promise<void>
}

export const REAL_TIMER: Timer = {
  now: () => performance.now(),
  sleep: async (ms) => {
    await sleep(ms)
  },
}

/** What all questions to one node pass, so that none of them is asked while it wants to be left alone. */
export interface RequestPauses {
  /** Waits until the node may be asked. Throws `NoAnswer` at once when that is far off. */
  pass(): Promise<void>
  /** Nothing is asked for so many ms from now on. */
  close(ms: number): void
}

/** No caller waits longer than this: it gets the reason and asks again. */
const MOST_WAIT_MS = 10_000
/** A pause that is asked for is kept up to this length, and then the node is tried again. */
const MOST_PAUSE_MS = 10 * 60_000

export const createRequestPauses = ({ now, sleep: wait }: Timer): RequestPauses => {
  let opensAt = -Infinity
  return {
    pass: async () => {
      for (let left = opensAt - now(); left > 0; left = opensAt - now()) {
        if (left > MOST_WAIT_MS)
          throw new NoAnswer(`it was asked too often, and is left alone for ${Math.ceil(left / 1_000)} s more`, false)
        await wait(left)
      }
    },
    close: (ms) => {
      opensAt = Math.max(opensAt, now() + Math.min(ms, MOST_PAUSE_MS))
    },
  }
}

/**
 * How providers word it, whatever their code: Infura, Alchemy, QuickNode, Ankr, Tenderly, base.org; java-tron's own
 * limiter.
 */
const SAYS =
  /too many requests|\brate.?limit|\brate (is )?exceeded|request limit reached|(requests?|calls|units) per second|request count exceeded|lack of computing resources/i
const TOO_MANY_REQUESTS = 429
/**
 * EIP-1474's "limit exceeded": of requests when nothing else is named. Besu and others use the code for other limits.
 */
const LIMIT_EXCEEDED = -32005

/** True when a refusal in JSON speaks of the rate of questions, and not of what was asked. */
export const isTooFast = (code: number, message: string): boolean =>
  code === TOO_MANY_REQUESTS || SAYS.test(message) || (code === LIMIT_EXCEEDED && /^limit exceeded\.?$/i.test(message))

/**
 * ms that a refusal's text asks for, as "retry in 10s" (Ankr) and "suspended for 30s" (TronGrid); null when it does
 * not.
 */
export const pauseInText = (text: string): number | null => {
  const [, count, unit] = /(?:retry in|retry after|suspended for)\s+(\d{1,6})\s*(ms|m|s)?/i.exec(text) ?? []
  if (count === undefined) return null
  return Number(count) * (unit === 'ms' ? 1 : unit === 'm' ? 60_000 : 1_000)
}

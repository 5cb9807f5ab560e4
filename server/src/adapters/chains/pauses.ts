import { setTimeout as sleep } from 'node:timers/promises'
import { NoAnswer } from './exchange.ts'

/**
 * The node, or a gateway before it, rejects a request because of its rate limit. Nothing of the request was executed.
 */
export class TooFast extends Error {
  override name = 'TooFast'
  /** requested pause in ms; null when it names none */
  readonly pauseMs: number | null

  constructor(message: string, pauseMs: number | null) {
    super(message)
    this.pauseMs = pauseMs
  }
}

/** Monotonic clock of adapters, in ms; its zero has no meaning. */
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

/** Holds back all requests to one node during a requested pause. */
export interface RequestPauses {
  /** Waits until a request is allowed. Throws `NoAnswer` at once when the wait would be long. */
  pass(): Promise<void>
  /** Blocks requests for `ms` from now on. */
  close(ms: number): void
}

/** Maximum wait of a caller; beyond it, the caller gets the reason and may try again. */
const MOST_WAIT_MS = 10_000
/** Maximum length of a requested pause; after it, the node is tried again. */
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
 * Messages for an exceeded rate limit, with any code: Infura, Alchemy, QuickNode, Ankr, Tenderly, base.org;
 * java-tron's own limiter.
 */
const SAYS =
  /too many requests|\brate.?limit|\brate (is )?exceeded|request limit reached|(requests?|calls|units) per second|request count exceeded|lack of computing resources/i
const TOO_MANY_REQUESTS = 429
/**
 * EIP-1474's "limit exceeded": it means the rate limit when the message names no other. Besu and others use the code
 * for other limits.
 */
const LIMIT_EXCEEDED = -32005

/** True when an error in JSON concerns the rate of requests and not the request itself. */
export const isTooFast = (code: number, message: string): boolean =>
  code === TOO_MANY_REQUESTS || SAYS.test(message) || (code === LIMIT_EXCEEDED && /^limit exceeded\.?$/i.test(message))

/**
 * Pause in ms named by an error's text, as "retry in 10s" (Ankr) and "suspended for 30s" (TronGrid); null when it does
 * not.
 */
export const pauseInText = (text: string): number | null => {
  const [, count, unit] = /(?:retry in|retry after|suspended for)\s+(\d{1,6})\s*(ms|m|s)?/i.exec(text) ?? []
  if (count === undefined) return null
  return Number(count) * (unit === 'ms' ? 1 : unit === 'm' ? 60_000 : 1_000)
}

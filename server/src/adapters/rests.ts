/** Status and pause of an answer by a provider that limits requests by IP address. */
export interface Limited {
  status: number
  /** its header `Retry-After`, if any */
  retryAfter: string | undefined
}

/** Pauses of providers that reported too many requests from this machine's IP address. */
export interface Rests {
  /** @returns end of the pause, ms of the clock; undefined: requests are allowed */
  until(provider: string): number | undefined
  /** Records an answer of the provider. Only rate limit errors have an effect. */
  heard(provider: string, limited: Limited): void
}

/**
 * Pauses in ms by status, when a provider names none. 418 is Binance's ban of an IP address, initially 2 minutes; 403
 * is a refusal by its firewall.
 */
const USUAL_MS: Readonly<Record<number, number>> = { 403: 300_000, 418: 120_000, 429: 60_000 }
/** Binance's longest ban. */
const LONGEST_MS = 3 * 86_400_000

export const isLimit = (status: number): boolean => Object.hasOwn(USUAL_MS, status)

/**
 * Creates the pauses that all callers of a provider in this process share. Limits count by IP address, so that a single
 * caller that continues would get all of them banned (developers.binance.com, spot, REST API, "IP Limits": 429, then
 * 418 for 2 minutes to 3 days, each with Retry-After in seconds; 403 is the firewall).
 * @param now ms
 */
export const createRests = (now: () => number): Rests => {
  const ends = new Map<string, number>()
  return {
    until: (provider) => {
      const end = ends.get(provider) ?? 0
      return end > now() ? end : undefined
    },
    heard: (provider, { status, retryAfter }) => {
      const usual = USUAL_MS[status]
      if (usual === undefined) return
      const asked = retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : usual
      ends.set(provider, Math.max(ends.get(provider) ?? 0, now() + Math.min(asked, LONGEST_MS)))
    },
  }
}

/** An answer of a provider that limits how often one address may ask it. */
export interface Limited {
  status: number
  /** its header Retry-After, in whole seconds, where it sent one that is so */
  retryAfter: string | undefined
}

/** Until when providers are left alone, because they said that this machine's address asks too often. */
export interface Rests {
  /** @returns until when, ms of the clock; undefined: it may be asked */
  until(provider: string): number | undefined
  /** Takes in a refusal of the provider. Other answers than limits change nothing. */
  heard(provider: string, limited: Limited): void
}

/**
 * When a provider names no time, ms. 418 is Binance's ban of an address, 2 minutes at first; 403 its firewall's
 * refusal.
 */
const USUAL_MS: Readonly<Record<number, number>> = { 403: 300_000, 418: 120_000, 429: 60_000 }
/** Binance's longest ban. */
const LONGEST_MS = 3 * 86_400_000

export const isLimit = (status: number): boolean => Object.hasOwn(USUAL_MS, status)

/**
 * All that asks a provider from this process shares one of these: limits count by address, so that one caller who goes
 * on asking has all of them banned (developers.binance.com, spot, REST API, "IP Limits": 429, then 418 for 2 minutes to
 * 3 days, each with Retry-After in seconds; 403 is the firewall).
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

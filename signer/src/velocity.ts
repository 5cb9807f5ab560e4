import type { Network } from '@bursar/chainkit'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

interface Spending {
  /** ms since the epoch */
  at: number
  units: bigint
}

/** What network fees are counted under, beside the tickers. No ticker is in lower case. */
export const FEE = 'fee'

/**
 * What was signed away lately, by network and asset. A clock that was set back makes spendings lie in the future; they
 * then count, so that setting it back wins nothing.
 */
export class VelocityBook {
  readonly #spendings = new Map<string, Spending[]>()

  add(network: Network, asset: string, at: number, units: bigint): void {
    if (units === 0n) return
    const key = keyOf(network, asset)
    const kept = this.#spendings.get(key) ?? []
    const isStale = kept[0] !== undefined && kept[0].at <= at - DAY_MS
    const current = isStale ? kept.filter((spending) => spending.at > at - DAY_MS) : kept
    current.push({ at, units })
    this.#spendings.set(key, current)
  }

  /** Chain units signed away within the window that ends now. */
  within(network: Network, asset: string, now: number, windowMs: number): bigint {
    const spendings = this.#spendings.get(keyOf(network, asset)) ?? []
    return spendings.reduce((sum, { at, units }) => (at > now - windowMs ? sum + units : sum), 0n)
  }
}

function keyOf(network: Network, asset: string): string {
  return `${network}:${asset}`
}

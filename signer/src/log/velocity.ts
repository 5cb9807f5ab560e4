import type { Network } from '@bursar/chainkit'
import type { IndexFile } from './index-file.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/**
 * What network fees are counted under, beside the tickers, as `stake` and `loan` are on TRON. No ticker is in lower
 * case.
 */
export const FEE = 'fee'

/** The sum of what was signed away after a moment. */
interface Window {
  /** ms since the epoch */
  after: number
  units: bigint
}

/**
 * What was signed away lately, by network and asset. A clock that was set back makes spendings lie in the future; they
 * then count, so that setting it back wins nothing. The index holds the spendings; in memory is one sum for each
 * window, moved by what enters and leaves it.
 */
export class VelocityBook {
  readonly #index: IndexFile
  readonly #windows = new Map<string, Map<number, Window>>()

  constructor(index: IndexFile) {
    this.#index = index
  }

  add(network: Network, asset: string, at: number, units: bigint): void {
    if (units === 0n) return
    const key = keyOf(network, asset)
    this.#index.run('insert into spendings values (?, ?, ?)', key, at, units.toString())
    const windows = [...(this.#windows.get(key)?.values() ?? [])]
    for (const window of windows) if (at > window.after) window.units += units
    // Not what a window still counts: it could not be taken out of the sum any more.
    const stale = Math.min(at - DAY_MS, ...windows.map(({ after }) => after))
    this.#index.run('delete from spendings where asset = ? and at <= ?', key, stale)
  }

  /** Chain units signed away within the window that ends now. */
  within(network: Network, asset: string, now: number, windowMs: number): bigint {
    const key = keyOf(network, asset)
    const after = now - windowMs
    const windows = this.#windows.get(key) ?? new Map<number, Window>()
    const window = windows.get(windowMs) ?? { after: Infinity, units: 0n }
    if (after < window.after) window.units += this.#between(key, after, window.after)
    if (after > window.after) window.units -= this.#between(key, window.after, after)
    window.after = after
    this.#windows.set(key, windows.set(windowMs, window))
    return window.units
  }

  /** Units signed away after one moment and until another. */
  #between(key: string, after: number, until: number): bigint {
    const last = Math.min(until, Number.MAX_SAFE_INTEGER)
    const rows = this.#index.rows(
      'select units from spendings where asset = ? and at > ? and at <= ?',
      key,
      after,
      last,
    )
    let sum = 0n
    for (const { units } of rows) sum += BigInt(units as string)
    return sum
  }
}

function keyOf(network: Network, asset: string): string {
  return `${network}:${asset}`
}

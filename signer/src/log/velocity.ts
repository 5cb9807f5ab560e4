import type { Network } from '@bursar/chainkit'
import type { IndexFile } from './index-file.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** Key for network fees, in place of a ticker; `stake` and `loan` are such keys on TRON. No ticker is in lower case. */
export const FEE = 'fee'

/** Key for the fees of transactions that a replaced first seed signs on EVM chains (docs/decisions/0210). */
export const FIRST_SEED_FEE = 'first-seed-fee'

/** The sum of the amounts signed after a time. */
interface Window {
  /** ms since the epoch */
  after: number
  units: bigint
}

/**
 * Recently signed amounts, by network and asset. If the clock is set back, amounts lie in the future and still count,
 * so that setting it back gains nothing. The index stores the amounts. Memory holds one sum for each window, which is
 * updated by the amounts that enter and leave the window.
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
    // Amounts that a window still counts are not deleted: they have to be subtracted from its sum later.
    const stale = Math.min(at - DAY_MS, ...windows.map(({ after }) => after))
    this.#index.run('delete from spendings where asset = ? and at <= ?', key, stale)
  }

  /** Chain units signed within the window that ends at `now`. */
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

  /** Units signed after one time and until another. */
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

/** What a wallet can still spend, in ledger units by ticker, after everything that is on its way. */
export class HotBalance {
  readonly #left: Map<string, bigint>

  constructor(left: ReadonlyMap<string, bigint>) {
    this.#left = new Map(left)
  }

  /** Below 0 when more is on its way than is there. */
  left(ticker: string): bigint {
    return this.#left.get(ticker) ?? 0n
  }

  lacks(ticker: string, units: bigint): boolean {
    return this.left(ticker) < units
  }

  /** Whether all parts are there together. */
  hasAll(parts: readonly { ticker: string; units: bigint }[]): boolean {
    return new HotBalance(this.#left).pay(parts) === undefined
  }

  /** Takes all parts, or nothing. @returns the ticker there is too little of */
  pay(parts: readonly { ticker: string; units: bigint }[]): string | undefined {
    const after = new Map(this.#left)
    for (const { ticker, units } of parts) {
      const left = (after.get(ticker) ?? 0n) - units
      if (left < 0n) return ticker
      after.set(ticker, left)
    }
    for (const [ticker, units] of after) this.#left.set(ticker, units)
    return undefined
  }
}

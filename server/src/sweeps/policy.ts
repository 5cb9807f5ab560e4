/** When deposits are brought to the hot wallet. Times in ms, on the business clock. */
export interface SweepPolicy {
  enabled: boolean
  /** thousandths: an asset is swept when it is worth so many times what its sweep costs */
  kPerMille: bigint
  /** what has waited so long is swept when it is worth its cost at all */
  maxAgeMs: number
  /** addresses of one transaction */
  batch: number
  /** wei for each unit of gas: above it only what is too old is swept; no bound where absent */
  maxGasPrice?: bigint
}

export const DEFAULT_SWEEP_POLICY: SweepPolicy = { enabled: true, kPerMille: 20_000n, maxAgeMs: 7 * 24 * 60 * 60_000, batch: 50 }

/** What an asset has to be worth, in thousandths of its sweep's cost, by how long it has waited. */
export const leastWorth = ({ kPerMille, maxAgeMs }: SweepPolicy, since: Date, now: number): bigint =>
  now - since.getTime() >= maxAgeMs ? 1_000n : kPerMille

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
  /**
   * EVM: deposit addresses delegate (EIP-7702) where the chain knows it, or `off`: each sends for itself, with gas from
   * us
   */
  setCode: 'auto' | 'off'
  /**
   * withdrawals may be paid straight from deposit addresses, where that saves their sweep or the hot wallet is short
   */
  payFrom: boolean
  /** EVM, wei: the most that is sent to one address for its gas */
  maxTopUp: bigint
}

export const DEFAULT_SWEEP_POLICY: SweepPolicy = {
  enabled: true,
  kPerMille: 20_000n,
  maxAgeMs: 7 * 24 * 60 * 60_000,
  batch: 50,
  setCode: 'auto',
  payFrom: true,
  maxTopUp: 10_000_000_000_000_000n,
}

/** As the policy file has it: amounts are decimal digits. */
export type SweepSettings = Partial<Record<keyof SweepPolicy, unknown>>

const MOST_OF_A_BATCH = 200

/**
 * Reads one network's part of the policy file over the defaults. Throws with the place named when it does not make
 * sense.
 */
export const readSweepPolicy = (network: string, given: SweepSettings): SweepPolicy => {
  const place = (key: string): string => `policy: ${network}.sweep.${key}`
  const unknown = Object.keys(given).filter((key) => !(key in DEFAULT_SWEEP_POLICY) && key !== 'maxGasPrice')
  if (unknown.length > 0) throw new Error(`${place(unknown[0]!)} is unknown`)
  const whole = (key: 'kPerMille' | 'maxTopUp' | 'maxGasPrice', value: unknown): bigint => {
    if (!/^\d{1,30}$/.test(String(value))) throw new Error(`${place(key)} is written in decimal digits`)
    return BigInt(String(value))
  }
  const { maxGasPrice, ...rest } = { ...DEFAULT_SWEEP_POLICY, ...given }
  const { enabled, batch, maxAgeMs, setCode, payFrom } = rest as SweepPolicy
  if (typeof enabled !== 'boolean') throw new Error(`${place('enabled')} is true or false`)
  if (typeof payFrom !== 'boolean') throw new Error(`${place('payFrom')} is true or false`)
  if (!Number.isSafeInteger(batch) || batch < 1 || batch > MOST_OF_A_BATCH)
    throw new Error(`${place('batch')} is from 1 to ${MOST_OF_A_BATCH}`)
  if (!Number.isSafeInteger(maxAgeMs) || maxAgeMs < 0)
    throw new Error(`${place('maxAgeMs')} is a number of milliseconds`)
  if (setCode !== 'auto' && setCode !== 'off') throw new Error(`${place('setCode')} is auto or off`)
  return {
    enabled,
    batch,
    maxAgeMs,
    setCode,
    payFrom,
    kPerMille: whole('kPerMille', rest.kPerMille),
    maxTopUp: whole('maxTopUp', rest.maxTopUp),
    ...(maxGasPrice === undefined ? {} : { maxGasPrice: whole('maxGasPrice', maxGasPrice) }),
  }
}

/** What an asset has to be worth, in thousandths of its sweep's cost, by how long it has waited. */
export const leastWorth = ({ kPerMille, maxAgeMs }: SweepPolicy, since: Date, now: number): bigint =>
  isOverdue({ maxAgeMs }, since, now) ? 1_000n : kPerMille

const isOverdue = ({ maxAgeMs }: Pick<SweepPolicy, 'maxAgeMs'>, since: Date, now: number): boolean =>
  now - since.getTime() >= maxAgeMs

/** When coins of ours are joined. Times in ms on the business clock, amounts in satoshi. */
export interface ConsolidationPolicy {
  /** false: coins are joined only to pay for stuck transactions */
  enabled: boolean
  everyMs: number
  /** coins of at most so much are small */
  smallUnits: bigint
  /** fewer are left as they are */
  leastCoins: number
  /** inputs of one transaction */
  mostCoins: number
  /** thousandths of what all spendable coins hold: more is never on its way at once */
  mostPerMille: bigint
  /** joined only when the fee rate is among the lowest so many percent of those seen in `windowMs`; 100: at any rate */
  percentile: number
  windowMs: number
  /** readings, one each 10 minutes, below which a low rate is not known; not asked for when the percentile is 100 */
  leastSeen: number
  /** a deposit unconfirmed for so long is paid for... */
  rescueAfterMs: number
  /** ...when that costs at most so many thousandths of what it brings */
  rescuePerMille: bigint
}

export const DEFAULT_CONSOLIDATION_POLICY: ConsolidationPolicy = {
  enabled: true,
  everyMs: 60_000,
  smallUnits: 1_000_000n,
  leastCoins: 25,
  mostCoins: 200,
  mostPerMille: 500n,
  percentile: 20,
  windowMs: 7 * 86_400_000,
  leastSeen: 144,
  rescueAfterMs: 3 * 3_600_000,
  rescuePerMille: 20n,
}

/** As a policy file says it: amounts and thousandths may be decimal digits. */
export type ConsolidationSettings = Partial<Record<keyof ConsolidationPolicy, number | string | boolean>>

/** Reads what a policy file says over the defaults. Throws when it names something unknown or of another type. */
export const readConsolidationPolicy = (given: ConsolidationSettings): ConsolidationPolicy => {
  const read = Object.entries(given).map(([key, value]) => {
    const before = DEFAULT_CONSOLIDATION_POLICY[key as keyof ConsolidationPolicy] as
      | number
      | bigint
      | boolean
      | undefined
    if (before === undefined) throw new Error(`policy: consolidation has unknown ${key}`)
    if (typeof before === 'boolean') {
      if (typeof value !== 'boolean') throw new Error(`policy: consolidation.${key} is true or false`)
      return [key, value]
    }
    const number = typeof before === 'bigint' ? BigInt(value) : Number(value)
    if (Number.isNaN(number) || number < 0) throw new Error(`policy: consolidation.${key} is not a number from 0`)
    return [key, number]
  })
  return { ...DEFAULT_CONSOLIDATION_POLICY, ...(Object.fromEntries(read) as Partial<ConsolidationPolicy>) }
}

import Type, { type Static } from 'typebox'
import { flag, number, overStandard, whole } from '../../platform/config/fields.ts'

/** When coins of ours are joined. Times in ms on the business clock, amounts in satoshi. */
export interface ConsolidationPolicy {
  /** false: coins are only consolidated to pay for stuck transactions */
  enabled: boolean
  everyMs: number
  /** largest amount of a small coin */
  smallUnits: bigint
  /** smallest number of coins that are joined */
  leastCoins: number
  /** most inputs of one transaction */
  mostCoins: number
  /** most that may be unconfirmed at once, in thousandths of all spendable coins */
  mostPerMille: bigint
  /** coins are joined only at a fee rate among the lowest so many percent of those in `windowMs`; 100: at any rate */
  percentile: number
  windowMs: number
  /** fewest readings, one each 10 minutes, for a rate to be judged as low; not required when the percentile is 100 */
  leastSeen: number
  /** a deposit that is unconfirmed for this long is paid for... */
  rescueAfterMs: number
  /** ...when that costs at most so many thousandths of its amount */
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

type Whole = Exclude<keyof ConsolidationPolicy, 'enabled' | 'percentile'>

const member = (
  key: Whole,
  description: string,
  words: { least?: number; unit?: 'ms' | 'satoshi' | 'thousandths' } = {},
) => Type.Optional(whole(description, { ...words, standard: DEFAULT_CONSOLIDATION_POLICY[key] }))

/** `consolidation` of BITCOIN in the policy file. */
export const CONSOLIDATION_SHAPE = Type.Object(
  {
    enabled: Type.Optional(
      flag('`false`: coins are only consolidated to pay for stuck transactions', {
        standard: DEFAULT_CONSOLIDATION_POLICY.enabled,
      }),
    ),
    everyMs: member('everyMs', 'interval of checking the coins', { least: 1, unit: 'ms' }),
    smallUnits: member('smallUnits', 'a coin of at most this value is small', { unit: 'satoshi' }),
    leastCoins: member('leastCoins', 'minimum number of small coins to consolidate'),
    mostCoins: member('mostCoins', 'maximum inputs of one such transaction', { least: 1 }),
    mostPerMille: member(
      'mostPerMille',
      'maximum part of all spendable coins, by value, that may be under way at once',
      {
        unit: 'thousandths',
      },
    ),
    percentile: Type.Optional(
      number(
        'consolidates only at a fee rate in this lowest percentage of the rates seen; 100: at any rate up to `sending.patientRate`',
        {
          least: 0,
          most: 100,
          standard: DEFAULT_CONSOLIDATION_POLICY.percentile,
          unit: 'percent',
        },
      ),
    ),
    windowMs: member('windowMs', 'period of the fee rates that are compared', { unit: 'ms' }),
    leastSeen: member('leastSeen', 'minimum number of readings, one every 10 minutes, to compare a rate with'),
    rescueAfterMs: member(
      'rescueAfterMs',
      'the fee of a deposit that is unconfirmed for this time is raised by a child transaction',
      { unit: 'ms' },
    ),
    rescuePerMille: member('rescuePerMille', 'if that costs at most this part of the deposit', {
      unit: 'thousandths',
    }),
  },
  { description: 'when small coins are consolidated' },
)

/** Returns the consolidation policy: the defaults, overridden by the policy file. */
export const consolidationPolicyOf = (given: Static<typeof CONSOLIDATION_SHAPE> = {}): ConsolidationPolicy =>
  overStandard(DEFAULT_CONSOLIDATION_POLICY, given)

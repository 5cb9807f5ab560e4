import Type, { type Static } from 'typebox'
import { choice, count, flag, overStandard, whole } from '../../platform/config/fields.ts'

/** When deposits are swept to the hot wallet. Times in ms, on the business clock. */
export interface SweepPolicy {
  enabled: boolean
  /** thousandths: an asset is swept when it is worth so many times the cost of its sweep */
  kPerMille: bigint
  /** a balance that has waited this long is swept when it is worth its cost at all */
  maxAgeMs: number
  /** most addresses of one transaction */
  batch: number
  /** wei for each unit of gas: above it only overdue balances are swept; no limit when absent */
  maxGasPrice?: bigint
  /**
   * EVM: `auto`: deposit addresses delegate (EIP-7702) where the chain supports it; `off`: each sends for itself, with
   * gas from us
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

const MOST_OF_A_BATCH = 200
const { enabled, kPerMille, maxAgeMs, batch, setCode, payFrom, maxTopUp } = DEFAULT_SWEEP_POLICY

/** `sweep` of a network in the policy file. */
export const SWEEP_SHAPE = Type.Object(
  {
    enabled: Type.Optional(flag('deposits are brought to the hot wallet', { standard: enabled })),
    payFrom: Type.Optional(
      flag(
        'withdrawals may be paid directly from deposit addresses if that saves a sweep, or if the hot wallet has too little',
        { standard: payFrom },
      ),
    ),
    kPerMille: Type.Optional(
      whole('a balance is swept once it is worth this many thousandths of the cost of its sweep', {
        standard: kPerMille,
        unit: 'thousandths',
      }),
    ),
    maxAgeMs: Type.Optional(
      count('a balance that has waited for this time is swept if it is worth the cost', {
        least: 0,
        standard: maxAgeMs,
        unit: 'ms',
      }),
    ),
    batch: Type.Optional(
      count(
        'maximum addresses of one transaction; on TRON, where each address is swept separately, addresses of one run',
        {
          most: MOST_OF_A_BATCH,
          standard: batch,
        },
      ),
    ),
    maxGasPrice: Type.Optional(
      whole('above it only balances that have waited too long are swept (ETHEREUM, BINANCE_SMART_CHAIN)', {
        absent: 'not bounded',
        unit: 'wei for each unit of gas',
      }),
    ),
    setCode: Type.Optional(
      choice(
        '`"off"`: no address delegates (EIP-7702); each is sent coin for its gas (ETHEREUM, BINANCE_SMART_CHAIN)',
        ['auto', 'off'],
        { standard: setCode },
      ),
    ),
    maxTopUp: Type.Optional(
      whole('maximum coin sent to one address for its gas (ETHEREUM, BINANCE_SMART_CHAIN)', {
        standard: maxTopUp,
        unit: 'wei',
      }),
    ),
  },
  { description: 'when deposits are brought to the hot wallet' },
)

export type SweepSettings = Static<typeof SWEEP_SHAPE>

/** Returns the sweep policy: the defaults, overridden by the policy file. */
export const sweepPolicyOf = ({ maxGasPrice, ...given }: SweepSettings = {}): SweepPolicy => ({
  ...overStandard(DEFAULT_SWEEP_POLICY, given),
  ...(maxGasPrice === undefined ? {} : { maxGasPrice: BigInt(maxGasPrice) }),
})

/** Returns the least worth of an asset, in thousandths of the cost of its sweep, by how long it has waited. */
export const leastWorth = ({ kPerMille, maxAgeMs }: SweepPolicy, since: Date, now: number): bigint =>
  isOverdue({ maxAgeMs }, since, now) ? 1_000n : kPerMille

const isOverdue = ({ maxAgeMs }: Pick<SweepPolicy, 'maxAgeMs'>, since: Date, now: number): boolean =>
  now - since.getTime() >= maxAgeMs

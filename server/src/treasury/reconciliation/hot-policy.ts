import Type, { type Static } from 'typebox'
import { byTicker, number, text, whole } from '../../platform/config/fields.ts'
import { withRule } from '../../platform/config/shape.ts'

/** Limits of one asset in a network's hot wallet, in chain units. */
export interface HotLimits {
  /** when exceeded by more than `slack`, the excess goes to cold storage */
  cap: bigint
  slack: bigint
  /** the balance of the hot wallet after such a transfer, and after a refill */
  target: bigint
  /** below this, an alert requests a refill */
  low: bigint
  /** cold address for the excess, in canonical form; null when nothing is to leave */
  cold: string | null
}

export interface TreasuryPolicy {
  /** by ticker; an asset that is not listed has no limits */
  hot: ReadonlyMap<string, HotLimits>
  /** ms a transfer to cold storage waits for its signed bytes */
  signWithinMs: number
  /** an alert is raised when the coin for network fees lasts for fewer days */
  runwayDays: number
}

const SHORTEST_MS = 600_000
const DAY_MS = 86_400_000
const RUNWAY_DAYS = 3
const UNIT = 'units of the chain'

const LIMITS = withRule(
  Type.Object({
    cap: whole('when the hot wallet is above it by more than `slack`, the excess goes to cold storage', { unit: UNIT }),
    target: whole('the amount that remains in the hot wallet then, and that a refill should reach', { unit: UNIT }),
    low: Type.Optional(whole('below this the alert `hot-low` asks for a refill', { standard: 0, unit: UNIT })),
    slack: Type.Optional(whole('excess above `cap` up to which nothing is moved', { standard: 0, unit: UNIT })),
    cold: Type.Optional(
      text('address that receives the excess, in the format of the network', { absent: 'nothing leaves' }),
    ),
  }),
  ({ cap, target, low = 0 }, note) => {
    if (BigInt(target) > BigInt(cap)) note('it is above cap', 'target')
    if (BigInt(low) > BigInt(target)) note('it is above target', 'low')
  },
)

/** Settings of the hot wallet in a network's part of the policy file. */
export const TREASURY_MEMBERS = {
  hot: Type.Optional(byTicker(LIMITS, 'bounds of the hot wallet for each asset; an asset that is not listed has none')),
  // TRON nodes accept no transaction that expires more than a day from now.
  signWithinMs: Type.Optional(
    whole('maximum time that a transfer to cold storage waits for its signature', {
      least: SHORTEST_MS,
      most: DAY_MS,
      standard: DAY_MS,
      unit: 'ms',
    }),
  ),
  runwayDays: Type.Optional(
    number('an alert is raised when the coin for network fees lasts for fewer days', {
      least: 0,
      standard: RUNWAY_DAYS,
      unit: 'days',
    }),
  ),
}

interface TreasurySettings {
  hot?: Record<string, Static<typeof LIMITS>>
  signWithinMs?: number | string
  runwayDays?: number
}

/** Returns the hot-wallet policy of a network from the policy file. */
export const treasuryPolicyOf = ({
  hot = {},
  signWithinMs = DAY_MS,
  runwayDays = RUNWAY_DAYS,
}: TreasurySettings): TreasuryPolicy => ({
  hot: new Map(Object.entries(hot).map(([ticker, given]) => [ticker, limitsOf(given)])),
  signWithinMs: Number(signWithinMs),
  runwayDays,
})

const limitsOf = ({ cap, target, low = 0, slack = 0, cold }: Static<typeof LIMITS>): HotLimits => ({
  cap: BigInt(cap),
  target: BigInt(target),
  low: BigInt(low),
  slack: BigInt(slack),
  cold: cold ?? null,
})

import Type, { type Static } from 'typebox'
import { byTicker, number, text, whole } from '../../platform/config/fields.ts'
import { withRule } from '../../platform/config/shape.ts'

/** Limits of one asset in a network's hot wallet, in chain units. */
export interface HotLimits {
  /** when exceeded by more than `slack`, the excess goes to cold storage */
  cap: bigint
  slack: bigint
  /** what then stays in the hot wallet, and what a refill fills it up to */
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
  /** days of network fees below which an alert is raised */
  runwayDays: number
}

const SHORTEST_MS = 600_000
const DAY_MS = 86_400_000
const RUNWAY_DAYS = 3
const UNIT = 'units of the chain'

const LIMITS = withRule(
  Type.Object({
    cap: whole('when the hot wallet is above it by more than `slack`, the excess goes to cold storage', { unit: UNIT }),
    target: whole('what stays in the hot wallet then, and what a refill fills up to', { unit: UNIT }),
    low: Type.Optional(whole('below this the alert `hot-low` asks for a refill', { standard: 0, unit: UNIT })),
    slack: Type.Optional(whole('how far above `cap` nothing leaves yet', { standard: 0, unit: UNIT })),
    cold: Type.Optional(text('where the excess goes, written as the network writes it', { absent: 'nothing leaves' })),
  }),
  ({ cap, target, low = 0 }, note) => {
    if (BigInt(target) > BigInt(cap)) note('it is above cap', 'target')
    if (BigInt(low) > BigInt(target)) note('it is above target', 'low')
  },
)

/** Settings of the hot wallet in a network's part of the policy file. */
export const TREASURY_MEMBERS = {
  hot: Type.Optional(byTicker(LIMITS, 'how much of an asset is hot; what is not listed has no bounds')),
  // TRON nodes accept no transaction that expires more than a day from now.
  signWithinMs: Type.Optional(
    whole('a transfer to cold storage waits so long for its signature', {
      least: SHORTEST_MS,
      most: DAY_MS,
      standard: DAY_MS,
      unit: 'ms',
    }),
  ),
  runwayDays: Type.Optional(
    number('days of network fees below which an alert is raised', { least: 0, standard: RUNWAY_DAYS, unit: 'days' }),
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

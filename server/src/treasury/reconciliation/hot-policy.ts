import type { Network } from '@bursar/chainkit'

/** How much of one asset a network's hot wallet should hold. Chain units. */
export interface HotLimits {
  /** above this by more than `slack` the excess goes to cold storage */
  cap: bigint
  slack: bigint
  /** what stays in the hot wallet then, and what a refill fills it to */
  target: bigint
  /** below this a refill is asked for */
  low: bigint
  /** where the excess goes, in canonical form; null when nothing is to leave */
  cold: string | null
}

export interface TreasuryPolicy {
  /** by ticker; what is not listed has no bounds */
  hot: ReadonlyMap<string, HotLimits>
  /** ms a transfer to cold storage waits for its signed bytes */
  signWithinMs: number
  /** days of network fees below which an alert is raised */
  runwayDays: number
}

/** As the policy file has it: amounts are decimal digits in chain units. */
export interface TreasurySettings {
  hot?: Record<string, { cap: string; target: string; low?: string; slack?: string; cold?: string }>
  signWithinMs?: number
  runwayDays?: number
}

const SHORTEST_MS = 600_000
const DAY_MS = 86_400_000
const FIELDS = ['cap', 'target', 'low', 'slack', 'cold']

/** Reads one network's part of the policy file. Throws with the place named when it does not make sense. */
export const readTreasuryPolicy = (
  network: Network,
  { hot = {}, signWithinMs = DAY_MS, runwayDays = 3 }: TreasurySettings,
): TreasuryPolicy => {
  // Nodes of TRON take nothing that expires later than a day from now.
  if (!Number.isSafeInteger(signWithinMs) || signWithinMs < SHORTEST_MS || signWithinMs > DAY_MS) {
    throw new Error(`policy: ${network}.signWithinMs is from ten minutes to a day`)
  }
  return {
    hot: new Map(Object.entries(hot).map(([ticker, given]) => [ticker, limitsOf(`${network}.hot.${ticker}`, given)])),
    signWithinMs,
    runwayDays,
  }
}

const limitsOf = (at: string, given: NonNullable<TreasurySettings['hot']>[string]): HotLimits => {
  const unknown = Object.keys(given).filter((key) => !FIELDS.includes(key))
  if (unknown.length > 0)
    throw new Error(`policy: ${at} has unknown ${unknown.join(', ')}; there are ${FIELDS.join(', ')}`)
  const { cap, target, low = '0', slack = '0', cold = null } = given
  const limits = { cap: BigInt(cap), target: BigInt(target), low: BigInt(low), slack: BigInt(slack), cold }
  if (limits.target > limits.cap) throw new Error(`policy: ${at}: the target is above the cap`)
  if (limits.low > limits.target) throw new Error(`policy: ${at}: low is above the target`)
  return limits
}

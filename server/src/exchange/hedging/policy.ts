import { unitsOf } from '../../platform/money/index.ts'

/** How the platform hedges. USDT in 1e-18. */
export interface HedgePolicy {
  /** a smaller exposure is left alone */
  leastUsdt: bigint
  /** of one order, and of all orders of one hour */
  mostUsdt: bigint
  mostUsdtPerHour: bigint
  /** how much worse than the middle of our own sources an order may fill */
  slippageBps: bigint
  /** assets that are hedged; null: all that the venue has a market for */
  assets: ReadonlySet<string> | null
  /** a limit of a position that is used so far raises an alert */
  warnPercent: bigint
  /** for how long the venue may take an order */
  validMs: number
}

/** The file's shape: decimal strings in whole USDT. */
export interface HedgeSettings {
  leastUsdt?: string
  mostUsdt?: string
  mostUsdtPerHour?: string
  slippageBps?: number
  assets?: string[]
  warnPercent?: number
}

const KEYS = ['leastUsdt', 'mostUsdt', 'mostUsdtPerHour', 'slippageBps', 'assets', 'warnPercent']
const VALID_MS = 5_000

/** @throws Error that names what makes no sense */
export const readHedgePolicy = (given: HedgeSettings): HedgePolicy => {
  const unknown = Object.keys(given).filter((key) => !KEYS.includes(key))
  if (unknown.length > 0) throw new Error(`hedging: unknown ${unknown.join(', ')}; there are venue, ${KEYS.join(', ')}`)
  const policy: HedgePolicy = {
    leastUsdt: usdt('leastUsdt', given.leastUsdt ?? '20'),
    mostUsdt: usdt('mostUsdt', given.mostUsdt ?? '10000'),
    mostUsdtPerHour: usdt('mostUsdtPerHour', given.mostUsdtPerHour ?? '100000'),
    slippageBps: BigInt(whole('slippageBps', given.slippageBps ?? 50, 1_000)),
    assets: given.assets === undefined ? null : new Set(given.assets),
    warnPercent: BigInt(whole('warnPercent', given.warnPercent ?? 80, 100)),
    validMs: VALID_MS,
  }
  if (policy.mostUsdt < policy.leastUsdt || policy.mostUsdtPerHour < policy.mostUsdt)
    throw new Error('hedging: leastUsdt, mostUsdt and mostUsdtPerHour are each at most the next')
  return policy
}

const usdt = (name: string, text: string): bigint => {
  try {
    return unitsOf(text, 18)
  } catch {
    throw new Error(`hedging: ${name} is a decimal in USDT, such as "20"`)
  }
}

const whole = (name: string, value: number, most: number): number => {
  if (Number.isInteger(value) && value >= 1 && value <= most) return value
  throw new Error(`hedging: ${name} is a whole number from 1 to ${most}`)
}

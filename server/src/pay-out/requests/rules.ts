/** Rules of a merchant for payouts of the dashboard and, if they say so, of the API. Amounts are ledger units. */
export interface AssetRule {
  /** the most that one member pays in 24 hours without an approval */
  alone: bigint
  /** approvals that a higher amount needs, each by another member than the maker */
  approvals: number
  /** the most that is paid in an hour, and in 24 hours; null: any amount */
  mostHour: bigint | null
  mostDay: bigint | null
  /** the most that orders of the API pay in 24 hours, if the rules limit them */
  api: bigint
}

export interface PayoutRules {
  /** by ticker; an asset without a rule has `DEFAULT_RULE` */
  assets: ReadonlyMap<string, AssetRule>
  /** only addresses of the address book are paid */
  onlyBook: boolean
  /** the hours of the day, in UTC, in which payouts may be approved: bit n is the hour from n to n + 1 */
  hours: number
  /** how long a new address of the book waits until it counts as one of the book */
  coolingHours: number
  /** whether orders of the API obey these rules; false: no rule applies to them */
  isApiLimited: boolean
}

const ALL_HOURS = 2 ** 24 - 1
const MOST_APPROVALS = 5
const MOST_COOLING_HOURS = 30 * 24
/** One other member approves every payout. */
export const DEFAULT_RULE: AssetRule = { alone: 0n, approvals: 1, mostHour: null, mostDay: null, api: 0n }
export const DEFAULT_RULES: PayoutRules = {
  assets: new Map(),
  onlyBook: false,
  hours: ALL_HOURS,
  coolingHours: 24,
  isApiLimited: false,
}

export const ruleOf = ({ assets }: PayoutRules, ticker: string): AssetRule => assets.get(ticker) ?? DEFAULT_RULE

/** The most that orders of the API pay of an asset in 24 hours; null: any amount. */
export const apiMostOf = (rules: PayoutRules, ticker: string): bigint | null =>
  rules.isApiLimited ? ruleOf(rules, ticker).api : null

/** The hours from one hour of the day to another, which may be on the next day. Equal hours: all hours. */
export const hoursBetween = (from: number, to: number): number => {
  let hours = 0
  for (let hour = from; hour !== to || hours === 0; hour = (hour + 1) % 24) {
    if ((hours & (1 << hour)) !== 0) break
    hours |= 1 << hour
  }
  return hours
}

/** The first hour of allowed hours, and the hour that follows the last; equal for the whole day. */
export const spanOf = (hours: number): readonly [from: number, to: number] => {
  const isIn = (hour: number): boolean => (hours & (1 << ((hour + 24) % 24))) !== 0
  if (hours === ALL_HOURS) return [0, 0]
  const from = [...Array(24).keys()].find((hour) => isIn(hour) && !isIn(hour - 1)) ?? 0
  let to = from
  while (isIn(to)) to = (to + 1) % 24
  return [from, to]
}

export const allowsHour = ({ hours }: PayoutRules, at: Date): boolean => (hours & (1 << at.getUTCHours())) !== 0

const least = (one: bigint | null, other: bigint | null): bigint | null =>
  one === null ? other : other === null || one < other ? one : other

/** The rules that allow only what both allow. */
export const strictest = (one: PayoutRules, other: PayoutRules): PayoutRules => ({
  assets: new Map(
    [...new Set([...one.assets.keys(), ...other.assets.keys()])].map((ticker) => {
      const [a, b] = [ruleOf(one, ticker), ruleOf(other, ticker)]
      return [
        ticker,
        {
          alone: least(a.alone, b.alone)!,
          approvals: Math.max(a.approvals, b.approvals),
          mostHour: least(a.mostHour, b.mostHour),
          mostDay: least(a.mostDay, b.mostDay),
          api: least(apiMostOf(one, ticker), apiMostOf(other, ticker)) ?? 0n,
        },
      ]
    }),
  ),
  onlyBook: one.onlyBook || other.onlyBook,
  hours: one.hours & other.hours,
  coolingHours: Math.max(one.coolingHours, other.coolingHours),
  isApiLimited: one.isApiLimited || other.isApiLimited,
})

/** Whether rules allow something that the present ones don't. */
export const isLooser = (next: PayoutRules, present: PayoutRules): boolean => {
  const both = strictest(next, present)
  return (
    [...new Set([...next.assets.keys(), ...present.assets.keys()])].some((ticker) => {
      const [a, b] = [ruleOf(next, ticker), ruleOf(both, ticker)]
      return (
        a.alone !== b.alone ||
        a.approvals !== b.approvals ||
        a.mostHour !== b.mostHour ||
        a.mostDay !== b.mostDay ||
        apiMostOf(next, ticker) !== apiMostOf(both, ticker)
      )
    }) ||
    next.onlyBook !== both.onlyBook ||
    next.hours !== both.hours ||
    next.coolingHours !== both.coolingHours ||
    next.isApiLimited !== both.isApiLimited
  )
}

/** Whether rules can be stored: their numbers are in their bounds. */
export const isValidRules = ({ assets, hours, coolingHours }: PayoutRules): boolean =>
  hours > 0 &&
  hours <= ALL_HOURS &&
  Number.isInteger(coolingHours) &&
  coolingHours >= 0 &&
  coolingHours <= MOST_COOLING_HOURS &&
  [...assets.values()].every(
    ({ alone, approvals, mostHour, mostDay, api }) =>
      alone >= 0n &&
      api >= 0n &&
      Number.isInteger(approvals) &&
      approvals >= 1 &&
      approvals <= MOST_APPROVALS &&
      (mostHour ?? 0n) >= 0n &&
      (mostDay ?? 0n) >= 0n,
  )

/** `api` and `isApiLimited` are absent in rules of builds that have no rules for the API. */
interface StoredRules {
  assets: Record<
    string,
    { alone: string; approvals: number; mostHour: string | null; mostDay: string | null; api?: string }
  >
  onlyBook: boolean
  hours: number
  coolingHours: number
  isApiLimited?: boolean
}

/** Rules as the table stores them: amounts as text. */
export const storedRules = ({ assets, ...others }: PayoutRules): StoredRules => ({
  assets: Object.fromEntries(
    [...assets].map(([ticker, { alone, approvals, mostHour, mostDay, api }]) => [
      ticker,
      { alone: `${alone}`, approvals, mostHour: textOf(mostHour), mostDay: textOf(mostDay), api: `${api}` },
    ]),
  ),
  ...others,
})

export const readRules = ({ assets, isApiLimited = false, ...others }: StoredRules): PayoutRules => ({
  assets: new Map(
    Object.entries(assets).map(([ticker, { alone, approvals, mostHour, mostDay, api = '0' }]) => [
      ticker,
      { alone: BigInt(alone), approvals, mostHour: unitsOf(mostHour), mostDay: unitsOf(mostDay), api: BigInt(api) },
    ]),
  ),
  ...others,
  isApiLimited,
})

const textOf = (units: bigint | null): string | null => (units === null ? null : `${units}`)
const unitsOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text))

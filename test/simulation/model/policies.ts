/**
 * The model's own policies of payouts (docs/integrating/payouts-by-two.md): which rules are in force, when a change is,
 * and whether existing payouts obey them. An answer may be lost, so that several policies may be in force.
 */

/** Rules of one asset, ledger units. */
export interface AssetLimits {
  alone: bigint
  approvals: number
  /** null: any sum */
  hour: bigint | null
  day: bigint | null
}

export interface PayoutPolicy {
  /** by ticker; the others have `WITHOUT` */
  assets: ReadonlyMap<string, AssetLimits>
  onlyBook: boolean
  /** of the day, in UTC: whether payouts are approved in it */
  hours: readonly boolean[]
  coolingHours: number
}

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]
const WITHOUT: AssetLimits = { alone: 0n, approvals: 1, hour: null, day: null }
export const WITHOUT_POLICY: PayoutPolicy = {
  assets: new Map(),
  onlyBook: false,
  hours: Array.from({ length: 24 }, () => true),
  coolingHours: 24,
}

export const limitsOf = ({ assets }: PayoutPolicy, ticker: string): AssetLimits => assets.get(ticker) ?? WITHOUT

/** When the program may have done something: between two turns of the run, and two readings of its own clock, ms. */
export interface Span {
  began: number
  ended: number
  from: number
  to: number
}

/** A policy that an owner has sent. */
export interface PolicyChange extends Span {
  policy: PayoutPolicy
  /** `maybe`: the answer was lost */
  stored: 'yes' | 'maybe'
}

/** An address that a member has added to the book. */
export interface BookAdded extends Span {
  network: string
  address: string
  /** a member has removed it again; undefined: not for sure */
  removed?: Span
}

/** Rules with the time from which they are in force; undefined: at once. */
interface Version {
  policy: PayoutPolicy
  from: number | undefined
}

const lower = (one: bigint | null, other: bigint | null): bigint | null =>
  one === null ? other : other === null || one < other ? one : other

/** The rules that forbid all that either forbids. */
const both = (one: PayoutPolicy, other: PayoutPolicy): PayoutPolicy => ({
  assets: new Map(
    [...one.assets.keys(), ...other.assets.keys()].map((ticker) => {
      const [a, b] = [limitsOf(one, ticker), limitsOf(other, ticker)]
      return [
        ticker,
        {
          alone: a.alone < b.alone ? a.alone : b.alone,
          approvals: Math.max(a.approvals, b.approvals),
          hour: lower(a.hour, b.hour),
          day: lower(a.day, b.day),
        },
      ]
    }),
  ),
  onlyBook: one.onlyBook || other.onlyBook,
  hours: one.hours.map((isOpen, at) => isOpen && other.hours[at]!),
  coolingHours: Math.max(one.coolingHours, other.coolingHours),
})

const inForce = (versions: readonly Version[], at: number): PayoutPolicy =>
  versions.findLast(({ from }) => from === undefined || from <= at)?.policy ?? WITHOUT_POLICY

/** What forbids more is in force at once, the rest a day later. */
const changed = (versions: readonly Version[], policy: PayoutPolicy, at: number): Version[] => [
  ...versions,
  { policy: both(inForce(versions, at), policy), from: undefined },
  { policy, from: at + DAY_MS },
]

/** The policies of a merchant that may have been in force during a span. */
export const possiblePolicies = (changes: readonly PolicyChange[], span: Span): PayoutPolicy[] => {
  let histories: Version[][] = [[]]
  for (const change of changes) {
    if (change.began > span.ended) continue
    const after = histories.flatMap((one) => {
      const isSame = inForce(one, change.from) === inForce(one, change.to)
      return (isSame ? [change.from] : [change.from, change.to]).map((at) => changed(one, change.policy, at))
    })
    const isSure = change.stored === 'yes' && change.ended < span.began
    histories = isSure ? after : [...histories, ...after]
  }
  return [...new Set(histories.flatMap((one) => [inForce(one, span.from), inForce(one, span.to)]))]
}

/** Payouts or a refund that a request has led to. */
export interface Placement extends Span {
  /** for the text of a problem */
  what: string
  /** ledger units that it asked for, by ticker */
  asked: ReadonlyMap<string, bigint>
  /** the part of that which exists */
  made: ReadonlyMap<string, bigint>
  /** from when it counts in sums, by the program's clock, ms: at the latest */
  countsFrom: number
  /** those of its receivers to which the address book applies */
  receivers: readonly { network: string; address: string }[]
  /** members other than the maker who may have approved it by then */
  approvals: number
}

export interface PolicyBooks {
  changes: readonly PolicyChange[]
  added: readonly BookAdded[]
}

/** @param placements of one merchant, in any order */
export const judgePolicies = (books: PolicyBooks, placements: readonly Placement[]): string[] => {
  // Of two at once the one that is answered last counts as the later one: which one it was does not matter to a sum.
  const inOrder = placements.toSorted((one, other) => one.ended - other.ended)
  return inOrder.flatMap((placement, at) => {
    const found = possiblePolicies(books.changes, placement).map((policy) =>
      broken(policy, books, placement, inOrder.slice(0, at)),
    )
    return found.every((rules) => rules.length > 0) ? [`${placement.what}: ${found[0]!.join(', ')}`] : []
  })
}

/** The rules of a policy that a placement does not keep to. */
const broken = (
  policy: PayoutPolicy,
  books: PolicyBooks,
  placement: Placement,
  before: readonly Placement[],
): string[] => {
  const { asked, from, to, approvals } = placement
  const rules: string[] = []
  const isOpen = (at: number): boolean => policy.hours[new Date(at).getUTCHours()]!
  if (to - from < HOUR_MS && !isOpen(from) && !isOpen(to)) rules.push('is placed in an hour without payouts')
  if (policy.onlyBook && !placement.receivers.every((one) => isInBook(books, placement, one)))
    rules.push('pays an address that is not in the book')
  let needed = 0
  for (const [ticker, units] of asked) {
    const limits = limitsOf(policy, ticker)
    const sum = (within: number, counts: (one: Placement) => boolean): bigint =>
      before
        .filter((one) => isWithin(one, placement, within) && counts(one))
        .reduce((all, { made }) => all + (made.get(ticker) ?? 0n), units)
    const [hour, day] = [sum(HOUR_MS, () => true), sum(DAY_MS, () => true)]
    if (limits.hour !== null && hour > limits.hour)
      rules.push(`${hour} ${ticker} in an hour, and ${limits.hour} may be paid`)
    if (limits.day !== null && day > limits.day) rules.push(`${day} ${ticker} in a day, and ${limits.day} may be paid`)
    const alone = sum(DAY_MS, (one) => isAlone(books, one, ticker))
    if (alone > limits.alone) needed = Math.max(needed, limits.approvals)
  }
  if (approvals < needed) rules.push(`has ${approvals} approvals, and needs ${needed}`)
  return rules
}

/** Whether another one surely happened before, and not longer ago; of two at once, whichever was first. */
const isWithin = (other: Placement, placement: Placement, ms: number): boolean =>
  other.countsFrom > placement.to - ms && (other.ended < placement.began || placement.countsFrom > other.to - ms)

/** Whether a placement had fewer approvals than its rule asked for. */
const isAlone = ({ changes }: PolicyBooks, placement: Placement, ticker: string): boolean =>
  possiblePolicies(changes, placement).every((policy) => placement.approvals < limitsOf(policy, ticker).approvals)

/**
 * Whether an address may count as known: it was added, has waited as long as the rules asked for then, and was not
 * removed before.
 */
const isInBook = (
  { added, changes }: PolicyBooks,
  { to, began }: Span,
  { network, address }: { network: string; address: string },
): boolean =>
  added.some(
    (one) =>
      one.network === network &&
      one.address === address &&
      !(one.removed !== undefined && one.removed.ended < began) &&
      one.from + Math.min(...possiblePolicies(changes, one).map(({ coolingHours }) => coolingHours)) * HOUR_MS <= to,
  )

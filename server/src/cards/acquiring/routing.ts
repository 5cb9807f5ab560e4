import type { AcquirerCapabilities, AmountLimits, CardTicker } from '../../adapters/acquirers/port.ts'
import type { RefusalKinds } from '../../adapters/acquirers/refusal-kinds.ts'
import { formatUnits } from '../../platform/money/index.ts'

export type Direction = 'payIn' | 'payout'

/** An account with an acquirer, as routing uses it. */
export interface AcquirerAccount {
  readonly name: string
  readonly capabilities: AcquirerCapabilities
  readonly refusals?: RefusalKinds
}

/** Accounts for orders of these amounts (minor units, both bounds included), in order of preference. */
export interface RoutingRule {
  direction: Direction
  ticker: CardTicker
  least: bigint
  most: bigint
  acquirers: readonly string[]
}

export interface RoutingTable {
  /** in the order of the configuration, which is the preference when no rule matches */
  accounts: readonly AcquirerAccount[]
  /** the first rule that matches an order decides */
  rules: readonly RoutingRule[]
}

/**
 * Throws an Error that names the currencies in which no amount is within both the platform's limits and those of an
 * account: otherwise they would be offered and every amount refused.
 */
export const requireRanges = (
  table: RoutingTable,
  assets: readonly { ticker: string; payIn: AmountLimits; payout: AmountLimits }[],
): void => {
  const text = ({ least, most }: AmountLimits): string =>
    `${formatUnits(least, MINOR_SCALE)} to ${formatUnits(most, MINOR_SCALE)}`
  const empty = assets.flatMap((asset) =>
    (['payIn', 'payout'] as const).flatMap((direction) => {
      const accounts = limitsOf(table, direction, asset.ticker)
      if (
        accounts.length === 0 ||
        accounts.some(({ least, most }) => least <= asset[direction].most && most >= asset[direction].least)
      )
        return []
      return [
        `${direction} of ${asset.ticker}: ${accounts.map((one) => `${one.name} takes ${text(one)}`).join(', ')}, and the platform ${text(asset[direction])}`,
      ]
    }),
  )
  if (empty.length > 0)
    throw new Error(
      `BURSAR_ACQUIRERS_FILE and BURSAR_ASSETS_FILE have no amount in common; change the limits in one of them: ${empty.join('; ')}`,
    )
}

/** Decimals of the minor unit of every currency of cards, 1/100. */
export const MINOR_SCALE = 2

/** (account, direction) pairs that are failing; they are tried last. */
export type Failing = ReadonlySet<string>
export const healthKey = (acquirer: string, direction: Direction): string => `${acquirer}/${direction}`

export interface RoutedOrder {
  direction: Direction
  ticker: string
  units: bigint
}

/**
 * Returns the names of the accounts that can take an order, in the order to try them: by the first matching rule, else
 * as configured. Accounts whose limits exclude the amount are left out. Failing accounts come last, and are not left
 * out, because only an attempt shows that an account has recovered.
 */
export const routeOf = (table: RoutingTable, { direction, ticker, units }: RoutedOrder, failing: Failing): string[] => {
  const rule = table.rules.find(
    (one) => one.direction === direction && one.ticker === ticker && one.least <= units && units <= one.most,
  )
  const able = limitsOf(table, direction, ticker).filter(({ least, most }) => least <= units && units <= most)
  const names = able.map(({ name }) => name)
  const preferred = rule ? rule.acquirers.filter((name) => names.includes(name)) : names
  const isFailing = (name: string): boolean => failing.has(healthKey(name, direction))
  return [...preferred.filter((name) => !isFailing(name)), ...preferred.filter(isFailing)]
}

/** Returns the configured limits for one order of each account that offers a direction in a currency. */
export const limitsOf = (
  { accounts }: Pick<RoutingTable, 'accounts'>,
  direction: Direction,
  ticker: string,
): (AmountLimits & { name: string })[] =>
  accounts.flatMap(({ name, capabilities }) => {
    const limits = capabilities[direction][ticker as CardTicker]
    return limits ? [{ name, ...limits }] : []
  })

/**
 * Builds the routing table. Throws an Error that names the account when two share a name or a rule names an unknown
 * one.
 */
export const createRoutingTable = (
  accounts: readonly AcquirerAccount[],
  rules: readonly RoutingRule[] = [],
): RoutingTable => {
  const names = new Set<string>()
  for (const { name } of accounts) {
    if (!/^[a-z0-9][a-z0-9-]{0,31}$/i.test(name))
      throw new Error(`acquirer ${JSON.stringify(name)}: a name is letters, digits and dashes, at most 32`)
    if (names.has(name)) throw new Error(`acquirer ${name} is listed twice`)
    names.add(name)
  }
  for (const { acquirers, direction, ticker, least, most } of rules) {
    const unknown = acquirers.find((name) => !names.has(name))
    if (unknown !== undefined)
      throw new Error(`routing of ${direction} ${ticker} names ${unknown}, which is no acquirer here`)
    if (least > most) throw new Error(`routing of ${direction} ${ticker}: the least is above the most`)
  }
  return { accounts, rules }
}

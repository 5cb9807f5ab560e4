import type { Catalogue } from '../../market/assets/index.ts'
import { objectOfKeys, refuseUnknownKeys } from '../../platform/base/unknown-keys.ts'
import { createSources, type SourceSettings } from '../../adapters/rates/sources.ts'
import { readVenueSettings, type VenueSettings } from '../../adapters/venues/settings.ts'
import type { ExchangeSettings } from '../../exchange/exchanges/index.ts'
import { readHedgePolicy, type HedgePolicy, type HedgeSettings } from '../../exchange/hedging/index.ts'
import type { AgreementRules } from '../../market/rates/index.ts'

/**
 * `BURSAR_EXCHANGE_FILE`: which order books and official rates are read, how they are judged, what may be exchanged,
 * and where it is hedged.
 */
export interface ExchangeFile {
  sources: SourceSettings
  /** of a ticker's market against USDT; what is left out keeps its standard */
  legs: Record<string, Partial<AgreementRules>>
  exchange: ExchangeSettings
  /** null: nothing is hedged */
  hedging: Hedging | null
}

interface Hedging {
  venue: VenueSettings
  policy: HedgePolicy
}

/** Legs may be written for all that the platform can price, whichever assets an installation has. */
const PRICED = ['BTC', 'ETH', 'BNB', 'TRX', 'USDC', 'UAH', 'KZT', 'USD', 'EUR']
const KEYS = ['sources', 'legs', 'exchange', 'hedging']
const COUNTS = ['quorum', 'oldestMs']
const BPS = ['apartBps', 'jumpBpsPerMinute', 'bandBps', 'aloneBandBps']
const MAY_BE_NULL = ['bandBps', 'aloneBandBps']

/** Throws an Error that names what is wrong. Amounts and pairs are judged once the assets are known. */
export const readExchangeFile = (json: unknown): ExchangeFile => {
  const given = objectOfKeys('exchange', json ?? {}, KEYS) as Partial<ExchangeFile>
  const sources = given.sources ?? {}
  checkSourceKeys(sources)
  checkExchangeKeys(given.exchange ?? {})
  createSources(sources, () => 0)
  return {
    sources,
    legs: Object.fromEntries(
      Object.entries(given.legs ?? {}).map(([ticker, rules]) => [ticker, readRules(ticker, rules)]),
    ),
    exchange: given.exchange ?? {},
    hedging: given.hedging ? readHedging(given.hedging) : null,
  }
}

const checkSourceKeys = (sources: SourceSettings): void => {
  refuseUnknownKeys('exchange: sources', sources, ['venues', 'official'])
  for (const [name, venue] of Object.entries(sources.venues ?? {}))
    refuseUnknownKeys(`exchange: sources.venues.${name}`, venue, ['origin', 'markets'])
  for (const [name, official] of Object.entries(sources.official ?? {}))
    refuseUnknownKeys(`exchange: sources.official.${name}`, official, ['origin'])
}

const checkExchangeKeys = (exchange: ExchangeSettings): void => {
  refuseUnknownKeys('exchange: exchange', exchange, ['assets', 'pairs', 'spreadBps', 'feeBps', 'quoteMs'])
  for (const [ticker, rules] of Object.entries(exchange.assets ?? {}))
    refuseUnknownKeys(`exchange: exchange.assets.${ticker}`, rules, ['step', 'min', 'max', 'most', 'long', 'short'])
  for (const [pair, rules] of Object.entries(exchange.pairs ?? {}))
    refuseUnknownKeys(`exchange: exchange.pairs.${pair}`, rules, ['spreadBps', 'feeBps', 'closed'])
}

/** Throws an Error that names a leg of which nothing is priced. */
export const requireKnownLegs = (legs: ExchangeFile['legs'], { find }: Pick<Catalogue, 'find'>): void => {
  const unknown = Object.keys(legs).filter((ticker) => !find(ticker) && !PRICED.includes(ticker))
  if (unknown.length > 0) throw new Error(`exchange: legs.${unknown[0]} is of no asset of this installation`)
}

const readHedging = (given: unknown): Hedging => {
  const { venue, ...settings } = given as { venue?: unknown } & HedgeSettings
  return { venue: readVenueSettings(venue), policy: readHedgePolicy(settings) }
}

const readRules = (ticker: string, rules: object): Partial<AgreementRules> =>
  Object.fromEntries(
    Object.entries(rules).map(([name, value]: [string, unknown]) => {
      if (![...COUNTS, ...BPS].includes(name))
        throw new Error(`exchange: legs.${ticker} has unknown ${name}; there are ${[...COUNTS, ...BPS].join(', ')}`)
      if (value === null && MAY_BE_NULL.includes(name)) return [name, null]
      if (!Number.isInteger(value) || (value as number) < 1)
        throw new Error(`exchange: legs.${ticker}.${name} is a whole number above 0`)
      return [name, BPS.includes(name) ? BigInt(value as number) : value]
    }),
  ) as Partial<AgreementRules>

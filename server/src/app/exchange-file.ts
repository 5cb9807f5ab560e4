import { createSources, type SourceSettings } from '../adapters/rates/sources.ts'
import { readVenueSettings, type VenueSettings } from '../adapters/venues/settings.ts'
import type { ExchangeSettings } from '../exchange/index.ts'
import { readHedgePolicy, type HedgePolicy, type HedgeSettings } from '../hedging/index.ts'
import type { AgreementRules } from '../rates/index.ts'

/** `BURSAR_EXCHANGE_FILE`: which order books and official rates are read, how they are judged, what may be exchanged, and where it is hedged. */
export interface ExchangeFile {
  sources: SourceSettings
  /** of a ticker's market against USDT; what is left out keeps its standard */
  legs: Record<string, Partial<AgreementRules>>
  exchange: ExchangeSettings
  /** null: nothing is hedged */
  hedging: Hedging | null
}

export interface Hedging {
  venue: VenueSettings
  policy: HedgePolicy
}

const KEYS = ['sources', 'legs', 'exchange', 'hedging']
const COUNTS = ['quorum', 'oldestMs']
const BPS = ['apartBps', 'jumpBpsPerMinute', 'bandBps']

/** Throws an Error that names what is wrong. Amounts and pairs are judged once the assets are known. */
export const readExchangeFile = (json: unknown): ExchangeFile => {
  const given = (json ?? {}) as Partial<ExchangeFile>
  const unknown = Object.keys(given).filter((key) => !KEYS.includes(key))
  if (unknown.length > 0) throw new Error(`exchange: unknown ${unknown.join(', ')}; there are ${KEYS.join(', ')}`)
  const sources = given.sources ?? {}
  createSources(sources, () => 0)
  return {
    sources,
    legs: Object.fromEntries(Object.entries(given.legs ?? {}).map(([ticker, rules]) => [ticker, readRules(ticker, rules)])),
    exchange: given.exchange ?? {},
    hedging: given.hedging ? readHedging(given.hedging) : null,
  }
}

const readHedging = (given: unknown): Hedging => {
  const { venue, ...settings } = given as { venue?: unknown } & HedgeSettings
  return { venue: readVenueSettings(venue), policy: readHedgePolicy(settings) }
}

const readRules = (ticker: string, rules: object): Partial<AgreementRules> =>
  Object.fromEntries(
    Object.entries(rules).map(([name, value]: [string, unknown]) => {
      if (![...COUNTS, ...BPS].includes(name)) throw new Error(`exchange: legs.${ticker} has unknown ${name}; there are ${[...COUNTS, ...BPS].join(', ')}`)
      if (value === null && name === 'bandBps') return [name, null]
      if (!Number.isInteger(value) || (value as number) < 1) throw new Error(`exchange: legs.${ticker}.${name} is a whole number above 0`)
      return [name, BPS.includes(name) ? BigInt(value as number) : value]
    }),
  ) as Partial<AgreementRules>


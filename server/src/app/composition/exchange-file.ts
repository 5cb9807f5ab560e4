import Type, { type Static } from 'typebox'
import { SOURCES_SHAPE, type SourceSettings } from '../../adapters/rates/sources.ts'
import { VENUE_SHAPE, venueSettingsOf, type VenueSettings } from '../../adapters/venues/settings.ts'
import { EXCHANGE_SHAPE, type ExchangeSettings } from '../../exchange/exchanges/index.ts'
import { HEDGE_MEMBERS, hedgePolicyOf, noteUnordered, type HedgePolicy } from '../../exchange/hedging/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { MARKET_RULES_SHAPE, marketRulesOf, type AgreementRules } from '../../market/rates/index.ts'
import { byTicker } from '../../platform/config/fields.ts'
import { readShape, ShapeError, withRule } from '../../platform/config/shape.ts'

/**
 * `BURSAR_EXCHANGE_FILE`: the order books and official rates to read, the checks of prices, the assets to exchange,
 * and where it is hedged.
 */
export const EXCHANGE_FILE_SHAPE = Type.Object(
  {
    sources: Type.Optional(SOURCES_SHAPE),
    legs: Type.Optional(byTicker(MARKET_RULES_SHAPE, "how an asset's market against USDT is judged")),
    exchange: Type.Optional(EXCHANGE_SHAPE),
    hedging: Type.Optional(
      withRule(
        Type.Object(
          { venue: VENUE_SHAPE, ...HEDGE_MEMBERS },
          { description: "how the platform's exposures are hedged", absent: 'nothing is hedged' },
        ),
        noteUnordered,
      ),
    ),
  },
  { description: 'order books and official rates to read, the assets to exchange, and the venue for hedging' },
)

export interface ExchangeFile {
  sources: SourceSettings
  /** overrides of the rules for a ticker's market against USDT, `legs` of the file */
  marketRules: Record<string, Partial<AgreementRules>>
  exchange: ExchangeSettings
  /** null: no hedging */
  hedging: { venue: VenueSettings; policy: HedgePolicy } | null
}

/** UsdtMarkets may be configured for every asset that the platform can price, even if an installation lacks it. */
const PRICED = ['BTC', 'ETH', 'BNB', 'TRX', 'USDC', 'UAH', 'KZT', 'USD', 'EUR']

/**
 * Reads the file. Throws a ShapeError that lists everything wrong. Amounts and pairs are validated once the assets are
 * known.
 */
export const readExchangeFile = (json: unknown): ExchangeFile => {
  const { sources = {}, legs = {}, exchange = {}, hedging } = readShape(EXCHANGE_FILE_SHAPE, json)
  return {
    sources,
    marketRules: Object.fromEntries(Object.entries(legs).map(([ticker, rules]) => [ticker, marketRulesOf(rules)])),
    exchange,
    hedging: hedging ? readHedging(hedging) : null,
  }
}

const readHedging = ({
  venue,
  ...settings
}: NonNullable<Static<typeof EXCHANGE_FILE_SHAPE>['hedging']>): ExchangeFile['hedging'] => ({
  venue: venueSettingsOf(venue),
  policy: hedgePolicyOf(settings),
})

/**
 * Throws a ShapeError that names each market with an unknown ticker: neither an asset of the installation nor one that
 * can be priced.
 */
export const requireKnownMarkets = (rules: ExchangeFile['marketRules'], { find }: Pick<Catalogue, 'find'>): void => {
  const unknown = Object.keys(rules).filter((ticker) => !find(ticker) && !PRICED.includes(ticker))
  if (unknown.length > 0)
    throw new ShapeError(unknown.map((ticker) => `legs.${ticker}: there is no such asset in BURSAR_ASSETS_FILE`))
}

import Type, { type Static } from 'typebox'
import { byName, origin, text } from '../../platform/config/fields.ts'
import { createRests, type Rests } from '../rests.ts'
import { binance } from './binance.ts'
import { bybit } from './bybit.ts'
import { kraken } from './kraken.ts'
import { createNbk } from './nbk.ts'
import { createNbu } from './nbu.ts'
import type { BookSource, OfficialSource } from './port.ts'
import { createVenueSource, type Venue } from './venue.ts'
import { whitebit } from './whitebit.ts'

const VENUES = { binance, kraken, bybit, whitebit } satisfies Record<string, Venue>
const OFFICIAL = { nbu: createNbu, nbk: createNbk } satisfies Record<
  string,
  (at: { origin?: string }) => OfficialSource
>
type VenueName = keyof typeof VENUES
type OfficialName = keyof typeof OFFICIAL

const at = Type.Optional(origin('origin of the API, if not the usual one', { absent: "the source's own" }))

/** The price sources of `BURSAR_EXCHANGE_FILE`, by name, with URL and markets where these differ from the defaults. */
export const SOURCES_SHAPE = Type.Object(
  {
    venues: Type.Optional(
      byName(
        Object.keys(VENUES) as VenueName[],
        Type.Object({
          origin: at,
          markets: Type.Optional(
            Type.Array(text('a market', { pattern: '^[^/]+/[^/]+$', says: 'BASE/QUOTE, such as BTC/USDT' }), {
              description: 'the markets that are read',
              absent: 'all that this build supports there',
            }),
          ),
        }),
        { description: 'venues whose order books are read', key: 'VENUE' },
      ),
    ),
    official: Type.Optional(
      byName(Object.keys(OFFICIAL) as OfficialName[], Type.Object({ origin: at }), {
        description:
          'banks whose official rates are read: `nbu` is the National Bank of Ukraine, `nbk` that of Kazakhstan',
        key: 'BANK',
      }),
    ),
  },
  { description: 'where prices are read' },
)

export type SourceSettings = Static<typeof SOURCES_SHAPE>

export interface Sources {
  books: BookSource[]
  official: OfficialSource[]
}

export const createSources = (
  settings: SourceSettings,
  now: () => number,
  rests: Rests = createRests(now),
): Sources => ({
  books: Object.entries(settings.venues ?? {}).map(([name, given]) =>
    createVenueSource(VENUES[name as VenueName], { ...given, now, rests }),
  ),
  official: Object.entries(settings.official ?? {}).map(([name, given]) => OFFICIAL[name as OfficialName](given)),
})

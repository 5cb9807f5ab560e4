import { createRests, type Rests } from '../rests.ts'
import { binance } from './binance.ts'
import { bybit } from './bybit.ts'
import { kraken } from './kraken.ts'
import { createNbk } from './nbk.ts'
import { createNbu } from './nbu.ts'
import type { BookSource, OfficialSource } from './port.ts'
import { createVenueSource, type Venue } from './venue.ts'
import { whitebit } from './whitebit.ts'

const VENUES: Record<string, Venue> = { binance, kraken, bybit, whitebit }
const OFFICIAL: Record<string, (at: { origin?: string }) => OfficialSource> = { nbu: createNbu, nbk: createNbk }

/**
 * The file of price sources: which are asked, by name; where they are, and which markets they have, when not the usual.
 */
export interface SourceSettings {
  venues?: Record<string, { origin?: string; markets?: string[] }>
  official?: Record<string, { origin?: string }>
}

export interface Sources {
  books: BookSource[]
  official: OfficialSource[]
}

/** @throws Error that names what is not known */
export const createSources = (
  settings: SourceSettings,
  now: () => number,
  rests: Rests = createRests(now),
): Sources => ({
  books: Object.entries(settings.venues ?? {}).map(([name, given]) =>
    createVenueSource(known(VENUES, name), {
      ...originOf(given),
      ...(given.markets && { markets: given.markets }),
      now,
      rests,
    }),
  ),
  official: Object.entries(settings.official ?? {}).map(([name, given]) => known(OFFICIAL, name)(originOf(given))),
})

const known = <T>(table: Readonly<Record<string, T>>, name: string): T => {
  if (Object.hasOwn(table, name)) return table[name]!
  throw new Error(`price sources: ${name} is not one of ${Object.keys(table).join(', ')}`)
}

const originOf = ({ origin }: { origin?: string }): { origin?: string } => {
  if (origin === undefined) return {}
  if (!URL.canParse(origin) || new URL(origin).origin !== origin)
    throw new Error(`price sources: ${origin} is no origin such as https://api.kraken.com`)
  return { origin }
}

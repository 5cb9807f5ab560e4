import { readFileSync } from 'node:fs'
import Type, { type Static } from 'typebox'
import { choice, count, filePath, origin, text } from '../../platform/config/fields.ts'
import { createRests, type Rests } from '../rests.ts'
import { createCcxtVenue } from './ccxt/index.ts'
import { DIALECTS } from './ccxt/dialect.ts'
import type { Venue } from './port.ts'

const TIMEOUT_MS = 10_000

/** The hedging venue in `BURSAR_EXCHANGE_FILE`. */
export const VENUE_SHAPE = Type.Object(
  {
    kind: Type.Optional(Type.Literal('ccxt', { default: 'ccxt', description: 'the library of the adapter' })),
    exchange: choice(
      'the exchange, as ccxt calls it; spot. For other exchanges it is unknown how to query an order by our id, and how a late order is rejected',
      Object.keys(DIALECTS),
    ),
    name: Type.Optional(
      text("the name of the venue here. It is part of the ledger's accounts: never change it", {
        pattern: '^[a-z0-9][a-z0-9-]{0,31}$',
        says: '1 to 32 small letters, digits and dashes, and no dash first',
        absent: '`exchange`',
      }),
    ),
    origin: Type.Optional(origin('another host with the same paths', { absent: "the exchange's own hosts" })),
    apiKeyFile: filePath(
      'the file of the API key, which only the worker reads. Allow spot trading, forbid withdrawals, bind it to your address',
    ),
    secretFile: filePath('the file of its secret'),
    timeoutMs: Type.Optional(
      count('timeout of a request', { least: 500, most: 60_000, standard: TIMEOUT_MS, unit: 'ms' }),
    ),
  },
  { description: 'where exposures are hedged' },
)

/** Settings of a venue. The files contain the account's credentials, which only the worker reads. */
export interface VenueSettings {
  /** our name of the venue, used permanently in the ledger's accounts */
  name: string
  /** ccxt's name of the exchange */
  exchange: string
  origin?: string
  apiKeyFile: string
  secretFile: string
  timeoutMs: number
}

/** Adds defaults to settings. */
export const venueSettingsOf = ({
  kind: _,
  timeoutMs = TIMEOUT_MS,
  ...given
}: Static<typeof VENUE_SHAPE>): VenueSettings => ({ ...given, name: given.name ?? given.exchange, timeoutMs })

/**
 * @param rests shared by all callers of the exchange in this process
 * @param start as `createCcxtVenue` takes it
 * @throws Error when a file of credentials can't be read; it never contains the credentials
 */
export const openVenue = (
  { name, exchange, apiKeyFile, secretFile, timeoutMs, ...at }: VenueSettings,
  rests: Rests = createRests(Date.now),
  start?: Parameters<typeof createCcxtVenue>[3],
): Venue =>
  createCcxtVenue(
    name,
    { exchange, origin: at.origin, apiKey: credential(apiKeyFile), secret: credential(secretFile), timeoutMs },
    rests,
    start,
  )

const credential = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`venue: ${file} can't be read (${(error as NodeJS.ErrnoException).code})`, { cause: error })
  }
}

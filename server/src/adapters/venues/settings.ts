import { readFileSync } from 'node:fs'
import { createRests, type Rests } from '../rests.ts'
import { createCcxtVenue } from './ccxt/index.ts'
import { DIALECTS } from './ccxt/dialect.ts'
import type { Venue } from './port.ts'

/** Where to hedge. The files hold the account's credentials, which only the worker reads. */
export interface VenueSettings {
  kind: 'ccxt'
  /** of ours, permanent in the ledger's accounts */
  name: string
  /** as ccxt calls it */
  exchange: string
  origin?: string
  apiKeyFile: string
  secretFile: string
  timeoutMs: number
}

const KEYS = ['kind', 'name', 'exchange', 'origin', 'apiKeyFile', 'secretFile', 'timeoutMs']
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/
const TIMEOUT_MS = 10_000

/** @throws Error that names what is wrong */
export const readVenueSettings = (json: unknown): VenueSettings => {
  const given = (json ?? {}) as Partial<Record<keyof VenueSettings, unknown>>
  const unknown = Object.keys(given).filter((key) => !KEYS.includes(key))
  if (unknown.length > 0) throw new Error(`venue: unknown ${unknown.join(', ')}; there are ${KEYS.join(', ')}`)
  const { kind = 'ccxt', exchange, origin, timeoutMs = TIMEOUT_MS, apiKeyFile, secretFile } = given
  const name = given.name ?? exchange
  if (kind !== 'ccxt') throw new Error('venue: kind is ccxt')
  if (typeof exchange !== 'string' || !Object.hasOwn(DIALECTS, exchange))
    throw new Error(`venue: exchange is one of ${Object.keys(DIALECTS).join(', ')}`)
  if (typeof name !== 'string' || !NAME.test(name))
    throw new Error('venue: name is 1 to 32 small letters, digits and dashes, and no dash first')
  if (
    origin !== undefined &&
    (typeof origin !== 'string' || !URL.canParse(origin) || new URL(origin).origin !== origin)
  )
    throw new Error('venue: origin is one such as https://api1.example.com')
  if (typeof apiKeyFile !== 'string' || typeof secretFile !== 'string')
    throw new Error('venue: apiKeyFile and secretFile are paths of files that hold the credentials')
  if (!Number.isInteger(timeoutMs) || (timeoutMs as number) < 500 || (timeoutMs as number) > 60_000)
    throw new Error('venue: timeoutMs is from 500 to 60000')
  return {
    kind,
    name,
    exchange,
    ...(origin === undefined ? {} : { origin }),
    apiKeyFile,
    secretFile,
    timeoutMs: timeoutMs as number,
  }
}

/**
 * @param rests shared with all that asks the exchange from this process
 * @throws Error when a file of credentials can't be read; never with what is in it
 */
export const openVenue = (
  { name, exchange, origin, apiKeyFile, secretFile, timeoutMs }: VenueSettings,
  rests: Rests = createRests(Date.now),
): Venue =>
  createCcxtVenue(
    name,
    { exchange, origin, apiKey: credential(apiKeyFile), secret: credential(secretFile), timeoutMs },
    rests,
  )

const credential = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`venue: ${file} can't be read (${(error as NodeJS.ErrnoException).code})`, { cause: error })
  }
}

/**
 * Provides the sandbox's exchange set-up: price sources that follow the script, their settings, and inventory from the
 * owner's money.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Catalogue } from '../../server/src/market/assets/index.ts'
import { uuidv7 } from '../../server/src/platform/base/id.ts'
import { inTransaction, type Db } from '../../server/src/platform/db/index.ts'
import { fundPosition } from '../../server/src/exchange/exchanges/index.ts'
import { fundVenue } from '../../server/src/exchange/hedging/index.ts'
import { applyAll, PLATFORM, totalOf } from '../../server/src/ledger/postings/index.ts'
import { parseUnits } from '../../server/src/platform/money/index.ts'

export const newId = (): string => uuidv7(Date.now(), randomBytes(10))

/** A script may move prices by a fifth per minute before they are rejected. */
const JUMP = { jumpBpsPerMinute: 2_000 }

/** Initial balances of the sandbox's owner at the venue. */
export const VENUE_BALANCES: Record<string, string> = {
  BTC: '20',
  ETH: '500',
  BNB: '500',
  TRX: '500000',
  USDT: '1000000',
  USDC: '500000',
  KZT: '200000000',
}
const VENUE = 'binance'
/** Limits of the position, wider than any script needs. */
const MOST: Record<string, string> = {
  BTC: '1000',
  ETH: '20000',
  BNB: '50000',
  TRX: '100000000',
  USDT: '50000000',
  USDC: '50000000',
  UAH: '1000000000',
  KZT: '10000000000',
}

export interface VenuePlace {
  readonly url: string
  readonly apiKeyFile: string
  readonly secretFile: string
}

/**
 * @param market URL of all six sources
 * @param absent tickers that the sandbox does not serve: their node is missing
 * @param venue where to hedge; without it, exchanges are not hedged
 */
export function writeExchangeFile(dir: string, market: string, absent: readonly string[], venue?: VenuePlace): string {
  const at = { origin: market }
  const file = join(dir, 'settings', 'exchange.json')
  const isServed = (ticker: string): boolean => !absent.includes(ticker)
  const most = Object.entries(MOST).filter(([ticker]) => isServed(ticker))
  const settings = {
    sources: { venues: { binance: at, kraken: at, bybit: at, whitebit: at }, official: { nbu: at, nbk: at } },
    legs: Object.fromEntries(
      ['BTC', 'ETH', 'BNB', 'TRX', 'USDC', 'UAH', 'KZT', 'USD', 'EUR'].filter(isServed).map((ticker) => [ticker, JUMP]),
    ),
    exchange: {
      assets: Object.fromEntries(most.map(([ticker, units]) => [ticker, { long: units, short: units }])),
    },
  }
  writeFileSync(file, `${JSON.stringify({ ...settings, ...(venue && { hedging: hedgingOn(venue) }) }, null, 2)}\n`, {
    mode: 0o600,
  })
  return file
}

const hedgingOn = ({ url: origin, ...credentials }: VenuePlace): object => ({
  venue: { kind: 'ccxt', name: VENUE, exchange: 'binance', origin, ...credentials, timeoutMs: 3_000 },
  slippageBps: 100,
  mostUsdtPerHour: '1000000',
})

/** Returns the account with the venue, which is created once and stored. */
export function venueAccount(keysFolder: string): { apiKey: string; secret: string } & Omit<VenuePlace, 'url'> {
  const [apiKeyFile, secretFile] = [join(keysFolder, 'venue-key'), join(keysFolder, 'venue-secret')]
  for (const file of [apiKeyFile, secretFile])
    if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 })
  return {
    apiKeyFile,
    secretFile,
    apiKey: readFileSync(apiKeyFile, 'utf8').trim(),
    secret: readFileSync(secretFile, 'utf8').trim(),
  }
}

/** Posts the owner's balances at the venue, once. */
export async function stockVenue(db: Db, catalogue: Catalogue): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { rows } = await sql`select 1 from ledger_accounts where kind = ${`venue:${VENUE}`} limit 1`.execute(tx)
    if (rows.length > 0) return
    for (const [ticker, amount] of Object.entries(VENUE_BALANCES)) {
      const parsed = parseUnits(amount, catalogue.find(ticker)?.scale ?? 0)
      if (catalogue.find(ticker) && parsed.ok)
        await fundVenue(tx, VENUE, ticker, parsed.units, { at: new Date(), newId })
    }
  })
}

/** Initial inventory of the sandbox's owner. */
const STOCK: Record<string, string> = {
  BTC: '1',
  ETH: '20',
  BNB: '20',
  TRX: '20000',
  USDT: '50000',
  USDC: '20000',
  UAH: '2000000',
  KZT: '20000000',
}
const LOOK_EVERY_MS = 1_000

const inBankItem = (asset: string, units: bigint, at: Date): Parameters<typeof applyAll>[1][number] => {
  const id = newId()
  const entry = (kind: 'bank' | 'capital', posted: bigint) => ({
    account: { merchantId: PLATFORM, asset, kind },
    posted,
    held: 0n,
  })
  return {
    transfer: {
      id,
      merchantId: PLATFORM,
      kind: 'post',
      cause: { kind: 'funding', id },
      entries: [entry('bank', -units), entry('capital', units)],
      at,
    },
  }
}

/**
 * Adds the owner's money to the position once it is posted, each asset once; currencies are in the owner's own bank
 * account. Resolves when all is done, or on request.
 */
export async function stockPositions(db: Db, catalogue: Catalogue, signal: AbortSignal): Promise<void> {
  const left = new Map(Object.entries(STOCK).filter(([ticker]) => catalogue.find(ticker) !== undefined))
  while (left.size > 0 && !signal.aborted) {
    for (const [ticker, amount] of left) {
      const parsed = parseUnits(amount, catalogue.find(ticker)!.scale)
      if (!parsed.ok) throw new Error(`${amount} is no amount of ${ticker}`)
      const { rows } = await sql`select 1 from exchange_inventory where asset = ${ticker} limit 1`.execute(db)
      if (rows.length > 0) left.delete(ticker)
      else if (catalogue.findFiat(ticker) || (await totalOf(db, ticker, 'capital')) >= parsed.units) {
        const moment = { at: new Date(), newId }
        await inTransaction(db, async (tx) => {
          // Coins are posted when their block is final; money in the owner's own bank account is posted at once.
          if (catalogue.findFiat(ticker)) await applyAll(tx, [inBankItem(ticker, parsed.units, moment.at)])
          await fundPosition(tx, ticker, parsed.units, moment)
        })
        left.delete(ticker)
      }
    }
    if (left.size > 0) await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

import { spentSince } from '../costs/index.ts'
import { NATIVE_TICKER, type Network } from '@bursar/chainkit'
import type { Db } from '../../platform/db/index.ts'

const DAYS = 7
const DAY_MS = 86_400_000

/** How long the hot wallet can pay the network's fees at the rate of the last days. */
export interface Runway {
  network: Network
  /** the coin fees are paid in: gas on EVM chains, energy and bandwidth burnt on TRON */
  ticker: string
  /** ledger units paid in the last seven days, today included */
  spent: bigint
  /** null when nothing was spent */
  days: number | null
}

/**
 * Calculates the runway of a network.
 * @param hot balance of the hot wallet in the network's coin, ledger units
 * @param now ms since the epoch, on the clock that costs are dated by
 */
export const runwayOf = async (db: Db, network: Network, hot: bigint, now: number): Promise<Runway> => {
  const ticker = NATIVE_TICKER[network]
  const since = new Date(now - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
  const spent = await spentSince(db, network, ticker, since)
  // Tenths of a day: the number is for people, so a float is precise enough.
  const days = spent > 0n ? Number((hot * BigInt(DAYS) * 10n) / spent) / 10 : null
  return { network, ticker, spent, days }
}

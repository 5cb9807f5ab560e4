import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/** Result of a comparison for one asset of a network, in ledger units. */
export interface CustodyLine {
  network: Network
  ticker: string
  height: number
  hash: string
  /** balance of our wallets by the ledger */
  booked: bigint
  onChain: bigint
  /** sums of the shortages and of the surpluses of single addresses; neither is negative */
  short: bigint
  surplus: bigint
}

/** One comparison of a network. */
export interface Round {
  network: Network
  height: number
  lines: CustodyLine[]
  /** addresses that were compared */
  compared: number
  /** addresses that changed and wait for the next round */
  left: number
  /** outcome of a due scan of all coins; null when none was due */
  scan: 'done' | 'failed' | null
}

/** Returns when all coins of a network were last scanned; null: never. */
export const scannedAt = async (db: Db | Tx, network: Network): Promise<Date | null> => {
  const { rows } = await sql<{
    at: Date | null
  }>`select max(scanned_at) as at from custody_rounds where network = ${network}`.execute(db)
  return rows[0]!.at
}

export const noteScan = async (db: Db | Tx, network: Network, at: Date): Promise<void> => {
  await sql`update custody_rounds set scanned_at = ${at} where network = ${network}`.execute(db)
}

export const storeRound = async (db: Db | Tx, lines: readonly CustodyLine[], at: Date): Promise<void> => {
  for (const line of lines) {
    await sql`insert into custody_rounds(network, asset, height, hash, booked, on_chain, short, surplus, compared_at)
      values (${line.network}, ${line.ticker}, ${line.height}, ${line.hash}, ${line.booked}, ${line.onChain}, ${line.short}, ${line.surplus}, ${at})
      on conflict (network, asset) do update set height = excluded.height, hash = excluded.hash, booked = excluded.booked,
        on_chain = excluded.on_chain, short = excluded.short, surplus = excluded.surplus, compared_at = excluded.compared_at`.execute(
      db,
    )
  }
}

/** Returns the newest comparison of each asset and network. */
export const listRounds = async (db: Db | Tx): Promise<(CustodyLine & { comparedAt: Date })[]> => {
  const { rows } = await sql<CustodyLine & { comparedAt: Date }>`select network, asset as ticker, height, hash, booked,
      on_chain as "onChain", short, surplus, compared_at as "comparedAt" from custody_rounds order by network, asset`.execute(
    db,
  )
  return rows
}

import { newestRead } from '../../chain/watcher/index.ts'
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { familyOf } from '../../chain/addresses/index.ts'
import type { AssetOnNetwork, Catalogue, CryptoAsset } from '../../market/assets/index.ts'
import { comparandsOf, recordedTotals, type Comparand } from '../../ledger/address-balances/index.ts'
import type { Db } from '../../platform/db/index.ts'

/** The books of a network at the block the watcher has read to: ledger units, by asset. */
export interface Books {
  height: number
  hash: string
  /** the ledger: custody, plus amounts that the chain shows and that are posted once final */
  ledger: Map<string, bigint>
  /** the records of addresses; their sums differ from the ledger's only if one of the two is wrong */
  recorded: Map<string, bigint>
  comparands: Comparand[]
}

export interface RoundLimits {
  /** most changed addresses compared in one round; the others wait for the next */
  mostTouched: number
  /** idle addresses are compared again when their last comparison is this old, so many in a round */
  idleAfterMs: number
  mostIdle: number
  /**
   * on a chain of coins, the interval of scans of all unspent outputs, a day when absent; in between, the node is asked
   * for known coins
   */
  scanAfterMs?: number
  /** how long the watcher may take to read the block of such a scan, half a minute when absent */
  readWithinMs?: number
}

/** With a million idle addresses and a round every 5 minutes, all are compared within four days after the week. */
export const DEFAULT_ROUND_LIMITS: RoundLimits = { mostTouched: 20_000, idleAfterMs: 7 * 86_400_000, mostIdle: 1_000 }

/**
 * Reads the cursor, the ledger, and the records that are due for comparison, in one snapshot. Undefined while the
 * network has not been read, or has not been read again after its final blocks were lost.
 */
export const readBooks = async (db: Db, network: Network, limits: RoundLimits, at: Date): Promise<Books | undefined> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const cursor = await newestRead(tx, network)
      if (!cursor) return undefined
      const ledger = await sql<{ asset: string; units: bigint }>`select asset, sum(units) as units from (
        select asset, -posted as units from ledger_accounts where kind = ${`custody:${network}`}
        union all
        select asset, units from deposits where network = ${network} and state = 'pending' and block_height is not null and not internal and index not like 's:%'
        union all
        select asset, units from fundings where network = ${network} and not booked
      ) x group by asset`.execute(tx)
      return {
        ...cursor,
        ledger: new Map(ledger.rows.map((row) => [row.asset, row.units])),
        recorded: await recordedTotals(tx, network),
        comparands: await comparandsOf(tx, network, familyOf(network), {
          ...limits,
          idleSince: new Date(at.getTime() - limits.idleAfterMs),
        }),
      }
    })

/** The assets of a network, in a fixed order. */
export const assetsOn = (catalogue: Catalogue, network: Network): { asset: CryptoAsset; on: AssetOnNetwork }[] =>
  catalogue.crypto.flatMap((asset) => {
    const on = asset.networks.get(network)
    return on ? [{ asset, on }] : []
  })

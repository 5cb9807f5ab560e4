import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { familyOf } from '../addresses/index.ts'
import type { AssetOnNetwork, Catalogue, CryptoAsset } from '../assets/index.ts'
import type { Db } from '../db/index.ts'
import { rescale } from '../money/index.ts'

/** What the books say we hold of an asset on a network, at the height the watcher has read to. Ledger units. */
export interface BookedCustody {
  height: number
  hash: string
  /** by ticker: custody, plus what the chain already shows but is not booked before it is final */
  expected: Map<string, bigint>
  /** every address of ours that may hold anything */
  addresses: string[]
}

/** Reads the books and the cursor in one snapshot. Undefined while the network has not been read. */
export const readBookedCustody = async (db: Db, network: Network): Promise<BookedCustody | undefined> =>
  db.transaction().setIsolationLevel('repeatable read').execute(async (tx) => {
    const cursor = await sql<{ height: number; hash: string }>`select height, hash from watch_cursors where network = ${network}`.execute(tx)
    if (!cursor.rows[0]) return undefined
    const { height, hash } = cursor.rows[0]
    const { rows } = await sql<{ asset: string; units: bigint }>`select asset, sum(units) as units from (
        select asset, -posted as units from ledger_accounts where kind = ${`custody:${network}`}
        union all
        select asset, units from deposits where network = ${network} and state = 'pending' and block_height is not null and not internal
        union all
        select asset, units from fundings where network = ${network} and not booked
      ) x group by asset`.execute(tx)
    const addresses = await sql<{ address: string }>`select address from house_addresses where family = ${familyOf(network)}
      union select address from deposits where network = ${network} and not internal`.execute(tx)
    return {
      height,
      hash,
      expected: new Map(rows.map((row) => [row.asset, row.units])),
      addresses: addresses.rows.map((row) => row.address),
    }
  })

export interface CustodyLine {
  network: Network
  ticker: string
  height: number
  /** ledger units */
  booked: bigint
  onChain: bigint
}

/** The assets of a network, in a fixed order. */
export const assetsOn = (catalogue: Catalogue, network: Network): { asset: CryptoAsset; on: AssetOnNetwork }[] =>
  catalogue.crypto.flatMap((asset) => {
    const on = asset.networks.get(network)
    return on ? [{ asset, on }] : []
  })

/** Puts chain balances (chain units, in the order asset by asset, address by address) beside what is booked. */
export const compareCustody = (
  network: Network,
  booked: BookedCustody,
  assets: readonly { asset: CryptoAsset; on: AssetOnNetwork }[],
  balances: readonly bigint[],
): CustodyLine[] =>
  assets.map(({ asset, on }, i) => {
    const own = balances.slice(i * booked.addresses.length, (i + 1) * booked.addresses.length)
    const onChain = rescale(own.reduce((sum, units) => sum + units, 0n), on.decimals, asset.scale)
    return { network, ticker: asset.ticker, height: booked.height, booked: booked.expected.get(asset.ticker) ?? 0n, onChain }
  })

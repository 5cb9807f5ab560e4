import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { firstIndex, type BitcoinSeeds } from '../addresses/index.ts'
import type { OwnCoin } from './coins.ts'

/** Returns those of these Bitcoin transactions that spend coins of cold addresses, each with one of those addresses. */
export const coldPayers = async (tx: Tx, hashes: readonly string[]): Promise<Map<string, string>> => {
  const { rows } = await sql<{
    hash: string
    address: string
  }>`select distinct on (spent_by) spent_by as hash, address from utxos
    where network = 'BITCOIN' and account = 'cold' and spent_by = any(${[...hashes]}::text[])
    order by spent_by, address`.execute(tx)
  return new Map(rows.map(({ hash, address }) => [hash, address]))
}

/** Returns the confirmed, unspent coins of addresses. */
export const unspentAt = async (
  tx: Tx,
  network: Network,
  addresses: readonly string[],
): Promise<Pick<OwnCoin, 'transaction' | 'vout' | 'address'>[]> => {
  const { rows } = await sql<
    Pick<OwnCoin, 'transaction' | 'vout' | 'address'>
  >`select transaction, vout, address from utxos
      where network = ${network} and address = any(${[...addresses]}::text[]) and block_height is not null and spent_by is null`.execute(
    tx,
  )
  return rows
}

/**
 * Returns the largest of the confirmed coins at these outpoints that a Bitcoin transaction has reserved and not spent.
 */
export const largestReserved = async (
  db: Db,
  outgoingId: string,
  outpoints: readonly string[],
): Promise<OwnCoin | undefined> => {
  const { rows } =
    await sql<OwnCoin>`select transaction, vout, address, account, branch, derivation_index as index, units from utxos
    where network = 'BITCOIN' and reserved_by = ${outgoingId} and spent_by is null and block_height is not null
      and transaction || ':' || vout = any(${[...outpoints]}::text[]) order by units desc, transaction, vout limit 1`.execute(
      db,
    )
  return rows[0]
}

/** Returns the confirmed, unspent coins of the first seed when a second has replaced it: their sum and their number. */
export const leftUnderFirstSeed = async (
  db: Db,
  network: Network,
  wallet: BitcoinSeeds,
): Promise<{ units: bigint; coins: number }> => {
  const { rows } = await sql<{ units: bigint; coins: number }>`
    select coalesce(sum(units), 0) as units, count(*) as coins from utxos
    where network = ${network} and spent_by is null and block_height is not null and account <> 'cold'
      and derivation_index < ${firstIndex(wallet, 'BITCOIN')}`.execute(db)
  return rows[0]!
}

import type { Network } from '@bursar/chainkit'
import { SECOND_SEED } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { firstIndex, isSeedReplaced, type Seeds } from '../addresses/index.ts'
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
  wallet: Seeds,
): Promise<{ units: bigint; coins: number }> => {
  const { rows } = await sql<{ units: bigint; coins: number }>`
    select coalesce(sum(units), 0) as units, count(*) as coins from utxos
    where network = ${network} and spent_by is null and block_height is not null and account <> 'cold'
      and derivation_index < ${firstIndex(wallet, 'BITCOIN')}`.execute(db)
  return rows[0]!
}

/**
 * Whether a deposit's coin may be taken back by the holder of a first seed that was replaced: no transaction of ours
 * has moved it in a final block.
 * @param index of the deposit: `o:` and the number of the output
 */
export const isOpenToFirstSeed = (
  hash: RawBuilder<unknown>,
  index: RawBuilder<unknown>,
  finalHeight: number,
): RawBuilder<boolean> => sql<boolean>`(${isSeedReplaced('BITCOIN')} and exists (select 1 from utxos u
    where u.network = 'BITCOIN' and u.transaction = ${hash} and 'o:' || u.vout = ${index}
      and u.account <> 'cold' and u.derivation_index < ${SECOND_SEED}
      and (u.spent_height is null or u.spent_height > ${finalHeight} or not exists (
        select 1 from outgoing_attempts a where a.network = 'BITCOIN' and a.hash = u.spent_by))))`

import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { depositAddress, type DepositKeys } from './derivation.ts'
import { familyOf, type AddressFamily } from './family.ts'
import { INDEX_LEAP } from './indexes.ts'
import { firstIndexes, type Seeds } from './seeds.ts'

/*
 * Forgotten addresses: after a restore, deposit addresses that may have been given to a merchant after the copy was
 * made. They are not handed out again. They are recorded as the platform's own, with the account `forgotten`: what they
 * receive is recorded and posted to suspense.
 */

/**
 * Removes the stock of an earlier era and records its addresses as forgotten, because any of them may have been handed
 * out. Until then they stay in the stock and are not handed out.
 * @returns the number of addresses
 */
export const setAside = async (tx: Tx): Promise<number> => {
  const { rows } = await sql`with void as (
      delete from address_stock where era <> (select database_era()) returning family, address, derivation_index)
    insert into house_addresses(family, address, account, branch, derivation_index, created_at)
    select family, address, 'forgotten', 1, derivation_index, transaction_timestamp() from void
    on conflict do nothing returning 1`.execute(tx)
  return rows.length
}

/**
 * Voids the whole stock and advances every counter of deposit addresses, in any era of the database. A counter of an
 * older seed than the one in use advances from the first index of that.
 */
export const leap = async (tx: Tx, keys: Seeds): Promise<void> => {
  const { families, first } = firstIndexes(keys)
  await sql`update address_stock set era = ''`.execute(tx)
  await setAside(tx)
  await sql`update derivation_counters c set next_index = greatest(next_index, s.first) + ${INDEX_LEAP}::bigint, era = database_era()
    from unnest(${families}::text[], ${first}::bigint[]) s(family, first) where s.family = c.family`.execute(tx)
}

/** The next index of each family's deposit addresses, and of Bitcoin's change. */
export const readCounters = async (db: Db | Tx): Promise<{ family: AddressFamily; branch: 0 | 1; next: number }[]> => {
  const { rows } = await sql<{
    family: AddressFamily
    branch: 0 | 1
    next: number
  }>`select family, branch, next_index as next
    from derivation_counters where (account, branch) in (('deposit', 0), ('hot', 1)) order by family, branch`.execute(
    db,
  )
  return rows
}

/**
 * Records deposit addresses as forgotten that may have been given out after the copy was made.
 * @returns how many were not known
 */
export const rememberForgotten = async (
  tx: Tx,
  keys: DepositKeys,
  family: AddressFamily,
  first: number,
  count: number,
  { at }: Moment,
): Promise<number> => {
  const indexes = Array.from({ length: count }, (_, i) => first + i)
  const { rows } = await sql`insert into house_addresses(family, address, account, branch, derivation_index, created_at)
    select ${family}, u.address, 'forgotten', 1, u.index, ${at}
    from unnest(${indexes}::bigint[], ${indexes.map((index) => depositAddress(keys, family, index))}::text[]) u(index, address)
    where not exists (select from addresses a where a.family = ${family} and a.address = u.address)
    on conflict do nothing returning 1`.execute(tx)
  return rows.length
}

/**
 * Assigns a forgotten address to the merchant that had it: later deposits are credited.
 * @returns its new id; undefined when no such address is forgotten
 */
export const giveBack = async (
  tx: Tx,
  {
    merchantId,
    blockchain,
    address,
    meta,
  }: { merchantId: string; blockchain: Network; address: string; meta: string | null },
  { at, newId }: Moment,
): Promise<string | undefined> => {
  const id = newId()
  const { rows } = await sql`with found as (
      delete from house_addresses where family = ${familyOf(blockchain)} and address = ${address} and account = 'forgotten'
      returning family, address, derivation_index)
    insert into addresses(merchant_id, id, family, blockchain, address, derivation_index, meta, created_at)
    select ${merchantId}, ${id}, family, ${blockchain}, address, derivation_index, ${meta}, ${at} from found returning id`.execute(
    tx,
  )
  return rows.length === 0 ? undefined : id
}

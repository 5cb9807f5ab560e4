/** Addresses of the platform: watched, counted as ours, and owned by no merchant. */
import { SECOND_SEED } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { AddressFamily } from './family.ts'

/**
 * Records addresses of the hot wallet, so that transfers to them are recognised as ours. Idempotent.
 * @param branch 0: an address that is paid to and from; 1: change
 */
export const knowHotAddresses = async (
  db: Db | Tx,
  branch: 0 | 1,
  addresses: readonly { family: AddressFamily; address: string; index: number }[],
  at: Date,
): Promise<void> => {
  await sql`insert into house_addresses(family, address, account, branch, derivation_index, created_at)
    select f, a, 'hot', ${branch}::int, i, ${at} from unnest(${addresses.map(({ family }) => family)}::text[], ${addresses.map(({ address }) => address)}::text[],
      ${addresses.map(({ index }) => index)}::bigint[]) x(f, a, i)
    on conflict do nothing`.execute(db)
}

/** Records a cold address. Idempotent. @returns false when its key is here, because it is a deposit or hot address */
export const knowColdAddress = async (
  db: Db | Tx,
  family: AddressFamily,
  address: string,
  at: Date,
): Promise<boolean> => {
  const { rows } = await sql<{ account: string }>`with added as (
      insert into house_addresses(family, address, account, branch, derivation_index, created_at)
      select ${family}, ${address}, 'cold', 0, 0, ${at} where not exists (select from addresses where family = ${family} and address = ${address})
      on conflict do nothing returning account)
    select account from added union all select account from house_addresses where family = ${family} and address = ${address}`.execute(
    db,
  )
  return rows[0]?.account === 'cold'
}

/** Whether a second seed has replaced the first of a family (docs/decisions/0210): its hot address is recorded. */
export const isSeedReplaced = (
  family: AddressFamily,
): RawBuilder<boolean> => sql<boolean>`exists (select 1 from house_addresses
  where family = ${family} and account = 'hot' and branch = 0 and derivation_index = ${SECOND_SEED})`

/** Whether an index of a key belongs to a first seed that a second has replaced. */
export const isOfReplacedSeed = (family: AddressFamily, index: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(${index} < ${SECOND_SEED} and ${isSeedReplaced(family)})`

/** Whether an index of a key belongs to a first seed that another party may have, and that a second has replaced. */
export const isOfStolenSeed = (family: AddressFamily, index: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(${index} < ${SECOND_SEED} and exists (select 1 from house_addresses
    where family = ${family} and account = 'hot' and branch = 0 and derivation_index < ${SECOND_SEED} and stolen_at is not null))`

/** Whether a deposit address of EVM chains belongs to a first seed that another party may have. */
export const isAtStolenSeed = (address: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from addresses w where w.family = 'EVM' and w.address = ${address}
    and ${isOfStolenSeed('EVM', sql`w.derivation_index`)})`

/** Records that another party may have the first seed of EVM chains. This can't be undone. */
export const noteStolenSeed = async (db: Db | Tx, at: Date): Promise<void> => {
  await sql`update house_addresses set stolen_at = ${at} where family = 'EVM' and account = 'hot' and branch = 0
    and derivation_index < ${SECOND_SEED} and stolen_at is null`.execute(db)
}

/** Whether another party may have the first seed of EVM chains. */
export const isFirstSeedStolen = async (db: Db | Tx): Promise<boolean> => {
  const { rows } = await sql<{ stolen: boolean }>`select ${isOfStolenSeed('EVM', sql`0`)} as stolen`.execute(db)
  return rows[0]!.stolen
}

/** The hot addresses on EVM chains of a first seed that a second has replaced; otherwise none. */
export const replacedHotAddresses = async (db: Db): Promise<{ address: string; index: number }[]> => {
  const { rows } = await sql<{
    address: string
    index: number
  }>`select address, derivation_index as index from house_addresses
    where family = 'EVM' and account = 'hot' and branch = 0 and ${isOfReplacedSeed('EVM', sql`derivation_index`)} order by 2`.execute(
    db,
  )
  return rows
}

/** An address and the key that its row states it derives from. */
export interface DerivedAddress {
  family: AddressFamily
  account: 'hot' | 'deposit'
  index: number
  address: string
}

/** The first hot address of each family and of each seed, and a deposit address of each family. */
export const sampleAddresses = async (db: Db): Promise<DerivedAddress[]> => {
  const { rows } = await sql<DerivedAddress>`
    select family, account, derivation_index as index, address from house_addresses where account = 'hot' and branch = 0 and derivation_index in (0, ${SECOND_SEED})
    union all
    select f, 'deposit', a.derivation_index, a.address from unnest(array['BITCOIN', 'EVM', 'TRON']) f
    cross join lateral (select derivation_index, address from addresses where family = f limit 1) a`.execute(db)
  return rows
}

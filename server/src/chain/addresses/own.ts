/** Addresses of the platform: watched, counted as ours, and owned by no merchant. */
import { SECOND_SEED } from '@bursar/chainkit'
import { sql } from 'kysely'
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

/** Whether a second seed has replaced the first of Bitcoin (docs/decisions/0210): its hot address is recorded. */
export const isSeedReplaced = sql<boolean>`exists (select 1 from house_addresses
  where family = 'BITCOIN' and account = 'hot' and branch = 0 and derivation_index = ${SECOND_SEED})`

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

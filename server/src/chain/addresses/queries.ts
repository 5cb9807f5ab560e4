import type { KeyAccount, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Query, Tx } from '../../platform/db/index.ts'
import type { KeyedPage } from '../../platform/lists/keyed.ts'
import { familyOf, type AddressFamily } from './family.ts'

/** The owner of a deposit address. It never changes. */
export interface AddressOwner {
  merchantId: string
  addressId: string
  /** canonical: lowercase bech32 on Bitcoin, EIP-55 on EVM chains */
  address: string
  /** index of the key that the row states it derives from */
  index: number
  meta: string | null
  /** end of a rotating address on the business clock; null on a permanent one */
  leasedUntil: Date | null
}

/**
 * An address of the platform: hot wallet, change, cold storage (whose key is not here), or one whose owner a restored
 * copy does not know.
 */
export interface OwnAddress {
  address: string
  account: KeyAccount | 'cold' | 'forgotten'
  branch: 0 | 1
  index: number
}

/**
 * Returns the owners of those of these addresses that are deposit addresses. One indexed query, however many addresses
 * the database has. Pass canonical addresses, as chain adapters return them: they are compared as text.
 */
export const ownerOf = async (
  db: Db | Tx,
  family: AddressFamily,
  addresses: readonly string[],
): Promise<Map<string, AddressOwner>> => {
  if (addresses.length === 0) return new Map()
  const { rows } = await sql<AddressOwner>`
    select a.merchant_id as "merchantId", a.id as "addressId", a.address, a.derivation_index as index, a.meta, a.leased_until as "leasedUntil"
    from unnest(${[...addresses]}::text[]) u(address)
    join addresses a on a.address = u.address and a.family = ${family}`.execute(db)
  return new Map(rows.map((row) => [row.address, row]))
}

/**
 * Locks deposit addresses until the transaction ends, always in the same order. Other plans for them, a sweep or a
 * payment, wait.
 */
export const lockAddresses = async (tx: Tx, family: AddressFamily, addresses: readonly string[]): Promise<void> => {
  await sql`select from addresses where family = ${family} and address = any(${[...addresses]}::text[]) order by address for no key update`.execute(
    tx,
  )
}

/** Returns those of these addresses that are the platform's own. */
export const ownAddressesAmong = async (
  db: Db | Tx,
  family: AddressFamily,
  addresses: readonly string[],
): Promise<Map<string, OwnAddress>> => {
  if (addresses.length === 0) return new Map()
  const { rows } = await sql<OwnAddress>`
    select address, account, branch, derivation_index as index
    from house_addresses where family = ${family} and address = any(${[...addresses]}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.address, row]))
}

/** Returns those of these addresses that are the operator's cold storage. */
export const coldAddressesAmong = async (
  db: Db | Tx,
  family: AddressFamily,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> => {
  const platform = await ownAddressesAmong(db, family, addresses)
  return new Set([...platform.values()].filter(({ account }) => account === 'cold').map(({ address }) => address))
}

const HOLDERS = `with asked as (select * from unnest($1::text[], $2::text[]) u(family, address))
  select family, address, false as platform from asked join addresses using (family, address)
  union all
  select family, address, true from asked join house_addresses using (family, address)`

/**
 * Returns the owner of each of these addresses, without those that have no owner here.
 * @returns by family and address, as `EVM/0x...`
 */
export const holdersOf = async (
  query: Query,
  asked: readonly { family: AddressFamily; address: string }[],
): Promise<Map<string, 'merchant' | 'platform'>> => {
  const rows = await query('address-holders', HOLDERS, [
    asked.map((each) => each.family),
    asked.map((each) => each.address),
  ])
  return new Map(
    rows.map(({ family, address, platform }) => [
      `${family as string}/${address as string}`,
      platform ? 'platform' : 'merchant',
    ]),
  )
}

/**
 * Rotating addresses that have not ended, a page at a time in the order of their ends.
 * @param after the last address of the page before
 */
export const openLeases = async (
  db: Db | Tx,
  family: AddressFamily,
  now: Date,
  after: AddressOwner | undefined,
  most: number,
): Promise<AddressOwner[]> => {
  const next = after === undefined ? sql`true` : sql`(leased_until, address) > (${after.leasedUntil}, ${after.address})`
  const { rows } = await sql<AddressOwner>`
    select merchant_id as "merchantId", id as "addressId", address, derivation_index as index, meta, leased_until as "leasedUntil"
    from addresses where family = ${family} and leased_until > ${now} and ${next}
    order by leased_until, address limit ${most}`.execute(db)
  return rows
}

/**
 * All deposit addresses of a family, ended ones too, a page at a time in their order. @param after the last address of
 * the page before, or ''
 */
export const addressesAfter = async (
  db: Db | Tx,
  family: AddressFamily,
  after: string,
  most: number,
): Promise<AddressOwner[]> => {
  const { rows } = await sql<AddressOwner>`
    select merchant_id as "merchantId", id as "addressId", address, derivation_index as index, meta, leased_until as "leasedUntil"
    from addresses where family = ${family} and address > ${after}
    order by address limit ${most}`.execute(db)
  return rows
}

/** A page of all deposit addresses of a merchant, by id. */
export const addressesById = async (
  db: Db,
  merchantId: string,
  { after, before, limit }: KeyedPage,
): Promise<{ id: string; blockchain: string; address: string; meta: string | null; createdAt: Date }[]> =>
  (
    await sql<{ id: string; blockchain: string; address: string; meta: string | null; createdAt: Date }>`select id,
        blockchain, address, meta, created_at as "createdAt" from addresses
      where merchant_id = ${merchantId} and id > ${after} and created_at < ${before} order by id limit ${limit}`.execute(
      db,
    )
  ).rows

/** An address that needs no transaction to be paid from another account of this installation. */
export type OurAddress = { kind: 'deposit'; owner: AddressOwner } | { kind: 'platform'; platform: OwnAddress }

/** Returns our own address behind a destination on that network, or null when it is another party's. */
export const isOurs = async (db: Db | Tx, network: Network, address: string): Promise<OurAddress | null> => {
  const family = familyOf(network)
  const owner = (await ownerOf(db, family, [address])).get(address)
  if (owner) return { kind: 'deposit', owner }
  const platform = (await ownAddressesAmong(db, family, [address])).get(address)
  return platform ? { kind: 'platform', platform } : null
}

import { NETWORKS, type Network } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import { familyOf, ownerOf, type AddressFamily, type AddressOwner } from '../../chain/addresses/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { foundByBalance, hasHash, type Deposit } from './deposit.ts'
import { DEPOSIT_COLUMNS } from './store.ts'

/** Returns the owners of addresses with deposits found by balance whose blocks were lost. */
export const lostByBalance = async (db: Db, network: Network): Promise<AddressOwner[]> => {
  const { rows } = await sql<{ address: string }>`select distinct d.address from deposits d
    where d.network = ${network} and d.block_height is null and d.state = 'orphaned' and d.index like 'b:%'`.execute(db)
  return [
    ...(
      await ownerOf(
        db,
        familyOf(network),
        rows.map(({ address }) => address),
      )
    ).values(),
  ]
}

/** Returns those of these addresses on which a comparison at a newer block has found coin. */
export const comparedAbove = async (
  tx: Tx,
  network: Network,
  addresses: readonly string[],
  height: number,
): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ address: string }>`select distinct d.address from deposits d
    where d.network = ${network} and d.address = any(${[...addresses]}::text[]) and d.index = 'b:' || d.address and d.block_height > ${height}`.execute(
    tx,
  )
  return new Set(rows.map(({ address }) => address))
}

/** Returns these deposits of the given addresses, locked, oldest first. */
export const lockLostByBalance = async (tx: Tx, network: Network, addresses: readonly string[]): Promise<Deposit[]> => {
  const { rows } = await sql<Deposit>`select ${DEPOSIT_COLUMNS} from deposits d
    where d.network = ${network} and d.block_height is null and d.state = 'orphaned' and d.index = any(${addresses.map(foundByBalance)}::text[])
    order by d.created_at, d.id for update`.execute(tx)
  return rows
}

export const findDeposit = async (db: Db | Tx, merchantId: string, id: string): Promise<Deposit | undefined> => {
  const { rows } = await sql<Deposit>`select ${DEPOSIT_COLUMNS} from deposits d
    where d.merchant_id = ${merchantId} and d.id = ${id}`.execute(db)
  return rows[0]
}

/** Whether the deposit was put into quarantine when it was confirmed. */
export const wasHeld = async (
  db: Db | Tx,
  { merchantId, id }: Pick<Deposit, 'merchantId' | 'id'>,
): Promise<boolean> => {
  const { rows } = await sql<{
    held: boolean
  }>`select hold_until_verified as held from deposits where merchant_id = ${merchantId} and id = ${id}`.execute(db)
  return rows[0]?.held ?? false
}

/** The number of deposits in quarantine that wait for screening or for a decision. */
export const heldDeposits = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from deposits where state = 'held'`.execute(db)
  return rows[0]!.count
}

/** A deposit with the height of its network, to show its progress. */
export interface DepositAt extends Deposit {
  /** hash of the transaction; null if there is none, or it is unknown */
  hash: string | null
  /** credited when the chain reaches this height; null: when its block is final */
  creditHeight: number | null
  /** height up to which the network has been read; null before the first block */
  headHeight: number | null
}

/** A deposit of a merchant by its id, with the height of its network. */
export const findDepositAt = async (db: Db, merchantId: string, id: string): Promise<DepositAt | undefined> =>
  (await readAt(db, sql`d.merchant_id = ${merchantId} and d.id = ${id}`))[0]

/** Returns all deposits of an address, oldest first. */
export const depositsAt = async (
  db: Db | Tx,
  merchantId: string,
  family: AddressFamily,
  address: string,
): Promise<DepositAt[]> => {
  const networks = NETWORKS.filter((network) => familyOf(network) === family)
  return readAt(
    db,
    sql`d.network = any(${networks}::text[]) and d.address = ${address} and d.merchant_id = ${merchantId}`,
  )
}

/**
 * Deposits of an address, credited ones first, and then the larger first (in ledger units, of whatever asset). It reads
 * about as many rows as it returns, because anyone can send dust to an address, as often as they like.
 */
export const largestDepositsAt = async (
  db: Db | Tx,
  merchantId: string,
  family: AddressFamily,
  address: string,
  most: number,
): Promise<DepositAt[]> => {
  const networks = NETWORKS.filter((network) => familyOf(network) === family)
  return readAt(
    db,
    sql`d.network = any(${networks}::text[]) and d.address = ${address} and d.merchant_id = ${merchantId}`,
    sql`(d.state = 'credited') desc, d.units desc limit ${most}`,
  )
}

const readAt = async (
  db: Db | Tx,
  condition: RawBuilder<unknown>,
  order: RawBuilder<unknown> = sql`d.created_at, d.id`,
): Promise<DepositAt[]> => {
  const { rows } = await sql<
    Omit<DepositAt, 'hash'>
  >`select ${DEPOSIT_COLUMNS}, d.credit_height as "creditHeight", c.head_height as "headHeight"
    from deposits d left join watch_cursors c on c.network = d.network
    where ${condition} order by ${order}`.execute(db)
  return rows.map((deposit) => ({ ...deposit, hash: hasHash(deposit) ? deposit.transaction : null }))
}

/** SQL: how many deposits of a merchant are in quarantine until they are screened, at most `most`. */
export const countHeldOf = (merchantId: string, most: number): RawBuilder<number> =>
  sql`(select count(*) from (select from deposits where merchant_id = ${merchantId} and state = 'held' limit ${most}) d)`

import { isBeingSwept } from '../../treasury/sweeps/index.ts'
import { isSendingFrom } from '../../chain/transactions/index.ts'
import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { familyOf, isOfReplacedSeed, lockAddresses } from '../../chain/addresses/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { isCovered } from '../../ledger/stops/index.ts'

/** A deposit address that could pay a withdrawal. */
export interface Payer {
  /** the withdrawal it could pay */
  withdrawalId: string
  address: string
  derivationIndex: number
  /** final, in ledger units */
  units: bigint
}

/** The balance that a payment needs at an address, in ledger units of its asset. */
export interface Need {
  withdrawalId: string
  least: bigint
  /** null: no upper limit */
  most: bigint | null
}

const FEW = 3

/**
 * Returns deposit addresses with enough final units of an asset and nothing under way, smallest balance first. Deposits
 * above the final block do not count, because a reorganisation could still remove them.
 */
export const payersFor = async (db: Db, network: Network, asset: string, needs: readonly Need[]): Promise<Payer[]> => {
  const { rows } =
    await sql<Payer>`select n.id as "withdrawalId", p.address, p.derivation_index as "derivationIndex", p.units
    from unnest(${needs.map((one) => one.withdrawalId)}::uuid[], ${needs.map(({ least }) => least.toString())}::numeric[],
      ${needs.map(({ most }) => most?.toString() ?? null)}::numeric[]) with ordinality n(id, least, most, nth)
    cross join lateral (
      select c.address, a.derivation_index, c.booked - c.suspended - d.young as units
      from custody_addresses c join addresses a on a.family = ${familyOf(network)} and a.address = c.address
      cross join lateral (select coalesce(sum(d.units) filter (where d.block_height > w.final_height), 0) as young
        from deposits d join watch_cursors w on w.network = d.network
        where d.merchant_id = a.merchant_id and d.network = c.network and d.address = c.address and d.asset = c.asset
          and not d.internal and d.index not like 's:%' and d.block_height is not null) d
      where c.network = ${network} and c.asset = ${asset} and c.booked >= n.least and (n.most is null or c.booked <= n.most)
        and c.booked - c.suspended - d.young >= n.least and not ${isBusy(network)}
        and not ${isOfReplacedSeed(familyOf(network), sql`a.derivation_index`)}
        and not ${isCovered({ asset: sql`c.asset`, network: sql`c.network` })}
      order by c.booked, c.address limit ${FEW}) p order by n.nth, p.units, p.address`.execute(db)
  return rows
}

/** A condition on an address `a`: a sweep of it, a transaction that it sends or a loan of energy to it is under way. */
const isBusy = (network: Network) =>
  sql`(${isBeingSwept(network, sql`a.address`)} or ${isSendingFrom(sql`${network}`, sql`a.address`)})`

/**
 * Locks an address for the rest of this transaction, so that other code that plans for it waits. Returns false if
 * something is under way there by now.
 */
export const takeAddress = async (tx: Tx, network: Network, address: string): Promise<boolean> => {
  await lockAddresses(tx, familyOf(network), [address])
  const { rows } =
    await sql`select from addresses a where a.family = ${familyOf(network)} and a.address = ${address} and not ${isBusy(network)}`.execute(
      tx,
    )
  return rows.length === 1
}

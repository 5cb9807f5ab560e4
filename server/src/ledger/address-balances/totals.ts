import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/**
 * Recalculates the totals of the records. The caller prevents concurrent writes to `custody_addresses` and
 * `house_addresses`.
 */
export const recountTotals = async (tx: Tx): Promise<void> => {
  await sql`delete from custody_totals`.execute(tx)
  await sql`insert into custody_totals(network, asset, account, booked) select c.network, c.asset, custody_account(h.account), sum(c.booked) from custody_addresses c
      left join house_addresses h on h.family = family_of(c.network) and h.address = c.address where c.booked <> 0 group by 1, 2, 3`.execute(
    tx,
  )
}

/** Sums the recorded balances of a network by asset and by the purpose of the addresses, in ledger units. */
export const totalsByAccount = async (
  db: Db | Tx,
  network: Network,
): Promise<{ asset: string; account: 'hot' | 'cold' | 'deposit'; units: bigint }[]> => {
  const { rows } = await sql<{ asset: string; account: 'hot' | 'cold' | 'deposit'; units: bigint }>`
    select asset, account, booked as units from custody_totals where network = ${network}`.execute(db)
  return rows
}

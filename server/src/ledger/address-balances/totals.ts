import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/**
 * Adds up the totals of records anew. The caller keeps everything else from writing `custody_addresses` and
 * `house_addresses` meanwhile.
 */
export const recountTotals = async (tx: Tx): Promise<void> => {
  await sql`delete from custody_totals`.execute(tx)
  await sql`insert into custody_totals(network, asset, account, booked) select c.network, c.asset, custody_account(h.account), sum(c.booked) from custody_addresses c
      left join house_addresses h on h.family = family_of(c.network) and h.address = c.address where c.booked <> 0 group by 1, 2, 3`.execute(
    tx,
  )
}

/** What addresses of a network should hold together, by asset and by what they are for. Ledger units. */
export const totalsByAccount = async (
  db: Db | Tx,
  network: Network,
): Promise<{ asset: string; account: 'hot' | 'cold' | 'deposit'; units: bigint }[]> => {
  const { rows } = await sql<{ asset: string; account: 'hot' | 'cold' | 'deposit'; units: bigint }>`
    select asset, account, booked as units from custody_totals where network = ${network}`.execute(db)
  return rows
}

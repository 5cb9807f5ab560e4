import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'

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

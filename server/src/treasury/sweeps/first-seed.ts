import { NATIVE_TICKER, SECOND_SEED } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import { firstIndex, isSeedReplaced, type Seeds } from '../../chain/addresses/index.ts'
import type { Db } from '../../platform/db/index.ts'

/**
 * Money at the addresses of a first seed that a second has replaced on TRON (docs/decisions/0210). Bitcoin's coins are
 * in `chain/transactions`.
 */

/**
 * Whether the money of a deposit may be taken back by the holder of the first seed: no transaction of ours has moved it
 * to the second in a final block. An address pays out in the order in which it received. So the deposit's money is gone
 * from there when the recorded balance, which only transfers of ours reduce, is no more than the younger deposits. A
 * transfer to the second seed must also be in a final block at or after the deposit's: a correction of the books alone
 * does not credit money that a thief took. A hundredth of a deposit of TRX, at most `dust`, may stay: a transfer burns
 * for its bytes, and can leave less than another transfer of it would burn.
 * @param deposit SQL alias of a row of `deposits`
 * @param dust ledger units of TRX
 */
export const isOpenAtFirstSeed = (
  deposit: RawBuilder<unknown>,
  finalHeight: number,
  dust: bigint,
): RawBuilder<boolean> =>
  sql<boolean>`(${isSeedReplaced('TRON')}
    and exists (select from addresses a where a.family = 'TRON' and a.address = ${deposit}.address and a.derivation_index < ${SECOND_SEED})
    and (not exists (select from house_transfers h join house_addresses o on o.family = 'TRON' and o.address = h.to_address
          where h.network = 'TRON' and h.from_address = ${deposit}.address and h.asset = ${deposit}.asset
            and h.block_height between ${deposit}.block_height and ${finalHeight}
            and o.account = 'hot' and o.derivation_index >= ${SECOND_SEED})
      or coalesce((select c.booked - c.suspended from custody_addresses c
            where c.network = 'TRON' and c.address = ${deposit}.address and c.asset = ${deposit}.asset), 0)
          + coalesce((select sum(h.units) from house_transfers h where h.network = 'TRON' and h.from_address = ${deposit}.address
            and h.asset = ${deposit}.asset and h.block_height > ${finalHeight}), 0)
        > coalesce((select sum(y.units) from deposits y where y.merchant_id = ${deposit}.merchant_id and y.network = 'TRON'
            and y.address = ${deposit}.address and y.asset = ${deposit}.asset and not y.internal and y.index not like 's:%'
            and y.block_height is not null and (y.block_height, y.id) > (${deposit}.block_height, ${deposit}.id)), 0)
          + case ${deposit}.asset when ${NATIVE_TICKER.TRON} then least(${dust}::numeric, ${deposit}.units / 100) else 0 end))`

/** Returns the recorded balances of the first seed's addresses on TRON by asset, in ledger units, without zeros. */
export const leftOnTron = async (
  db: Db,
  keys: Seeds,
): Promise<{ asset: string; units: bigint; addresses: number }[]> => {
  const { rows } = await sql<{ asset: string; units: bigint; addresses: number }>`
    select c.asset, sum(c.booked) as units, count(*) as addresses from custody_addresses c
    where c.network = 'TRON' and c.booked > 0 and exists (
      select from addresses a where a.family = 'TRON' and a.address = c.address and a.derivation_index < ${firstIndex(keys, 'TRON')}
      union all
      select from house_addresses h where h.family = 'TRON' and h.address = c.address and h.account <> 'cold'
        and h.derivation_index < ${firstIndex(keys, 'TRON')})
    group by c.asset order by c.asset`.execute(db)
  return rows
}

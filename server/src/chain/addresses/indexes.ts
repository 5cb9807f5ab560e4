import type { KeyAccount } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { AddressFamily } from './family.ts'

/**
 * How far counters advance when the database may have lost indexes that it handed out, because it is a restored copy or
 * was promoted. Indexes end at 2^31, which allows two thousand such leaps.
 */
export const INDEX_LEAP = 1_000_000

/**
 * Takes the next derivation indexes of a branch. No index is taken twice: if the era of the database (`database_era()`)
 * has changed since the counter was last used, it first advances by `INDEX_LEAP`.
 * @param least the first index of the seed in use: a counter below it starts there
 * @returns the first of `count`
 */
export const takeIndexes = async (
  db: Db | Tx,
  family: AddressFamily,
  account: KeyAccount,
  branch: 0 | 1,
  count: number,
  least = 0,
): Promise<number> => {
  const { rows } = await sql<{ next: number }>`
    insert into derivation_counters as c (family, account, branch, next_index)
    select ${family}, ${account}, ${branch}, ${least}::bigint + ${count}::bigint + ${INDEX_LEAP}::bigint * coalesce((select restores from installation), 0)
    on conflict (family, account, branch) do update set era = excluded.era,
      next_index = greatest(c.next_index, ${least}::bigint) + ${count} + case when c.era = excluded.era then 0 else ${INDEX_LEAP}::bigint end
    returning next_index as next`.execute(db)
  return rows[0]!.next - count
}

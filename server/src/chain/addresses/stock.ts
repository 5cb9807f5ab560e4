import { sql } from 'kysely'
import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { depositAddress, type DepositKeys } from './derivation.ts'
import type { AddressFamily } from './family.ts'
import { takeIndexes } from './indexes.ts'
import { firstIndex } from './seeds.ts'

/** Addresses derived in one run: few enough not to delay requests of the same process. */
const CHUNK = 16

/**
 * Derives addresses into the stock. The database allocates their indexes in the same transaction, so that no index is
 * used twice, and none is skipped except where the database may have lost some.
 */
export const restock = async (tx: Tx, keys: DepositKeys, family: AddressFamily, count: number): Promise<void> => {
  const first = await takeIndexes(tx, family, 'deposit', 0, count, firstIndex(keys, family))
  const indexes = Array.from({ length: count }, (_, i) => first + i)
  const addresses = indexes.map((index) => depositAddress(keys, family, index))
  await sql`insert into address_stock(family, derivation_index, address)
    select ${family}, * from unnest(${indexes}::bigint[], ${addresses}::text[])`.execute(tx)
}

/** Counts the addresses in the stock, up to `most`, of the seed in use, whose first index is `least`. */
export const stockOf = async (db: Db, family: AddressFamily, most: number, least = 0): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) from (select from address_stock where family = ${family} and era = (select database_era())
      and derivation_index >= ${least} limit ${most}) s`.execute(db)
  return rows[0]!.count
}

/** Keeps `target` addresses of each family in the stock, so that no request has to wait for a derivation. */
export const createStockJob = (deps: {
  runtime: Runtime
  keys: DepositKeys
  families: readonly AddressFamily[]
  target: number
}): Job => ({
  name: 'address stock',
  everyMs: 1_000,
  run: async () => {
    const { runtime, keys, families, target } = deps
    let more = false
    for (const family of families) {
      const missing = target - (await stockOf(runtime.db, family, target, firstIndex(keys, family)))
      if (missing <= 0) continue
      await inTransaction(runtime.db, (tx) => restock(tx, keys, family, Math.min(missing, CHUNK)))
      more ||= missing > CHUNK
    }
    return more
  },
})

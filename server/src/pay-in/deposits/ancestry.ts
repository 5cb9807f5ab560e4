import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { PoolAncestor } from '../../adapters/chains/port.ts'
import type { Db } from '../../platform/db/index.ts'

/** Returns unconfirmed transactions with deposits whose ancestors have not been read yet. */
export const unreadAncestry = async (db: Db, network: Network, most: number): Promise<string[]> => {
  const { rows } = await sql<{ transaction: string }>`select distinct d.transaction from deposits d
    where d.network = ${network} and d.block_height is null and d.state in ('pending', 'orphaned') and d.gone_at is null and not d.internal and d.index like 'o:%'
      and not exists (select from deposit_ancestry a where a.network = d.network and a.transaction = d.transaction)
    order by d.transaction limit ${most}`.execute(db)
  return rows.map(({ transaction }) => transaction)
}

export const storeAncestry = async (
  db: Db,
  network: Network,
  transaction: string,
  ancestors: readonly PoolAncestor[],
  at: Date,
): Promise<void> => {
  const spent = ancestors.flatMap((ancestor) => ancestor.keys.map((key) => ({ key, spender: ancestor.transaction })))
  await sql`insert into deposit_ancestry(network, transaction, keys, spenders, read_at)
    values (${network}, ${transaction}, ${spent.map(({ key }) => key)}::text[], ${spent.map(({ spender }) => spender)}::text[], ${at})
    on conflict do nothing`.execute(db)
}

/** Deletes ancestry that is not needed any more, because its deposits are credited or have failed. */
export const forgetAncestry = async (db: Db, network: Network): Promise<void> => {
  await sql`delete from deposit_ancestry a where a.network = ${network} and not exists (
    select from deposits d where d.network = a.network and d.transaction = a.transaction and d.state in ('pending', 'orphaned'))`.execute(
    db,
  )
}

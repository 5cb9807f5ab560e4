import { sql, type RawBuilder } from 'kysely'

/**
 * Columns or values, as SQL. An absent one has the meaning of null in `Reach`: only a stop that is not limited in it
 * covers.
 */
export interface ReachInSql {
  asset?: RawBuilder<unknown>
  merchantId?: RawBuilder<unknown>
  network?: RawBuilder<unknown>
}

const takesIn = (
  column: 'asset' | 'merchant_id' | 'network',
  here: RawBuilder<unknown> | undefined,
): RawBuilder<unknown> =>
  here === undefined
    ? sql`f.${sql.ref(column)} is null`
    : sql`(f.${sql.ref(column)} is null or f.${sql.ref(column)} = ${here})`

/** The conditions on a row `f` of `freezes`: in force, and covering. The rule that `covers` states in TypeScript. */
export const inForceFor = ({ asset, merchantId, network }: ReachInSql): RawBuilder<boolean> =>
  sql`f.lifted_at is null and ${takesIn('asset', asset)} and ${takesIn('merchant_id', merchantId)} and ${takesIn('network', network)}`

/** SQL that is true where a stop in force covers. */
export const isCovered = (reach: ReachInSql): RawBuilder<boolean> =>
  sql`exists (select from freezes f where ${inForceFor(reach)})`

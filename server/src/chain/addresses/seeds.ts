import { SECOND_SEED, seedIndex } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import type { AddressFamily } from './family.ts'

/*
 * The two seeds of an installation (docs/decisions/0210). A derivation index from `SECOND_SEED` on belongs to the
 * second seed. Bitcoin and TRON can have one.
 */

/** Keys of the first seed, and those of an active second one. */
export interface Seeds {
  bitcoin: unknown
  next?: unknown
}

/** Families of addresses that a second seed takes over. */
const ROTATABLE: ReadonlySet<AddressFamily> = new Set(['BITCOIN', 'TRON'])

/** Returns the first derivation index of the seed that new addresses of a family come from. */
export const firstIndex = (keys: Seeds, family: AddressFamily): number =>
  ROTATABLE.has(family) && keys.next !== undefined ? SECOND_SEED : 0

/** The same as SQL. @param family SQL of the family's name */
export const firstIndexSql = (keys: Seeds, family: RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`case when ${family} = any(${[...ROTATABLE].filter((one) => firstIndex(keys, one) > 0)}::text[]) then ${SECOND_SEED}::bigint else 0 end`

/**
 * Returns the keys that an index of Bitcoin or TRON derives from, and the child index below them. Throws an Error when
 * the index belongs to the second seed and these keys have none: the first seed must not derive it, because the signer
 * would not sign for it.
 */
export const seedOf = <Own>(
  family: AddressFamily,
  keys: Own & { next?: Own },
  index: number,
): { keys: Own; index: number } => {
  const own = seedIndex(index)
  if (own.seed === 'first') return { keys, index }
  if (keys.next === undefined)
    throw new Error(
      `index ${index} of ${family} belongs to a second seed, whose keys BURSAR_XPUBS_FILE lacks: print it anew with \`bursar-signer xpubs\` and restart`,
    )
  return { keys: keys.next, index: own.index }
}

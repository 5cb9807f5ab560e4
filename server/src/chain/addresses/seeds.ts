import { SECOND_SEED, seedIndex } from '@bursar/chainkit'
import type { AddressFamily } from './family.ts'

/*
 * The two seeds of an installation (docs/decisions/0210). A derivation index from `SECOND_SEED` on belongs to the
 * second seed. Bitcoin and EVM chains can have one.
 */

type Rotatable = 'bitcoin' | 'evm'

/**
 * Keys of an installation, those of an active second seed too. A file printed by an older signer lacks its EVM keys.
 */
export interface Seeds {
  bitcoin: unknown
  next?: { bitcoin: unknown; evm?: unknown }
}

const PART: Readonly<Record<AddressFamily, Rotatable | undefined>> = {
  BITCOIN: 'bitcoin',
  EVM: 'evm',
  TRON: undefined,
}

/** Returns the first derivation index of the seed that new addresses of a family come from. */
export const firstIndex = ({ next }: Seeds, family: AddressFamily): number => {
  const part = PART[family]
  return part !== undefined && next?.[part] !== undefined ? SECOND_SEED : 0
}

/** The families and the first index of the seed in use of each, as two columns. */
export const firstIndexes = (keys: Seeds): { families: AddressFamily[]; first: number[] } => {
  const families = Object.keys(PART) as AddressFamily[]
  return { families, first: families.map((family) => firstIndex(keys, family)) }
}

/**
 * Returns the keys of a family that an index derives from, and the child index below them. Throws an Error when the
 * index belongs to the second seed and these keys have none: the first seed must not derive it, because the signer
 * would not sign for it.
 */
export const seedOf = <Own>(
  family: Exclude<AddressFamily, 'TRON'>,
  { first, next }: { first: Own; next: Own | undefined },
  index: number,
): { keys: Own; index: number } => {
  const own = seedIndex(index)
  if (own.seed === 'first') return { keys: first, index }
  if (next === undefined)
    throw new Error(
      `index ${index} of ${family} belongs to a second seed, whose keys BURSAR_XPUBS_FILE lacks: print it anew with \`bursar-signer xpubs\` and restart`,
    )
  return { keys: next, index: own.index }
}

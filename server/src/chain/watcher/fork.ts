import type { Head, Network } from '@bursar/chainkit'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { Db } from '../../platform/db/index.ts'
import { rememberedBelow } from './cursor.ts'

/** Thrown when the node's best branch left ours below every block that we remember. */
export class ForkTooDeep extends Error {
  override name = 'ForkTooDeep'
}

const PAGE = 100

/**
 * The newest block that our branch and the node's have in common, or null when the node's chain changed while it was
 * asked. Throws `ForkTooDeep` when no remembered block is on the node's branch.
 */
export const findFork = async (
  db: Db,
  adapter: Pick<ChainAdapter, 'hashAt'>,
  network: Network,
  from: number,
): Promise<Head | null> => {
  for (let height = from; ;) {
    const page = await rememberedBelow(db, network, height, PAGE)
    if (page.length === 0)
      throw new ForkTooDeep(
        `${network} has no block in common with the blocks that were read below ${from}: \`bursar rewind plan ${network}\` shows the block to go back to, and the effects (docs/operating/chain-trouble.md)`,
      )
    for (const ours of page) {
      const theirs = await adapter.hashAt(ours.height)
      if (theirs === null) return null
      if (theirs === ours.hash) return ours
    }
    height = page.at(-1)!.height - 1
  }
}

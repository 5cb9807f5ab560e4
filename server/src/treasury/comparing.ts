import { isEvmNetwork, type Network } from '@bursar/chainkit'
import type { ChainAdapter, Head, TronChainAdapter } from '../adapters/chains/port.ts'
import type { Catalogue } from '../assets/index.ts'
import { bookedAt, forgetRecent } from '../custody/index.ts'
import { rescale } from '../money/index.ts'
import type { Runtime } from '../platform/runtime.ts'
import { hasRead, type Books, type Comparand } from './reconcile.ts'

/** Moves of blocks so far below the final one are never asked for again, even by a node that lags. */
const RECENT_BLOCKS = 10_000

/** What a page of addresses should hold and holds, at which block. Ledger units. */
export interface Compared {
  head: Head
  booked: bigint[]
  held: bigint[]
}

/** At the block the books are of. Where a chain keeps no history that can only be its head. */
export const compareAtCursor = async (
  _runtime: Runtime,
  catalogue: Catalogue,
  adapter: ChainAdapter,
  books: Books,
  page: readonly Comparand[],
): Promise<Compared | undefined> => {
  if (!(await standsAt(adapter, books))) return undefined
  const { wanted, scaled } = questionsOf(catalogue, adapter.network, page)
  const held = scaled(await adapter.balancesAt(books.height, wanted))
  if (!(await standsAt(adapter, books))) return undefined
  return { head: books, booked: page.map(({ booked }) => booked), held }
}

/** A chain whose node tells balances of its final block only, and moves on while it is asked. */
type FinalTeller = ChainAdapter & Pick<TronChainAdapter, 'balancesAtFinal'>
export const isFinalTeller = (adapter: ChainAdapter): adapter is FinalTeller => 'balancesAtFinal' in adapter

/** At the final block: the newer moves are left out of the records. Undefined when the watcher has not read it, or another. */
export const compareAtFinal = async (
  { db }: Runtime,
  catalogue: Catalogue,
  adapter: ChainAdapter,
  _books: Books,
  page: readonly Comparand[],
): Promise<Compared | undefined> => {
  const { wanted, scaled } = questionsOf(catalogue, adapter.network, page)
  const { head, units } = await (adapter as FinalTeller).balancesAtFinal(wanted)
  const booked = await db.transaction().setIsolationLevel('repeatable read').execute(async (tx) => {
    if (!(await hasRead(tx, adapter.network, head))) return undefined
    await forgetRecent(tx, adapter.network, { below: head.height - RECENT_BLOCKS })
    return bookedAt(tx, adapter.network, page, head.height)
  })
  return booked && { head, booked, held: scaled(units) }
}

const standsAt = async (adapter: ChainAdapter, { height, hash }: Books): Promise<boolean> =>
  (isEvmNetwork(adapter.network) ? await adapter.hashAt(height) : (await adapter.head()).hash) === hash

/** What a node is asked for these addresses, and its answers in ledger units. */
const questionsOf = (catalogue: Catalogue, network: Network, page: readonly Comparand[]) => {
  const assets = page.map(({ asset }) => catalogue.findCrypto(asset)!)
  const on = assets.map((asset) => asset.networks.get(network)!)
  return {
    wanted: page.map(({ address }, i) => ({ address, contract: on[i]!.contract })),
    scaled: (units: readonly bigint[]) => units.map((held, i) => rescale(held, on[i]!.decimals, assets[i]!.scale)),
  }
}

import { unspentAt } from '../../chain/transactions/index.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { ChainAdapter, Coin, CoinChainAdapter, Head, TronChainAdapter } from '../../adapters/chains/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { bookedAt, type Comparand, recordsOf } from '../../ledger/address-balances/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { rescale } from '../../platform/money/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { hasRead, isNewestRead } from '../../chain/watcher/index.ts'
import type { Books } from './reconcile.ts'

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
type FinalTeller = ChainAdapter & Pick<TronChainAdapter, 'balancesAtFinal' | 'mostAtFinal'>
export const isFinalTeller = (adapter: ChainAdapter): adapter is FinalTeller => 'balancesAtFinal' in adapter

/**
 * At the final block: the newer moves are left out of the records. Undefined when the watcher has not read it, or
 * another.
 */
export const compareAtFinal = async (
  { db }: Runtime,
  catalogue: Catalogue,
  adapter: ChainAdapter,
  _books: Books,
  page: readonly Comparand[],
): Promise<Compared | undefined> => {
  const { wanted, scaled } = questionsOf(catalogue, adapter.network, page)
  const { head, units } = await (adapter as FinalTeller).balancesAtFinal(wanted)
  const booked = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      if (!(await hasRead(tx, adapter.network, head))) return undefined
      return bookedAt(tx, adapter.network, page, head.height)
    })
  return booked && { head, booked, held: scaled(units) }
}

/** A chain of coins, whose node says of each whether it is there. */
type CoinTeller = ChainAdapter & Pick<CoinChainAdapter, 'coinsAt' | 'scan'>
export const isCoinTeller = (adapter: ChainAdapter): adapter is CoinTeller => 'coinsAt' in adapter

/**
 * At the block the books are of, by the coins that we know: a missing one is a shortage. What addresses hold besides,
 * in suspense or as a surplus, is taken to be there still: only a look through all coins of the chain could show
 * otherwise.
 */
export const compareCoins = async (
  { db }: Runtime,
  catalogue: Catalogue,
  adapter: ChainAdapter,
  books: Books,
  page: readonly Comparand[],
): Promise<Compared | undefined> => {
  const { network } = adapter
  const known = await coinsIn(db, network, books, page)
  if (!known || !(await standsAt(adapter, books))) return undefined
  const there = await (adapter as CoinTeller).coinsAt(known.coins)
  if (!(await standsAt(adapter, books))) return undefined
  const held = new Map<string, bigint>()
  for (const [i, { address }] of known.coins.entries()) held.set(address, (held.get(address) ?? 0n) + (there[i] ?? 0n))
  const { scaled } = questionsOf(catalogue, network, page)
  const units = scaled(page.map(({ address }) => held.get(address) ?? 0n))
  return {
    head: books,
    booked: known.records.map(({ booked }) => booked),
    held: units.map((one, i) => one + known.records[i]!.unseen),
  }
}

/**
 * By a look through all coins of the chain, at the block that the node says it is of. It takes minutes, in which blocks
 * come: the records are taken as they were at that block. Undefined when the watcher does not read that block within
 * the time given, as when it was lost.
 */
export const compareScan = async (
  { db }: Runtime,
  catalogue: Catalogue,
  adapter: ChainAdapter,
  page: readonly Comparand[],
  readWithinMs: number,
): Promise<Compared | undefined> => {
  const { network } = adapter
  const { scaled } = questionsOf(catalogue, network, page)
  const { head, units } = await (adapter as CoinTeller).scan(page.map(({ address }) => address))
  for (let waited = 0; ; waited += LOOK_AGAIN_MS) {
    const booked = await coinsBookedAt(db, network, head, page)
    if (booked) return { head, booked, held: scaled(units) }
    if (waited >= readWithinMs) return undefined
    await sleep(LOOK_AGAIN_MS)
  }
}

const LOOK_AGAIN_MS = 500

/**
 * What addresses should have held at a block that the watcher has read: less what later blocks brought them, and more
 * by what we spent in those.
 */
const coinsBookedAt = (
  db: Db,
  network: Network,
  head: Head,
  page: readonly Comparand[],
): Promise<bigint[] | undefined> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      if (!(await hasRead(tx, network, head))) return undefined
      const addresses = page.map(({ address }) => address)
      const { rows } = await sql<{ units: bigint }>`with later as (
        select address, sum(case when block_height > ${head.height} then units else 0 end) as made,
          sum(case when spent_height > ${head.height} and (account = 'cold' or exists (
            select from outgoing_attempts a where a.network = ${network} and a.hash = utxos.spent_by)) then units else 0 end) as spent
        from utxos where network = ${network} and address = any(${addresses}::text[]) and (block_height > ${head.height} or spent_height > ${head.height}) group by address)
      select c.booked - coalesce(l.made, 0) + coalesce(l.spent, 0) as units
      from unnest(${page.map(({ asset }) => asset)}::text[], ${addresses}::text[]) with ordinality u(asset, address, n)
      join custody_addresses c on c.network = ${network} and c.asset = u.asset and c.address = u.address
      left join later l on l.address = u.address order by u.n`.execute(tx)
      return rows.map((row) => row.units)
    })

interface KnownCoins {
  coins: (Coin & { address: string })[]
  /** what each address of the page should hold, and what of it is in no known coin: ledger units */
  records: { booked: bigint; unseen: bigint }[]
}

/**
 * Coins of these addresses that blocks made and none has spent, and their records; undefined when the watcher has read
 * on.
 */
const coinsIn = (
  db: Db,
  network: Network,
  { hash }: Books,
  page: readonly Comparand[],
): Promise<KnownCoins | undefined> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      if (!(await isNewestRead(tx, network, hash))) return undefined
      const addresses = page.map(({ address }) => address)
      const coins = await unspentAt(tx, network, addresses)
      return { coins, records: await recordsOf(tx, network, page) }
    })

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

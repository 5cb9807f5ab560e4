import { unspentAt } from '../../chain/transactions/index.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { ChainAdapter, Coin, CoinChainAdapter, Head, TronChainAdapter } from '../../adapters/chains/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { bookedAt, bookedWithin, type Comparand, recordsOf } from '../../ledger/address-balances/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { rescale } from '../../platform/money/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { hasRead, isNewestRead } from '../../chain/watcher/index.ts'
import type { Books } from './reconcile.ts'

/** Recorded balances and chain balances of a page of addresses, at one block, in ledger units. */
export interface Compared {
  head: Head
  booked: bigint[]
  held: bigint[]
}

/** Compares at the block of the books. On a chain whose node keeps no history, that must be its head. */
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

/** A chain whose node returns balances of its final block only, which advances between requests. */
type FinalTeller = ChainAdapter & Pick<TronChainAdapter, 'balancesAtFinal' | 'mostAtFinal'>
export const isFinalTeller = (adapter: ChainAdapter): adapter is FinalTeller => 'balancesAtFinal' in adapter

/** How many blocks the machines behind one URL may differ by: a minute of TRON's blocks. */
const OUT_OF_STEP = 20
/**
 * How often in succession a balance may be that of a near block: for an hour of rounds. A theft of the amount that a
 * wallet pays in each block looks the same.
 */
const MOST_NEAR = 12

/** How often in succession each balance was that of a near block, by network, asset and address, in this process. */
const nearCounts = new WeakMap<Runtime, Map<string, number>>()

/** Whether a balance counts as the one at the final block, although it is that of a near block. */
const passesAsNear = (runtime: Runtime, key: string): boolean => {
  const counts = nearCounts.get(runtime) ?? new Map<string, number>()
  nearCounts.set(runtime, counts.set(key, (counts.get(key) ?? 0) + 1))
  return counts.get(key)! <= MOST_NEAR
}

/**
 * Compares at the final block, without the newer moves of the records. Undefined when the watcher has not read that
 * block, or has read another one. A balance that the address had near the final block is no difference: a balancer may
 * have passed the query to a machine at another block (docs/dialects.md T-10). It is compared again in the next round,
 * and is a difference when that has been so for an hour.
 */
export const compareAtFinal = async (
  runtime: Runtime,
  catalogue: Catalogue,
  adapter: ChainAdapter,
  _books: Books,
  page: readonly Comparand[],
): Promise<Compared | undefined> => {
  const { wanted, scaled } = questionsOf(catalogue, adapter.network, page)
  const { head, units } = await (adapter as FinalTeller).balancesAtFinal(wanted)
  const held = scaled(units)
  const blocks = { from: head.height - OUT_OF_STEP, to: head.height + OUT_OF_STEP }
  const read = await runtime.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      if (!(await hasRead(tx, adapter.network, head))) return undefined
      const atHead = await bookedAt(tx, adapter.network, page, head.height)
      const near: boolean[] = []
      for (const [i, one] of page.entries()) {
        const isEqual = atHead[i] === held[i]
        near.push(!isEqual && (await bookedWithin(tx, adapter.network, one, blocks)).includes(held[i]!))
      }
      return { atHead, near }
    })
  if (!read) return undefined
  const booked = page.map(({ asset, address }, i) => {
    const key = `${adapter.network} ${asset} ${address}`
    if (read.atHead[i] === held[i]) nearCounts.get(runtime)?.delete(key)
    return read.near[i] && passesAsNear(runtime, key) ? held[i]! : read.atHead[i]!
  })
  return { head, booked, held }
}

/** A chain of coins, whose node reports for each whether it is unspent. */
type CoinTeller = ChainAdapter & Pick<CoinChainAdapter, 'coinsAt' | 'scan'>
export const isCoinTeller = (adapter: ChainAdapter): adapter is CoinTeller => 'coinsAt' in adapter

/**
 * Compares at the block of the books, by known coins: a missing one is a shortage. Other amounts of the addresses, in
 * suspense or as a surplus, are assumed to be unchanged: only a scan of all coins of the chain could show otherwise.
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
 * Compares by a scan of all coins of the chain, at the block that the node names. The scan takes minutes, in which
 * blocks arrive, so the records are computed as of that block. Undefined when the watcher does not read that block in
 * the given time, for example because it was lost.
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
 * Returns recorded balances as of a block that the watcher has read: later receipts are subtracted, our later spends
 * are added.
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
  /** record of each address of the page, and the part of it in no known coin: ledger units */
  records: { booked: bigint; unseen: bigint }[]
}

/**
 * Returns the confirmed, unspent coins of these addresses, and their records; undefined when the watcher has read on.
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

/** Returns the queries of a node for these addresses, and a function that converts its answers to ledger units. */
const questionsOf = (catalogue: Catalogue, network: Network, page: readonly Comparand[]) => {
  const assets = page.map(({ asset }) => catalogue.findCrypto(asset)!)
  const on = assets.map((asset) => asset.networks.get(network)!)
  return {
    wanted: page.map(({ address }, i) => ({ address, contract: on[i]!.contract })),
    scaled: (units: readonly bigint[]) => units.map((held, i) => rescale(held, on[i]!.decimals, assets[i]!.scale)),
  }
}

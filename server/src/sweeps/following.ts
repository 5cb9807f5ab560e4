import type { Block, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { familyOf, houseAddressesAmong, ownerOf } from '../addresses/index.ts'
import type { Catalogue } from '../assets/index.ts'
import { isInner, opposite, unknownInner, type CustodyMove } from '../custody/index.ts'
import type { Tx } from '../db/index.ts'
import { noEffects, type Effects } from '../effects/index.ts'
import { rescale } from '../money/index.ts'
import { oursAmong } from '../outgoing/index.ts'

interface HouseTransfer {
  index: string
  transaction: string
  asset: string
  from: string
  /** null where it is a deposit besides, which books what its receiver has more */
  to: string | null
  units: bigint
}

/**
 * Follows money that moves between addresses of ours, by the transfers a block shows and not by what was planned: an
 * address may have received more meanwhile, or kept what its token refused.
 */
export const createHouseFollowing = (catalogue: Catalogue) => ({
  block: async (tx: Tx, network: Network, block: Block): Promise<Effects> => {
    if (network === 'BITCOIN') return noEffects
    const transfers = await withoutKnownInner(tx, network, await between(tx, network, block, catalogue))
    if (transfers.length === 0) return noEffects
    const column = (of: (t: HouseTransfer) => string | null): (string | null)[] => transfers.map(of)
    const { rows } = await sql<HouseTransfer>`insert into house_transfers(network, transaction, index, asset, from_address, to_address, units, block_height)
      select ${network}, t, i, a, f, r, u, ${block.height} from unnest(${column((t) => t.transaction)}::text[], ${column((t) => t.index)}::text[],
        ${column((t) => t.asset)}::text[], ${column((t) => t.from)}::text[], ${column((t) => t.to)}::text[],
        ${column((t) => t.units.toString())}::numeric[]) x(t, i, a, f, r, u)
      on conflict do nothing returning transaction, index, asset, from_address as "from", to_address as "to", units`.execute(tx)
    return { ...noEffects, moves: movesOf(network, rows, block.height) }
  },

  orphaned: async (tx: Tx, network: Network, fromHeight: number): Promise<Effects> => {
    const { rows } = await sql<HouseTransfer>`delete from house_transfers where network = ${network} and block_height >= ${fromHeight}
      returning transaction, index, asset, from_address as "from", to_address as "to", units`.execute(tx)
    return { ...noEffects, moves: opposite(movesOf(network, rows, fromHeight)) }
  },

  settled: async (): Promise<Effects> => noEffects,
  mempool: async (): Promise<Effects> => noEffects,
})

/**
 * Transfers whose sender and receiver are both ours. Not only in our own transactions: anybody may start the sweep of an
 * address that has delegated.
 */
const between = async (tx: Tx, network: Network, block: Block, catalogue: Catalogue): Promise<HouseTransfer[]> => {
  const all = block.transactions.flatMap(({ hash, transfers }) => transfers.map((transfer) => ({ ...transfer, transaction: hash })))
  const house = await houseAddressesAmong(tx, familyOf(network), [...new Set(all.flatMap(({ from, to }) => [...from, to]))])
  const seen = all.filter(({ from, to }) => from.length === 1 && from[0] !== to && (house.has(to) || house.has(from[0]!)))
  if (seen.length === 0) return []
  const others = [...new Set(seen.flatMap(({ from, to }) => [from[0]!, to]))].filter((address) => !house.has(address))
  const deposits = await ownerOf(tx, familyOf(network), others)
  const isOurs = (address: string): boolean => house.has(address) || deposits.has(address)
  const ours = await oursAmong(tx, network, [...new Set(seen.map(({ transaction }) => transaction))])
  return seen.flatMap(({ transaction, index, contract, from: [from], to, units }) => {
    const listed = catalogue.byContract(network, contract)
    if (!listed || units === 0n || !isOurs(from!) || !isOurs(to)) return []
    const isDeposit = deposits.has(to) && !ours.has(transaction) && house.get(from!)?.account === 'cold'
    return [{ transaction, index, asset: listed.asset.ticker, from: from!, to: isDeposit ? null : to, units: rescale(units, listed.on.decimals, listed.asset.scale) }]
  })
}

/** Of inner transfers, only what is more than is stored of their transactions. */
const withoutKnownInner = async (tx: Tx, network: Network, shown: readonly HouseTransfer[]): Promise<HouseTransfer[]> => {
  const inner = shown.filter(isInner)
  if (inner.length === 0) return [...shown]
  const { rows } = await sql<HouseTransfer>`select transaction, index, asset, from_address as "from", to_address as "to", units from house_transfers
    where network = ${network} and transaction = any(${inner.map(({ transaction }) => transaction)}::text[])`.execute(tx)
  const wayOf = ({ transaction, asset, from, to }: HouseTransfer): string => `${transaction}/${asset}/${from}/${to ?? 'a deposit'}`
  return [...shown.filter((one) => !isInner(one)), ...unknownInner(inner, rows.filter(isInner), wayOf)]
}

const movesOf = (network: Network, transfers: readonly HouseTransfer[], height: number): CustodyMove[] =>
  transfers.flatMap(({ asset, from, to, units }) => [
    { network, asset, address: from, units: -units, height },
    ...(to === null ? [] : [{ network, asset, address: to, units, height }]),
  ])

import type { Block, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { familyOf, houseAddressesAmong, ownerOf } from '../addresses/index.ts'
import type { Catalogue } from '../assets/index.ts'
import { opposite, type CustodyMove } from '../custody/index.ts'
import type { Tx } from '../db/index.ts'
import { noEffects, type Effects } from '../effects/index.ts'
import { rescale } from '../money/index.ts'
import { oursAmong } from '../outgoing/index.ts'

interface HouseTransfer {
  index: string
  transaction: string
  asset: string
  from: string
  to: string
  units: bigint
}

/**
 * Follows money that our own transactions move between addresses of ours, by the transfers a block shows, whatever they
 * were planned to move: an address may have received more meanwhile, or kept what its token refused.
 */
export const createHouseFollowing = (catalogue: Catalogue) => ({
  block: async (tx: Tx, network: Network, block: Block): Promise<Effects> => {
    if (network === 'BITCOIN') return noEffects
    const transfers = await between(tx, network, block, catalogue)
    if (transfers.length === 0) return noEffects
    const column = (of: (t: HouseTransfer) => string): string[] => transfers.map(of)
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

/** Transfers of our transactions whose sender and receiver are both ours. */
const between = async (tx: Tx, network: Network, block: Block, catalogue: Catalogue): Promise<HouseTransfer[]> => {
  const ours = await oursAmong(tx, network, block.transactions.map(({ hash }) => hash))
  if (ours.size === 0) return []
  const seen = block.transactions
    .filter(({ hash }) => ours.has(hash))
    .flatMap(({ hash, transfers }) => transfers.map((transfer) => ({ ...transfer, transaction: hash })))
  const own = await ownAmong(tx, network, [...new Set(seen.flatMap(({ from, to }) => [...from, to]))])
  return seen.flatMap(({ transaction, index, contract, from, to, units }) => {
    const listed = catalogue.byContract(network, contract)
    const [sender] = from
    if (!listed || units === 0n || from.length !== 1 || sender === to || !own.has(sender!) || !own.has(to)) return []
    return [{ transaction, index, asset: listed.asset.ticker, from: sender!, to, units: rescale(units, listed.on.decimals, listed.asset.scale) }]
  })
}

const ownAmong = async (tx: Tx, network: Network, addresses: readonly string[]): Promise<ReadonlySet<string>> => {
  const family = familyOf(network)
  const [deposit, house] = [await ownerOf(tx, family, addresses), await houseAddressesAmong(tx, family, addresses)]
  return new Set([...deposit.keys(), ...house.keys()])
}

const movesOf = (network: Network, transfers: readonly HouseTransfer[], height: number): CustodyMove[] =>
  transfers.flatMap(({ asset, from, to, units }) => [
    { network, asset, address: from, units: -units, height },
    { network, asset, address: to, units, height },
  ])

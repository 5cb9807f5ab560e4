import { NATIVE_TICKER, type Block, type ChainTransaction, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { familyOf, houseAddressesAmong } from '../addresses/index.ts'
import type { Catalogue } from '../assets/index.ts'
import type { Moment } from '../base/moment.ts'
import { onAccounts, opposite, type CustodyMove } from '../custody/index.ts'
import type { Tx } from '../db/index.ts'
import { joinEffects, noEffects, type Effects } from '../effects/index.ts'
import { HOUSE, type Item } from '../ledger/index.ts'
import { rescale } from '../money/index.ts'

/** What the operator moved out of a cold address: to a wallet of the house, or to the network as a fee (`to` null). */
interface ColdSpend {
  transaction: string
  index: string
  asset: string
  from: string
  to: string | null
  /** ledger units */
  units: bigint
}

const FEE = 'fee'

/**
 * Follows what the operator sends from cold addresses: what reaches wallets of the house is a move between our own addresses, and
 * what the network took for it a cost of the house. What goes anywhere else is not explained by anything, and the
 * comparison with the chain says so.
 */
export const createColdFollowing = (catalogue: Catalogue) => ({
  block: async (tx: Tx, network: Network, block: Block, moment: Moment): Promise<Effects> => {
    const spends = network === 'BITCOIN' ? await coinSpends(tx, block, catalogue) : await accountSpends(tx, network, block, catalogue)
    if (spends.length === 0) return noEffects
    const { rows } = await sql<ColdSpend>`insert into cold_spends(network, transaction, index, asset, from_address, to_address, units, block_height)
      select ${network}, t, i, a, f, r, u, ${block.height} from unnest(${spends.map((s) => s.transaction)}::text[], ${spends.map((s) => s.index)}::text[],
        ${spends.map((s) => s.asset)}::text[], ${spends.map((s) => s.from)}::text[], ${spends.map((s) => s.to)}::text[],
        ${spends.map((s) => s.units.toString())}::numeric[]) x(t, i, a, f, r, u)
      on conflict do nothing returning transaction, index, asset, from_address as "from", to_address as "to", units`.execute(tx)
    return joinEffects(rows.map((spend) => effectsOf(network, spend, block.height, 'out', moment)))
  },

  orphaned: async (tx: Tx, network: Network, fromHeight: number, moment: Moment): Promise<Effects> => {
    const { rows } = await sql<ColdSpend>`delete from cold_spends where network = ${network} and block_height >= ${fromHeight}
      returning transaction, index, asset, from_address as "from", to_address as "to", units`.execute(tx)
    return joinEffects(rows.map((spend) => effectsOf(network, spend, fromHeight, 'back', moment)))
  },

  settled: async (): Promise<Effects> => noEffects,
  mempool: async (): Promise<Effects> => noEffects,
})

const accountSpends = async (tx: Tx, network: Network, block: Block, catalogue: Catalogue): Promise<ColdSpend[]> => {
  const senders = block.transactions.flatMap((one) => [...payerOf(one), ...one.transfers.flatMap(({ from }) => from)])
  const known = await houseAddressesAmong(tx, familyOf(network), [...new Set([...senders, ...block.transactions.flatMap((t) => t.transfers.map(({ to }) => to))])])
  const isCold = (address: string | undefined): boolean => address !== undefined && known.get(address)?.account === 'cold'
  return block.transactions.flatMap((transaction) => {
    const moved = transaction.transfers.flatMap(({ index, contract, from: [from], to, units }): ColdSpend[] => {
      const listed = catalogue.byContract(network, contract)
      if (!listed || units === 0n || !isCold(from) || !known.has(to) || from === to) return []
      return [{ transaction: transaction.hash, index, asset: listed.asset.ticker, from: from!, to, units: rescale(units, listed.on.decimals, listed.asset.scale) }]
    })
    const payer = payerOf(transaction).find(isCold) ?? (network === 'TRON' ? moved[0]?.from : undefined)
    return payer === undefined ? moved : [...moved, ...feeOf(network, transaction, payer, catalogue)]
  })
}

/** Who sent it and pays for it, on EVM chains: its key is `ADDRESS:NONCE`. */
const payerOf = ({ keys }: ChainTransaction): string[] => keys.filter((key) => key.startsWith('0x') && key.includes(':')).map((key) => key.split(':')[0]!)

const coinSpends = async (tx: Tx, block: Block, catalogue: Catalogue): Promise<ColdSpend[]> => {
  const { rows } = await sql<{ hash: string; address: string }>`select distinct on (spent_by) spent_by as hash, address from utxos
    where network = 'BITCOIN' and account = 'cold' and spent_by = any(${block.transactions.map(({ hash }) => hash)}::text[])
    order by spent_by, address`.execute(tx)
  const cold = new Map(rows.map(({ hash, address }) => [hash, address]))
  return block.transactions.flatMap((transaction) => {
    const from = cold.get(transaction.hash)
    return from === undefined ? [] : feeOf('BITCOIN', transaction, from, catalogue)
  })
}

const feeOf = (network: Network, { hash, fee }: ChainTransaction, from: string, catalogue: Catalogue): ColdSpend[] => {
  const native = catalogue.findCrypto(NATIVE_TICKER[network])
  const on = native?.networks.get(network)
  if (!native || !on || fee === null || fee === 0n) return []
  return [{ transaction: hash, index: FEE, asset: native.ticker, from, to: null, units: rescale(fee, on.decimals, native.scale) }]
}

const effectsOf = (network: Network, spend: ColdSpend, height: number, direction: 'out' | 'back', moment: Moment): Effects => {
  const { asset, from, to, units } = spend
  const moves: CustodyMove[] = [{ network, asset, address: from, units: -units, height }]
  if (to !== null) moves.push({ network, asset, address: to, units, height })
  return {
    items: to === null ? [feeItem(network, spend, direction === 'out' ? 1n : -1n, moment)] : [],
    notices: [],
    moves: onAccounts(direction === 'out' ? moves : opposite(moves)),
  }
}

const feeItem = (network: Network, { asset, units }: ColdSpend, sign: bigint, { at, newId }: Moment): Item => {
  const id = newId()
  return {
    transfer: {
      id,
      merchantId: HOUSE,
      kind: 'post',
      cause: { kind: 'adjustment', id },
      legs: [
        { account: { merchantId: HOUSE, asset, kind: `custody:${network}` }, posted: sign * units, held: 0n },
        { account: { merchantId: HOUSE, asset, kind: 'network-costs' }, posted: -sign * units, held: 0n },
      ],
      at,
    },
  }
}

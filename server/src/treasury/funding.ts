import type { Block, ChainTransaction, Network, Transfer } from '@bursar/chainkit'
import { sql } from 'kysely'
import { coldAddressesAmong, familyOf, houseAddressesAmong, ownerOf } from '../addresses/index.ts'
import type { Catalogue } from '../assets/index.ts'
import type { Moment } from '../base/moment.ts'
import { forgetRecent, onAccounts, opposite, type CustodyMove } from '../custody/index.ts'
import type { Tx } from '../db/index.ts'
import { noEffects, type Effects } from '../effects/index.ts'
import { applyAll, HOUSE, type Item } from '../ledger/index.ts'
import { rescale } from '../money/index.ts'
import { oursAmong } from '../outgoing/index.ts'
import { houseMoneyItem } from './postings.ts'

interface Funding {
  transaction: string
  index: string
  asset: string
  units: bigint
}

/**
 * Money that reaches wallets of the house from outside is the owner's: noted when it is seen, booked as capital once its
 * block is final. Our own change is not money from outside, nor is what the operator sends back from cold storage.
 */
export const createFunding = (catalogue: Catalogue) => ({
  block: async (tx: Tx, network: Network, block: Block, _moment: Moment): Promise<Effects> => {
    const targets = [...new Set(block.transactions.flatMap((t) => t.transfers.map((x) => x.to)))]
    const house = await houseAddressesAmong(tx, familyOf(network), targets)
    if (house.size === 0) return noEffects
    const arriving = block.transactions.filter((t) => t.transfers.some((x) => house.has(x.to)))
    const fromCold = await coldSpenders(tx, network, arriving)
    const ours = await oursAmong(tx, network, arriving.map((t) => t.hash))
    const swept = await sweptByAnyone(tx, network, arriving, house)
    const moves: CustodyMove[] = []
    for (const { hash, transfers } of arriving) {
      if (ours.has(hash)) continue
      for (const transfer of transfers.filter((x) => house.has(x.to) && !fromCold(hash, x) && !swept(x))) {
        const known = catalogue.byContract(network, transfer.contract)
        if (!known) continue
        const units = rescale(transfer.units, known.on.decimals, known.asset.scale)
        const { rows } = await sql`insert into fundings(network, transaction, index, asset, address, units, block_height)
          values (${network}, ${hash}, ${transfer.index}, ${known.asset.ticker}, ${transfer.to}, ${units}, ${block.height})
          on conflict (network, transaction, index) do nothing returning 1`.execute(tx)
        if (rows.length === 1) moves.push({ network, asset: known.asset.ticker, address: transfer.to, units, height: block.height })
      }
    }
    return { ...noEffects, moves: onAccounts(moves) }
  },

  orphaned: async (tx: Tx, network: Network, fromHeight: number, _moment: Moment): Promise<Effects> => {
    await forgetRecent(tx, network, { from: fromHeight })
    const { rows } = await sql<CustodyMove>`delete from fundings where network = ${network} and block_height >= ${fromHeight} and not booked
      returning network, asset, address, units, block_height as height`.execute(tx)
    return { ...noEffects, moves: opposite(onAccounts(rows)) }
  },

  settled: async (tx: Tx, network: Network, heights: { finalHeight: number }, moment: Moment): Promise<Effects> => {
    const { rows } = await sql<Funding>`update fundings set booked = true
      where network = ${network} and not booked and block_height <= ${heights.finalHeight}
      returning transaction, index, asset, units`.execute(tx)
    return { items: rows.map((funding) => houseMoneyItem(network, { asset: funding.asset, units: funding.units, is: 'capital' }, moment)), notices: [] }
  },

  mempool: async (): Promise<Effects> => noEffects,
})

/** Tells what was sent from a cold address of ours: on Bitcoin by the coins a transaction spends, elsewhere by the sender. */
const coldSpenders = async (
  tx: Tx,
  network: Network,
  arriving: readonly ChainTransaction[],
): Promise<(hash: string, transfer: Transfer) => boolean> => {
  if (network === 'BITCOIN') {
    const { rows } = await sql<{ hash: string }>`select distinct spent_by as hash from utxos
      where network = ${network} and account = 'cold' and spent_by = any(${arriving.map(({ hash }) => hash)}::text[])`.execute(tx)
    const spenders = new Set(rows.map(({ hash }) => hash))
    return (hash) => spenders.has(hash)
  }
  const senders = [...new Set(arriving.flatMap(({ transfers }) => transfers.flatMap(({ from }) => from)))]
  const cold = await coldAddressesAmong(tx, familyOf(network), senders)
  return (_, { from }) => from.some((address) => cold.has(address))
}

/** Anybody may start the sweep of an address that has delegated: what comes to us by it was ours before. */
const sweptByAnyone = async (
  tx: Tx,
  network: Network,
  arriving: Block['transactions'],
  house: ReadonlyMap<string, unknown>,
): Promise<(transfer: Transfer) => boolean> => {
  if (network === 'BITCOIN') return () => false
  const senders = arriving.flatMap(({ transfers }) => transfers.filter(({ to }) => house.has(to)).flatMap(({ from }) => from))
  const owned = await ownerOf(tx, familyOf(network), [...new Set(senders)])
  return ({ from }) => from.length === 1 && owned.has(from[0]!)
}

/**
 * Gives a merchant money of the owner's, in the ledger only: capital to merchant through the clearing of both.
 * @param units ledger units of the asset
 */
export const grantCapital = async (
  tx: Tx,
  grant: { merchantId: string; asset: string; units: bigint },
  { at, newId }: Moment,
): Promise<void> => {
  const id = newId()
  const { merchantId, asset, units } = grant
  const transfer = (owner: string, kind: 'capital' | 'merchant', posted: bigint): Item => ({
    transfer: {
      id: newId(),
      merchantId: owner,
      kind: 'post',
      cause: { kind: 'adjustment', id },
      legs: [
        { account: { merchantId: owner, asset, kind }, posted, held: 0n },
        { account: { merchantId: owner, asset, kind: 'clearing' }, posted: -posted, held: 0n },
      ],
      at,
    },
  })
  await applyAll(tx, [transfer(HOUSE, 'capital', -units), transfer(merchantId, 'merchant', units)])
}

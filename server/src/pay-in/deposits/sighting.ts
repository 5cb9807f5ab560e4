import type { ChainTransaction, Network, Transfer } from '@bursar/chainkit'
import type { AddressOwner } from '../../chain/addresses/index.ts'
import type { AssetOnNetwork, Catalogue, CryptoAsset } from '../../market/assets/index.ts'
import { mulDiv, rescale } from '../../platform/money/index.ts'

/** A transfer of a supported asset to one of our deposit addresses, as the chain shows it. */
export interface SeenTransfer {
  transaction: string
  index: string
  keys: readonly string[]
  senders: readonly string[]
  /** it has more senders than are stored */
  sendersOmitted?: boolean
  owner: AddressOwner
  asset: CryptoAsset
  on: AssetOnNetwork
  /** ledger units */
  units: bigint
}

interface Candidate {
  transaction: ChainTransaction
  transfer: Transfer
  asset: CryptoAsset
  on: AssetOnNetwork
}

/**
 * Returns the transfers that could be deposits: of a supported asset, with an amount above zero, in a successful
 * transaction.
 */
export const candidatesIn = (
  network: Network,
  transactions: readonly ChainTransaction[],
  catalogue: Catalogue,
): Candidate[] => {
  const candidates: Candidate[] = []
  for (const transaction of transactions) {
    if (!transaction.succeeded) continue
    for (const transfer of transaction.transfers) {
      const listed = transfer.units > 0n ? catalogue.byContract(network, transfer.contract) : undefined
      if (listed) candidates.push({ transaction, transfer, ...listed })
    }
  }
  return candidates
}

/** Returns the transfers to our addresses. */
export const sightingsAmong = (
  candidates: readonly Candidate[],
  owners: ReadonlyMap<string, AddressOwner>,
): SeenTransfer[] => {
  const sightings: SeenTransfer[] = []
  for (const { transaction, transfer, asset, on } of candidates) {
    const owner = owners.get(transfer.to)
    if (!owner) continue
    sightings.push({
      transaction: transaction.hash,
      index: transfer.index,
      keys: transaction.keys,
      senders: transfer.from,
      ...(transfer.sendersOmitted && { sendersOmitted: true }),
      owner,
      asset,
      on,
      units: rescale(transfer.units, on.decimals, asset.scale),
    })
  }
  return sightings
}

/**
 * Maximum number of a transaction's keys, or senders, that are stored again for transfers after the first. Since inputs
 * and outputs have weight, a block full of such transactions then has at most a million of each, half as much as one
 * statement can contain.
 */
const MOST_REPEATED = 5_000

/**
 * Each deposit stores the keys and the senders of its transaction. For a transaction with many inputs and many outputs
 * to us that would be millions of values, and the block could not be stored; such a transaction gets none. Its keys are
 * read with its ancestry instead.
 */
export const withoutLongLists = (sightings: readonly SeenTransfer[]): SeenTransfer[] => {
  const counts = new Map<string, number>()
  for (const { transaction } of sightings) counts.set(transaction, (counts.get(transaction) ?? 0) + 1)
  const isLong = (list: readonly string[], transaction: string): boolean =>
    list.length * (counts.get(transaction)! - 1) > MOST_REPEATED
  return sightings.map((one) => ({
    ...one,
    ...(isLong(one.keys, one.transaction) && { keys: [] }),
    ...(isLong(one.senders, one.transaction) && { senders: [], sendersOmitted: true }),
  }))
}

/** Identifies a transfer on its network. */
export const sourceText = ({ transaction, index }: { transaction: string; index: string }): string =>
  `${transaction}/${index}`

/**
 * Returns the value, in 1e-18 USD, that determines the confirmations of each transfer of a block: the sum that its
 * transaction pays us, or that the block pays its address, whichever is larger. So a large sum that is split into small
 * outputs, or into small transactions, waits as long as one large transfer.
 * @returns undefined for a transfer whose sum includes an asset without a fresh price
 */
export const valuesIn = (
  sightings: readonly SeenTransfer[],
  prices: ReadonlyMap<string, bigint>,
): ((transfer: { transaction: string; address: string }) => bigint | undefined) => {
  const byTransaction = sumsBy(sightings, prices, ({ transaction }) => transaction)
  const byAddress = sumsBy(sightings, prices, ({ owner }) => owner.address)
  return ({ transaction, address }) => {
    const [one, other] = [byTransaction.get(transaction), byAddress.get(address)]
    if (one === undefined || other === undefined) return undefined
    return one > other ? one : other
  }
}

const sumsBy = (
  sightings: readonly SeenTransfer[],
  prices: ReadonlyMap<string, bigint>,
  keyOf: (sighting: SeenTransfer) => string,
): Map<string, bigint | undefined> => {
  const sums = new Map<string, bigint | undefined>()
  for (const sighting of sightings) {
    const key = keyOf(sighting)
    const before = sums.has(key) ? sums.get(key) : 0n
    const price = prices.get(sighting.asset.ticker)
    const value =
      price === undefined ? undefined : mulDiv(sighting.units, price, 10n ** BigInt(sighting.asset.scale), 'up')
    sums.set(key, before === undefined || value === undefined ? undefined : before + value)
  }
  return sums
}

import type { ChainTransaction, Network, Transfer } from '@bursar/chainkit'
import type { AddressOwner } from '../addresses/index.ts'
import type { AssetOnNetwork, Catalogue, CryptoAsset } from '../assets/index.ts'
import { mulDiv, rescale } from '../money/index.ts'

/** A transfer of a listed asset to one of our deposit addresses, as the chain shows it. */
export interface Sighting {
  transaction: string
  index: string
  keys: readonly string[]
  senders: readonly string[]
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

/** Transfers that could be deposits: of a listed asset, of more than nothing, in a transaction that had effect. */
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

/** The candidates whose receiver is one of ours. */
export const sightingsAmong = (
  candidates: readonly Candidate[],
  owners: ReadonlyMap<string, AddressOwner>,
): Sighting[] => {
  const sightings: Sighting[] = []
  for (const { transaction, transfer, asset, on } of candidates) {
    const owner = owners.get(transfer.to)
    if (!owner) continue
    sightings.push({
      transaction: transaction.hash,
      index: transfer.index,
      keys: transaction.keys,
      senders: transfer.from,
      owner,
      asset,
      on,
      units: rescale(transfer.units, on.decimals, asset.scale),
    })
  }
  return sightings
}

/** What names a transfer on its network. */
export const sourceText = ({ transaction, index }: { transaction: string; index: string }): string =>
  `${transaction}/${index}`

/**
 * What each transaction brings us, in 1e-18 USD: a large sum cut into small outputs waits as long as a large one.
 * Undefined for a transaction with any asset that has no fresh price.
 */
export const valuesOf = (
  sightings: readonly Sighting[],
  prices: ReadonlyMap<string, bigint>,
): Map<string, bigint | undefined> => {
  const values = new Map<string, bigint | undefined>()
  for (const { transaction, asset, units } of sightings) {
    const before = values.has(transaction) ? values.get(transaction) : 0n
    const price = prices.get(asset.ticker)
    const value = price === undefined ? undefined : mulDiv(units, price, 10n ** BigInt(asset.scale), 'up')
    values.set(transaction, before === undefined || value === undefined ? undefined : before + value)
  }
  return values
}

import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { leavingFrom } from '../../chain/transactions/index.ts'
import { richestOf } from '../../ledger/address-balances/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { rescale } from '../../platform/money/index.ts'

/**
 * Returns an asset's recorded balance at an address of an account chain without the amounts that its unmined
 * transactions take, in ledger units. Negative when these take more than the address has yet. Staked TRX counts.
 */
export const freeAt = async (
  db: Db | Tx,
  { network, catalogue }: { network: Network; catalogue: Catalogue },
  ticker: string,
  address: string,
): Promise<bigint> => {
  const asset = catalogue.findCrypto(ticker)!
  const { contract, decimals } = asset.networks.get(network)!
  const key = contract !== null && isEvmNetwork(network) ? contract.toLowerCase() : contract
  const leaving = (await leavingFrom(db, network, address)).get(key) ?? 0n
  const held = (await richestOf(db, network, ticker, [address]))?.units ?? 0n
  return held - rescale(leaving, decimals, asset.scale)
}

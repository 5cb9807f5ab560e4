import type { Head, Network } from '@bursar/chainkit'
import type { AddressOwner } from '../addresses/index.ts'
import type { Moment } from '../base/moment.ts'
import type { Tx } from '../db/index.ts'
import { noEffects, type Effects } from '../effects/index.ts'
import { rescale } from '../money/index.ts'
import { foundByBalance } from './deposit.ts'
import { openDeposits, type Arrival } from './opening.ts'
import type { DepositSettings } from './settings.ts'
import { broughtTo, holdFinalHeight } from './queries.ts'

/** What an address holds of the native coin, in the chain's units. */
export interface HeldBy {
  owner: AddressOwner
  units: bigint
}

/**
 * Opens deposits for native coin that addresses hold at a final block and no known transfer explains: contracts sent
 * it, and the node does not show that (amendment 21). Nothing leaves these addresses but by our own transactions, so
 * more than is known can only have come in.
 */
export const explainBalances = async (
  tx: Tx,
  network: Network,
  at: Head,
  held: readonly HeldBy[],
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  const native = settings.catalogue.byContract(network, null)
  const final = await holdFinalHeight(tx, network)
  if (!native || final === undefined || final < at.height) return noEffects
  const { asset, on } = native
  const known = await broughtTo(tx, network, asset.ticker, held.map(({ owner }) => owner.address), at.height)
  const arrivals = held.flatMap(({ owner, units }): Arrival[] => {
    const unexplained = rescale(units, on.decimals, asset.scale) - (known.get(owner.address) ?? 0n)
    if (unexplained <= 0n) return []
    const index = foundByBalance(owner.address)
    const where = { transaction: at.hash, index, keys: [], senders: [], block: at, creditHeight: at.height }
    return [{ owner, asset, on, units: unexplained, ...where }]
  })
  return openDeposits(tx, network, arrivals, moment.at, settings, moment)
}

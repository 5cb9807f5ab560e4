import type { Head, Network } from '@bursar/chainkit'
import type { AddressOwner } from '../addresses/index.ts'
import type { Moment } from '../base/moment.ts'
import { explainedAt } from '../custody/index.ts'
import type { Tx } from '../db/index.ts'
import { noEffects, type Effects } from '../effects/index.ts'
import { rescale } from '../money/index.ts'
import { foundByBalance } from './deposit.ts'
import { openDeposits, type Arrival } from './opening.ts'
import type { DepositSettings } from './settings.ts'
import { holdHeights } from './queries.ts'

/** What an address holds of the native coin, in the chain's units. */
export interface HeldBy {
  owner: AddressOwner
  units: bigint
}

/**
 * Opens deposits for native coin that addresses hold at a final block and the books do not explain: contracts sent it, and the node does not
 * show that (amendment 21). The books know what came otherwise, what we sent there ourselves and what left, as it was at that block.
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
  const heights = await holdHeights(tx, network)
  if (!native || !heights || heights.finalHeight < at.height) return noEffects
  const { asset, on } = native
  const explained = await explainedAt(tx, network, held.map(({ owner: { address } }) => ({ asset: asset.ticker, address })), at)
  if (!explained) return noEffects
  const arrivals = held.flatMap(({ owner, units }, i): Arrival[] => {
    const unexplained = rescale(units, on.decimals, asset.scale) - explained[i]!
    if (unexplained <= 0n) return []
    const index = foundByBalance(owner.address)
    const where = { transaction: at.hash, index, keys: [], senders: [], block: at, creditHeight: at.height }
    return [{ owner, asset, on, units: unexplained, ...where }]
  })
  return openDeposits(tx, network, arrivals, moment.at, settings, moment)
}

import type { Head, Network } from '@bursar/chainkit'
import type { AddressOwner } from '../../chain/addresses/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { explainedAt } from '../../ledger/address-balances/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { rescale } from '../../platform/money/index.ts'
import { lostSenders } from '../../chain/transactions/index.ts'
import { brought } from './custody.ts'
import { foundByBalance, type Deposit } from './deposit.ts'
import { openDeposits, type Arrival } from './opening.ts'
import type { DepositSettings } from './settings.ts'
import { hasRead, holdHeights } from '../../chain/watcher/index.ts'
import { comparedAbove, lockLostByBalance } from './queries.ts'
import { moveMined } from './store.ts'

/** The deposits that were found. */
export interface Explained extends Effects {
  /**
   * whether an address was passed over because a lost payment has left it: it needs another comparison when that
   * payment is final again
   */
  again: boolean
}

/** What an address holds of the native coin, in the chain's units. */
export interface HeldBy {
  owner: AddressOwner
  units: bigint
}

/**
 * Opens deposits for native coin that addresses hold at a final block and the books do not explain: contracts sent it,
 * and the node does not show that (`contract.md` 19 #21). The books know what came otherwise, what we sent there
 * ourselves and what left, as it was at that block. Deposits found so in blocks that were lost come first. An address
 * that a lost final payment of ours has left holds what that takes again: it is passed over until that is final again.
 * So is one where a newer block has been compared meanwhile: coin credited there is in no book of this one.
 * @param held also addresses that hold nothing: a sweep may have taken what the books don't explain
 * @returns undefined when nothing can be concluded of this block, as it is not final, or not among those read
 */
export const explainBalances = async (
  tx: Tx,
  network: Network,
  at: Head,
  held: readonly HeldBy[],
  settings: DepositSettings,
  moment: Moment,
): Promise<Explained | undefined> => {
  const native = settings.catalogue.byContract(network, null)
  const heights = await holdHeights(tx, network)
  if (!native || !heights || heights.finalHeight < at.height) return undefined
  if (!(await hasRead(tx, network, at))) return undefined
  const { asset, on } = native
  const explained = await explainedAt(
    tx,
    network,
    held.map(({ owner: { address } }) => ({ asset: asset.ticker, address })),
    at.height,
  )
  const lost = await lostSenders(tx, network, at.height)
  const passedOver = new Set([
    ...lost,
    ...(await comparedAbove(
      tx,
      network,
      held.map(({ owner }) => owner.address),
      at.height,
    )),
  ])
  const known = Map.groupBy(
    await lockLostByBalance(
      tx,
      network,
      held.map(({ owner }) => owner.address),
    ),
    ({ address }) => address,
  )
  const again: Deposit[] = []
  const arrivals = held.flatMap(({ owner, units }, i): Arrival[] => {
    if (passedOver.has(owner.address)) return []
    let unexplained = rescale(units, on.decimals, asset.scale) - explained[i]!
    for (const deposit of known.get(owner.address) ?? []) {
      if (deposit.units > unexplained) continue
      unexplained -= deposit.units
      again.push(deposit)
    }
    if (unexplained <= 0n) return []
    const index = foundByBalance(owner.address)
    const where = { transaction: at.hash, index, keys: [], senders: [], block: at, creditHeight: at.height }
    return [{ owner, asset, on, units: unexplained, ...where }]
  })
  await moveMined(
    tx,
    again.map((deposit) => ({ ...deposit, creditHeight: at.height })),
    at,
    moment.at,
  )
  const moves = brought(again.map((deposit) => ({ ...deposit, blockHeight: at.height })))
  const effects = joinEffects([
    { ...noEffects, moves },
    await openDeposits(tx, network, arrivals, moment.at, settings, moment),
  ])
  return { ...effects, again: held.some(({ owner }) => lost.has(owner.address)) }
}

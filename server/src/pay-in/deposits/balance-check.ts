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

/** The effects of the deposits that were found. */
export interface Explained extends Effects {
  /**
   * whether an address was skipped because a lost payment has left it: it must be compared again when that payment is
   * final again
   */
  again: boolean
}

/** The balance of an address in native coin, in the chain's units. */
export interface HeldBy {
  owner: AddressOwner
  units: bigint
}

/**
 * Opens deposits for native coin that addresses hold at a final block and that the books do not explain: contracts sent
 * it, and the node does not show that (`contract.md` 19 #21). The books contain, up to that block, other deposits,
 * our own payments to the address, and payments from it. Deposits found by balance whose blocks were lost are matched
 * first. Two kinds of addresses are skipped:
 * - one that a final payment of ours has left whose block was lost: its balance includes that payment's amount until
 *   the payment is final again;
 * - one that has been compared at a newer block meanwhile: coin credited there is not in the books of this block.
 * @param held also addresses with a balance of zero: a sweep may have taken money that the books don't explain
 * @returns undefined if the block is not final or has not been read, so that nothing can be concluded
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

import type { Block, ChainTransaction, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { familyOf, ownAddressesAmong, ownerOf } from '../../chain/addresses/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { isInner } from '../../ledger/address-balances/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { joinEffects, type Effects } from '../../ledger/effects/index.ts'
import { oursAmong } from '../../chain/transactions/index.ts'
import { compare, type Comparison } from './comparing.ts'

import { brought } from './custody.ts'
import { notifySubscribers } from './subscribers.ts'
import { openDeposits } from './opening.ts'
import { creditHeightOf } from './policy.ts'
import type { DepositSettings } from './settings.ts'
import { candidatesIn, sightingsAmong, valuesIn, withoutLongLists, type SeenTransfer } from './sighting.ts'
import { displace, lockByTransaction, moveMined, moveWhere } from './store.ts'
import { conflictsWith, setConflicts, setGone, unminedOf, type Conflict } from './unmined.ts'

/** Returns the transfers to our deposit addresses in these transactions, by one query for any number of addresses. */
const sightingsOf = async (
  tx: Tx,
  network: Network,
  transactions: readonly ChainTransaction[],
  { catalogue }: DepositSettings,
): Promise<SeenTransfer[]> => {
  const candidates = candidatesIn(network, transactions, catalogue)
  const receivers = [...new Set(candidates.map(({ transfer }) => transfer.to))]
  const sightings = sightingsAmong(candidates, await ownerOf(tx, familyOf(network), receivers))
  // A transfer from one of our own addresses, such as gas for a sweep, is no deposit, even if a restored database has
  // forgotten the transaction. A transfer that a contract paid by us sends on is a deposit, and so is the operator's
  // transfer from cold storage.
  const ours = await oursAmong(tx, network, [...new Set(sightings.map(({ transaction }) => transaction))])
  // All transfers of a transaction share one list of senders, which may contain thousands.
  const lists = new Map(
    [...Map.groupBy(sightings, (one) => one.transaction)].map(([hash, some]) => [
      hash,
      [...new Set(some.map((one) => one.senders))],
    ]),
  )
  const senders = [...new Set([...lists.values()].flat(2))]
  const family = familyOf(network)
  const [platform, deposits] = [await ownAddressesAmong(tx, family, senders), await ownerOf(tx, family, senders)]
  const isSentByUs = (from: readonly string[], transaction: string): boolean => {
    if (ours.has(transaction))
      return from.length === 0 || from.some((address) => platform.has(address) || deposits.has(address))
    return from.some((address) => deposits.has(address) || (platform.get(address)?.account ?? 'cold') !== 'cold')
  }
  const ofUs = new Map(
    [...lists].map(([transaction, some]) => [
      transaction,
      new Set(some.filter((from) => isSentByUs(from, transaction))),
    ]),
  )
  return withoutLongLists(sightings.filter((one) => !ofUs.get(one.transaction)!.has(one.senders)))
}

/**
 * Handles a block of the best chain: stores its transfers to our addresses, moves waiting deposits into it, and records
 * which deposits it makes impossible. Idempotent.
 */
export const observeBlock = async (
  tx: Tx,
  network: Network,
  block: Block,
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  const sightings = await sightingsOf(tx, network, block.transactions, settings)
  const { fresh, again, displaced } = await compareStored(tx, network, sightings)
  const heightOf = await creditHeights(tx, network, block, sightings, settings)
  await displace(tx, displaced)
  const mined = again.map(({ deposit, index, senders, sendersOmitted = false }) => ({
    ...deposit,
    index,
    senders,
    sendersOmitted,
    creditHeight: heightOf(deposit),
  }))
  const moved = await moveMined(tx, mined, block, moment.at)
  const arrivals = fresh.map((s) => ({
    ...s,
    block,
    creditHeight: heightOf({ transaction: s.transaction, address: s.owner.address }),
  }))
  // The deposits of a block that is read after a pause arrived when it was mined.
  const at = new Date(Math.min(block.time, moment.at.getTime()))
  const nowMined = again.flatMap(({ deposit }) =>
    moved.has(deposit.id) ? [{ ...deposit, blockHeight: block.height }] : [],
  )
  const { effects: reaction } = await notifySubscribers(
    tx,
    settings.depositSubscribers,
    nowMined.map((deposit) => ({ deposit, became: 'mined' as const, at })),
    moment,
  )
  const effects = await openDeposits(tx, network, arrivals, at, settings, moment)
  await noteConflicts(tx, network, block)
  return joinEffects([{ items: [], notices: [], moves: brought(nowMined) }, reaction, effects])
}

/**
 * Handles the present pool: stores pending transfers to us, and records which deposits have left the pool or returned
 * to it.
 */
export const observePool = async (
  tx: Tx,
  network: Network,
  { added, hashes }: { added: readonly ChainTransaction[]; hashes: ReadonlySet<string> },
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  const { fresh } = await compareStored(tx, network, await sightingsOf(tx, network, added, settings))
  const arrivals = fresh.map((sighting) => ({ ...sighting, block: null, creditHeight: null }))
  const effects = await openDeposits(tx, network, arrivals, moment.at, settings, moment)
  const unmined = await unminedOf(tx, network)
  await setGone(
    tx,
    unmined.filter(({ gone, transaction }) => !gone && !hashes.has(transaction)),
    moment.at,
  )
  const back = unmined.filter(({ gone, transaction }) => gone && hashes.has(transaction))
  if (back.length > 0) {
    const ids = sql`d.id = any(${back.map(({ id }) => id)}::uuid[]) and d.block_height is null`
    await moveWhere(tx, 'pooled', ids, sql`gone_at = null`, moment.at)
  }
  return effects
}

/** Compares sightings with the stored deposits of their transactions, which are locked. */
const compareStored = async (tx: Tx, network: Network, sightings: readonly SeenTransfer[]): Promise<Comparison> => {
  const hashes = [...new Set(sightings.map(({ transaction }) => transaction))]
  return compare(sightings, await lockByTransaction(tx, network, hashes))
}

/** Returns the height at which each transfer of a block is credited; null: when the block is final. */
const creditHeights = async (
  tx: Tx,
  network: Network,
  block: Block,
  sightings: readonly SeenTransfer[],
  { policy, prices }: DepositSettings,
): Promise<(transfer: { transaction: string; address: string }) => number | null> => {
  const rule = policy[network].confirmations
  const tickers = [...new Set(sightings.map(({ asset }) => asset.ticker))]
  const fresh = rule.kind === 'final' || tickers.length === 0 ? new Map<string, bigint>() : await prices(tx, tickers)
  const valueOf = valuesIn(sightings, fresh)
  const coinbases = new Set(block.transactions.flatMap(({ hash, coinbase }) => (coinbase ? [hash] : [])))
  return (transfer) => creditHeightOf(rule, block.height, valueOf(transfer), coinbases.has(transfer.transaction))
}

/**
 * Records waiting deposits that can't be mined any more on this branch, because the block uses up a coin or nonce that
 * their transaction or one of its unconfirmed ancestors needs. If the node could not show inner transfers, the
 * transaction itself rules out none of its own inner transfers.
 */
const noteConflicts = async (tx: Tx, network: Network, block: Block): Promise<void> => {
  if ((await unminedOf(tx, network)).length === 0) return
  const conflicts = await conflictsWith(tx, network, block.transactions)
  const isHidden = ({ deposit, transaction }: Conflict): boolean =>
    block.untraced === true && isInner(deposit) && transaction === deposit.transaction
  await setConflicts(
    tx,
    conflicts.filter((one) => !isHidden(one)),
    block.height,
  )
}

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
import { candidatesIn, sightingsAmong, valuesIn, withoutLongLists, type Sighting } from './sighting.ts'
import { displace, lockByTransaction, moveMined, moveWhere } from './store.ts'
import { conflictsWith, setConflicts, setGone, unminedOf, type Conflict } from './unmined.ts'

/** The transfers to our deposit addresses in these transactions: one query, whatever the number of addresses. */
const sightingsOf = async (
  tx: Tx,
  network: Network,
  transactions: readonly ChainTransaction[],
  { catalogue }: DepositSettings,
): Promise<Sighting[]> => {
  const candidates = candidatesIn(network, transactions, catalogue)
  const receivers = [...new Set(candidates.map(({ transfer }) => transfer.to))]
  const sightings = sightingsAmong(candidates, await ownerOf(tx, familyOf(network), receivers))
  // What we send to an address ourselves, such as gas for its sweep, is no deposit, also when a restored copy has
  // forgotten the transaction. What a contract sends on that we pay is one, and so is what the operator pays from cold
  // storage.
  const ours = await oursAmong(tx, network, [...new Set(sightings.map(({ transaction }) => transaction))])
  // All transfers of a transaction have one list of senders, which may be of thousands.
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
 * A block of the best chain: stores what it brings to our addresses, puts what was waiting into it, and notes what it
 * makes impossible. Doing it again changes nothing.
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
  // A block read after a pause brought its money when it was mined.
  const at = new Date(Math.min(block.time, moment.at.getTime()))
  const nowMined = again.flatMap(({ deposit }) =>
    moved.has(deposit.id) ? [{ ...deposit, blockHeight: block.height }] : [],
  )
  const { effects: followed } = await notifySubscribers(
    tx,
    settings.depositSubscribers,
    nowMined.map((deposit) => ({ deposit, became: 'mined' as const, at })),
    moment,
  )
  const effects = await openDeposits(tx, network, arrivals, at, settings, moment)
  await noteConflicts(tx, network, block)
  return joinEffects([{ items: [], notices: [], moves: brought(nowMined) }, followed, effects])
}

/** The pool as it is now: stores what is on its way to us, and notes what is there no more, or again. */
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

/** Sightings beside what is stored of their transactions, which is locked. */
const compareStored = async (tx: Tx, network: Network, sightings: readonly Sighting[]): Promise<Comparison> => {
  const hashes = [...new Set(sightings.map(({ transaction }) => transaction))]
  return compare(sightings, await lockByTransaction(tx, network, hashes))
}

/** From which height each transfer of a block is credited; null: once the block is final. */
const creditHeights = async (
  tx: Tx,
  network: Network,
  block: Block,
  sightings: readonly Sighting[],
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
 * What waits to be mined but can't be any more on this branch: the block uses up what its transaction needs, or what an
 * unconfirmed one that it stands on needs. Where no node could show inner transfers, the transaction itself says
 * nothing of those that it makes.
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

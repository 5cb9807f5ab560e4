import type { Network } from '@bursar/chainkit'
import { familyOf, replenish, type AddressOwner } from '../../chain/addresses/index.ts'
import { chargeOf, type AssetOnNetwork, type CryptoAsset } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noteChanges } from '../../platform/traces/tracing.ts'

import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { brought } from './custody.ts'
import { notifySubscribers } from './subscribers.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import { depositNotice } from './notice.ts'
import type { DepositSettings } from './settings.ts'
import { insertDeposits, type NewDeposit } from './store.ts'

/** A payment seen at one of our addresses. */
export interface Arrival {
  owner: AddressOwner
  asset: CryptoAsset
  on: AssetOnNetwork
  /** ledger units */
  units: bigint
  transaction: string
  index: string
  keys: readonly string[]
  senders: readonly string[]
  sendersOmitted?: boolean
  /** null while it is in the pool only */
  block: { height: number; hash: string } | null
  /** credited when the chain reaches this height; null: when the block is final */
  creditHeight: number | null
}

/**
 * Returns the arrivals at addresses that derive from our keys. The row of an address may be wrong or forged: a row with
 * another party's address would have all payments to that address credited.
 */
const atOurs = async (
  tx: Tx,
  network: Network,
  arrivals: readonly Arrival[],
  { isDerived }: DepositSettings,
  moment: Moment,
): Promise<readonly Arrival[]> => {
  if (!isDerived) return arrivals
  const family = familyOf(network)
  const foreign = new Map(
    arrivals.filter(({ owner }) => !isDerived(family, owner)).map(({ owner }) => [owner.address, owner]),
  )
  for (const { address, index, merchantId } of foreign.values()) {
    const text =
      `Address ${address} of merchant ${merchantId} does not derive from our ${family} keys at index ${index}, which its row states: no deposit there is ` +
      `credited. Find out who wrote the row: docs/operating/recovery.md, "Books that can't be proved"`
    await raiseAlert(tx, { kind: 'address-not-ours', subject: `${family}/${address}`, text }, moment)
  }
  return arrivals.filter(({ owner }) => !foreign.has(owner.address))
}

/**
 * Opens deposits for new arrivals, and notifies their merchants. The first deposit ends the lease of a rotating
 * address.
 * @param at time of arrival, on the business clock
 */
export const openDeposits = async (
  tx: Tx,
  network: Network,
  seen: readonly Arrival[],
  at: Date,
  settings: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  const { catalogue, depositSubscribers } = settings
  const arrivals = await atOurs(tx, network, seen, settings, moment)
  if (arrivals.length === 0) return noEffects
  const deposits = arrivals.map((arrival) => newDeposit(network, arrival, at, moment))
  const stored = await insertDeposits(tx, deposits)
  const added = deposits.filter(({ id }) => stored.has(id))
  noteChanges(tx, () => added.map(({ id }) => ({ orderId: id, kind: 'deposit', isFirst: true, status: 'seen' })))
  const owners = arrivals.map(({ owner }) => owner)
  const rotating = new Set(owners.filter(({ leasedUntil }) => leasedUntil !== null).map(({ addressId }) => addressId))
  await replenish(
    tx,
    added.filter(({ addressId, failReason }) => failReason === null && rotating.has(addressId)),
    at,
  )
  const changes = added.map((deposit) => ({ deposit, became: 'sighted' as const, at }))
  const { effects, unnotified } = await notifySubscribers(tx, depositSubscribers, changes, moment)
  const notices = added.filter(({ id }) => !unnotified.has(id)).map((deposit) => depositNotice(deposit, catalogue))
  return joinEffects([
    { items: [], notices, moves: brought(added.filter(({ blockHeight }) => blockHeight !== null)) },
    effects,
  ])
}

const newDeposit = (network: Network, arrival: Arrival, at: Date, moment: Moment): NewDeposit => {
  const { owner, asset, on, units, block } = arrival
  const tooSmall = units < on.minDeposit
  return {
    merchantId: owner.merchantId,
    id: moment.newId(),
    network,
    asset: asset.ticker,
    transaction: arrival.transaction,
    index: arrival.index,
    address: owner.address,
    addressId: owner.addressId,
    senders: [...arrival.senders],
    sendersOmitted: arrival.sendersOmitted === true,
    units,
    fee: tooSmall ? 0n : chargeOf(on.depositFee, units, units),
    state: 'pending',
    notified: 'Pending',
    compliance: null,
    failReason: tooSmall ? 'LESS_THEN_MIN_AMOUNT' : null,
    blockHeight: block?.height ?? null,
    blockHash: block?.hash ?? null,
    creditHeight: arrival.creditHeight,
    keys: arrival.keys,
    internal: false,
    late: owner.leasedUntil !== null && owner.leasedUntil <= at,
    meta: owner.meta,
    createdAt: moment.at,
  }
}

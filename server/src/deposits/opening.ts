import type { Network } from '@bursar/chainkit'
import { replenish, type AddressOwner } from '../addresses/index.ts'
import { chargeOf, type AssetOnNetwork, type CryptoAsset } from '../assets/index.ts'
import type { Moment } from '../base/moment.ts'
import type { Tx } from '../db/index.ts'

import { joinEffects, noEffects, type Effects } from '../effects/index.ts'
import { brought } from './custody.ts'
import { tellFollowers } from './following.ts'
import { depositNotice } from './notice.ts'
import type { DepositSettings } from './settings.ts'
import { insertDeposits, type NewDeposit } from './store.ts'

/** Money seen at one of our addresses, and where. */
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
  /** null while it is in the pool only */
  block: { height: number; hash: string } | null
  /** credited when the chain is this high; null: when the block is final */
  creditHeight: number | null
}

/**
 * Opens deposits for what arrived and was not known, and tells their merchants. The first one ends a rotating address.
 * @param at when it arrived, on the business clock
 */
export const openDeposits = async (
  tx: Tx,
  network: Network,
  arrivals: readonly Arrival[],
  at: Date,
  { catalogue, followers }: DepositSettings,
  moment: Moment,
): Promise<Effects> => {
  if (arrivals.length === 0) return noEffects
  const deposits = arrivals.map((arrival) => newDeposit(network, arrival, at, moment))
  const stored = await insertDeposits(tx, deposits)
  const added = deposits.filter(({ id }) => stored.has(id))
  const owners = arrivals.map(({ owner }) => owner)
  const rotating = new Set(owners.filter(({ leasedUntil }) => leasedUntil !== null).map(({ addressId }) => addressId))
  await replenish(tx, added.filter(({ addressId, failReason }) => failReason === null && rotating.has(addressId)), at)
  const followed = added.map((deposit) => ({ deposit, became: 'sighted' as const, at }))
  const { effects, untold } = await tellFollowers(tx, followers, followed, moment)
  const notices = added.filter(({ id }) => !untold.has(id)).map((deposit) => depositNotice(deposit, catalogue))
  return joinEffects([{ items: [], notices, moves: brought(added.filter(({ blockHeight }) => blockHeight !== null)) }, effects])
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
    units,
    fee: tooSmall ? 0n : chargeOf(on.depositFee, units, units),
    state: 'pending',
    told: 'Pending',
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

import { orderErrors } from '@bursar/contract'
import type { AssetOnNetwork, CryptoAsset } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Item } from '../../ledger/postings/index.ts'
import { checkStops, refusal } from '../../ledger/orders/index.ts'
import { holdTransfer } from './postings.ts'
import { readDestination, type Rules } from './request.ts'
import { rowOf, withdrawalRows } from './store.ts'
import type { Terms } from './terms.ts'
import type { AddressHolders } from './address-holders.ts'
import type { Withdrawal } from './withdrawal.ts'

/** What judges where a withdrawal may go. */
export interface PlacingDeps {
  holders: Pick<AddressHolders, 'holderOf'>
  rules: Rules
}

/** Where a withdrawal goes, judged. */
export interface Place {
  where: { asset: CryptoAsset; on: AssetOnNetwork }
  /** canonical */
  to: string
  /** as it was given */
  asSent: string
  /** to another merchant of this service */
  internal: boolean
}

/** Judges a destination; refuses addresses of the platform, and what is stopped. */
export const readPlace = async (
  { holders, rules }: PlacingDeps,
  { merchantId, to: given }: { merchantId: string; to: string },
  where: Place['where'],
  { stops }: Pick<Terms, 'stops'>,
): Promise<Place> => {
  const {
    asset: { ticker },
    on: { network },
  } = where
  const to = readDestination(given, network, rules)
  checkStops({ merchantId, ticker, network }, stops)
  const holder = await holders.holderOf(network, to)
  if (holder === 'platform')
    throw refusal(orderErrors.destinationRefused, 'Destination refused: this is an address of the service itself', 'to')
  return { where, to, asSent: given, internal: holder === 'merchant' }
}

type Given = Pick<Withdrawal, 'merchantId' | 'intentId' | 'units' | 'fee' | 'localId' | 'meta' | 'notifiedAs'>

export const newWithdrawal = (
  { where, to, asSent, internal }: Place,
  given: Given,
  { at, newId }: Moment,
): Withdrawal => ({
  ...given,
  id: newId(),
  ticker: where.asset.ticker,
  blockchain: where.on.network,
  to,
  toAsSent: asSent === to ? null : asSent,
  state: 'requested',
  failReason: null,
  internal,
  holdId: newId(),
  outgoingId: null,
  doneSent: false,
  createdAt: at,
})

/**
 * What writes a new withdrawal and holds its money, at once or not at all. @param keyId of the API key that signed for
 * it, null: none
 */
export const holdItem = (withdrawal: Withdrawal, keyId: string | null): Pick<Item, 'transfer' | 'rows'> => ({
  transfer: holdTransfer(withdrawal),
  rows: [{ table: withdrawalRows, values: rowOf(withdrawal, keyId) }],
})

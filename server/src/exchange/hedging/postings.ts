import type { Moment } from '../../platform/base/moment.ts'
import { PLATFORM, tidyLegs, type AccountKind, type Item } from '../../ledger/postings/index.ts'

/** What a fill moves, in ledger units: rounded so that the books never show more on the venue than it holds. */
export interface FillUnits {
  received: { asset: string; units: bigint }
  spent: { asset: string; units: bigint }
  /** null when nothing is charged, or the fee is in an asset without an account in the ledger */
  fee: { asset: string; units: bigint } | null
}

const leg = (asset: string, kind: AccountKind, posted: bigint) => ({
  account: { merchantId: PLATFORM, asset, kind },
  posted,
  held: 0n,
})

/**
 * Posts a fill: the venue's balance gains the amount received and loses the amount spent; both belong to the position.
 * Its fee is a cost of the platform.
 */
export const fillItem = (
  venue: string,
  orderId: string,
  { received, spent, fee }: FillUnits,
  { at, newId }: Moment,
): Item => ({
  transfer: {
    id: newId(),
    merchantId: PLATFORM,
    kind: 'post',
    cause: { kind: 'hedge', id: orderId },
    at,
    legs: tidyLegs([
      leg(received.asset, `venue:${venue}`, -received.units),
      leg(received.asset, 'position', received.units),
      leg(spent.asset, `venue:${venue}`, spent.units),
      leg(spent.asset, 'position', -spent.units),
      ...(fee === null ? [] : [leg(fee.asset, `venue:${venue}`, fee.units), leg(fee.asset, 'venue-costs', -fee.units)]),
    ]),
  },
})

/** Posts the owner's money on a venue: more if `units` is positive, less if negative. */
export const venueFundingItem = (venue: string, asset: string, units: bigint, { at, newId }: Moment): Item => {
  const id = newId()
  return {
    transfer: {
      id,
      merchantId: PLATFORM,
      kind: 'post',
      cause: { kind: 'funding', id },
      at,
      legs: [leg(asset, `venue:${venue}`, -units), leg(asset, 'capital', units)],
    },
  }
}

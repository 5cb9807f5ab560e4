import type { Moment } from '../../platform/base/moment.ts'
import { PLATFORM, tidyLegs, type AccountKind, type Item } from '../../ledger/postings/index.ts'

/** What a fill moves, ledger units: rounded so that the books never say that the venue holds more than it does. */
export interface FillUnits {
  received: { asset: string; units: bigint }
  spent: { asset: string; units: bigint }
  /** null where nothing is charged, or in what the platform has no account of */
  fee: { asset: string; units: bigint } | null
}

const leg = (asset: string, kind: AccountKind, posted: bigint) => ({
  account: { merchantId: PLATFORM, asset, kind },
  posted,
  held: 0n,
})

/**
 * The venue holds what was received and no more what was spent; both are the position's. Its fee is the platform's
 * cost.
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

/** The owner's money on a venue: more of it where `units` is above 0, less below. */
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

import type { Moment } from '../../platform/base/moment.ts'
import { PLATFORM, mergeEntries, type AccountKind, type Item } from '../../ledger/postings/index.ts'

/** Amounts that a fill moves, in ledger units: rounded so that the books never show more on the venue than it holds. */
export interface FillUnits {
  received: { asset: string; units: bigint }
  spent: { asset: string; units: bigint }
  /** null when nothing is charged, or the fee is in an asset without an account in the ledger */
  fee: { asset: string; units: bigint } | null
}

const entry = (asset: string, kind: AccountKind, posted: bigint) => ({
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
    entries: mergeEntries([
      entry(received.asset, `venue:${venue}`, -received.units),
      entry(received.asset, 'position', received.units),
      entry(spent.asset, `venue:${venue}`, spent.units),
      entry(spent.asset, 'position', -spent.units),
      ...(fee === null
        ? []
        : [entry(fee.asset, `venue:${venue}`, fee.units), entry(fee.asset, 'venue-costs', -fee.units)]),
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
      entries: [entry(asset, `venue:${venue}`, -units), entry(asset, 'capital', units)],
    },
  }
}

import type { Moment } from '../../platform/base/moment.ts'
import { PLATFORM, tidyLegs, type Item } from '../../ledger/postings/index.ts'
import type { Exchange } from './exchange.ts'

/** What is spent goes to the position and, of the fee, to income; what is received comes from the position. */
export const fillTransfer = (e: Exchange): Item['transfer'] => {
  const leg = (asset: string, kind: 'merchant' | 'position' | 'fees', posted: bigint) => ({
    account: { merchantId: e.merchantId, asset, kind },
    posted,
    held: 0n,
  })
  return {
    id: e.transferId,
    merchantId: e.merchantId,
    kind: 'post',
    cause: { kind: 'exchange', id: e.id },
    legs: tidyLegs([
      leg(e.spendTicker, 'merchant', -(e.exchange + e.fee)),
      leg(e.spendTicker, 'position', e.exchange),
      leg(e.spendTicker, 'fees', e.fee),
      leg(e.targetTicker, 'position', -e.target),
      leg(e.targetTicker, 'merchant', e.target),
    ]),
    at: e.createdAt,
  }
}

/** The owner puts capital into the position, or takes it out where `units` is below 0. */
export const fundingItem = (asset: string, units: bigint, { at, newId }: Moment): Item => {
  const id = newId()
  const leg = (kind: 'capital' | 'position', posted: bigint) => ({
    account: { merchantId: PLATFORM, asset, kind },
    posted,
    held: 0n,
  })
  return {
    transfer: {
      id,
      merchantId: PLATFORM,
      kind: 'post',
      cause: { kind: 'exchange', id },
      legs: [leg('capital', -units), leg('position', units)],
      at,
    },
  }
}

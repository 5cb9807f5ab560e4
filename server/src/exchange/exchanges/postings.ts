import type { Moment } from '../../platform/base/moment.ts'
import { PLATFORM, tidyLegs, type Item } from '../../ledger/postings/index.ts'
import type { Exchange } from './exchange.ts'

/**
 * The transfer of an exchange: the amount spent goes to the position, its fee to income; the amount received comes from
 * the position.
 */
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

/** Posts capital that the owner puts into the position, or takes out if `units` is negative. */
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

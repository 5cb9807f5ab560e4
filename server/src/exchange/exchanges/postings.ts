import type { Moment } from '../../platform/base/moment.ts'
import { PLATFORM, mergeEntries, type Item } from '../../ledger/postings/index.ts'
import type { Exchange } from './exchange.ts'

/**
 * The transfer of an exchange: the amount spent goes to the position, its fee to income; the amount received comes from
 * the position.
 */
export const fillTransfer = (e: Exchange): Item['transfer'] => {
  const entry = (asset: string, kind: 'merchant' | 'position' | 'fees', posted: bigint) => ({
    account: { merchantId: e.merchantId, asset, kind },
    posted,
    held: 0n,
  })
  return {
    id: e.transferId,
    merchantId: e.merchantId,
    kind: 'post',
    cause: { kind: 'exchange', id: e.id },
    entries: mergeEntries([
      entry(e.spendTicker, 'merchant', -(e.exchange + e.fee)),
      entry(e.spendTicker, 'position', e.exchange),
      entry(e.spendTicker, 'fees', e.fee),
      entry(e.targetTicker, 'position', -e.target),
      entry(e.targetTicker, 'merchant', e.target),
    ]),
    at: e.createdAt,
  }
}

/** Posts capital that the owner puts into the position, or takes out if `units` is negative. */
export const fundingItem = (asset: string, units: bigint, { at, newId }: Moment): Item => {
  const id = newId()
  const entry = (kind: 'capital' | 'position', posted: bigint) => ({
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
      entries: [entry('capital', -units), entry('position', units)],
      at,
    },
  }
}

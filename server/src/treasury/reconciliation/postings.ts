import type { Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import { PLATFORM, type Item } from '../../ledger/postings/index.ts'

/**
 * Returns the posting of platform money that a network holds in addition to the books, or lacks if `units` is below 0:
 * custody against capital or suspense.
 * @param units ledger units
 */
export const platformMoneyItem = (
  network: Network,
  { asset, units, is }: { asset: string; units: bigint; is: 'capital' | 'suspense' },
  { at, newId }: Moment,
): Item => {
  const id = newId()
  return {
    transfer: {
      id,
      merchantId: PLATFORM,
      kind: 'post',
      cause: { kind: is === 'capital' ? 'funding' : 'adjustment', id },
      entries: [
        { account: { merchantId: PLATFORM, asset, kind: `custody:${network}` }, posted: -units, held: 0n },
        { account: { merchantId: PLATFORM, asset, kind: is }, posted: units, held: 0n },
      ],
      at,
    },
  }
}

import type { Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import { PLATFORM, type Item } from '../../ledger/postings/index.ts'

/**
 * Money of the platform that a network holds more, or less where `units` is below 0: booked against what it is.
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
      legs: [
        { account: { merchantId: PLATFORM, asset, kind: `custody:${network}` }, posted: -units, held: 0n },
        { account: { merchantId: PLATFORM, asset, kind: is }, posted: units, held: 0n },
      ],
      at,
    },
  }
}

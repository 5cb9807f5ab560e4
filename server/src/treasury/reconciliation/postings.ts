import type { Network } from '@bursar/chainkit'
import type { Moment } from '../../platform/base/moment.ts'
import { HOUSE, type Item } from '../../ledger/postings/index.ts'

/**
 * Money of the house that a network holds more, or less where `units` is below 0: booked against what it is.
 * @param units ledger units
 */
export const houseMoneyItem = (
  network: Network,
  { asset, units, is }: { asset: string; units: bigint; is: 'capital' | 'suspense' },
  { at, newId }: Moment,
): Item => {
  const id = newId()
  return {
    transfer: {
      id,
      merchantId: HOUSE,
      kind: 'post',
      cause: { kind: is === 'capital' ? 'funding' : 'adjustment', id },
      legs: [
        { account: { merchantId: HOUSE, asset, kind: `custody:${network}` }, posted: -units, held: 0n },
        { account: { merchantId: HOUSE, asset, kind: is }, posted: units, held: 0n },
      ],
      at,
    },
  }
}

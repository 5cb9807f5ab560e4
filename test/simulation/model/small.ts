/**
 * Payments below the least deposit. They are credited together once those of an asset at an address of a network add up
 * to it (pay-in/deposits/small.ts), and which are credited together depends on when their blocks were deep enough. Coin
 * that contracts paid is different on a chain whose node cannot trace: such payments to an address between two looks at
 * its balance are one credit (pay-in/deposits/backing.ts), so that a small one may come with a large one.
 */
import type { Catalogue } from '../../../server/src/market/assets/index.ts'
import type { PaidIn } from './books.ts'

export interface Small {
  /** takes a mined output of a payment, in ledger units. @returns the amount that is credited on its own */
  add(paid: Paid, units: bigint): bigint
  /** how much of the small ones a balance holds, in ledger units, at least and at most */
  boundsOf(merchant: string, ticker: string): { least: bigint; most: bigint }
}

type Paid = Pick<PaidIn, 'merchant' | 'network' | 'ticker' | 'address' | 'byContract'>

/** The money that came to one address, of one asset on one network. */
interface Place {
  paid: Paid
  /** sum of the small outputs, and of those among them that contracts paid */
  small: bigint
  smallByContract: bigint
  /** outputs that contracts paid, small ones included */
  byContract: number
}

export const createSmall = (catalogue: Catalogue): Small => {
  const places = new Map<string, Place>()
  const minimumOf = ({ network, ticker }: Paid): bigint =>
    catalogue.findCrypto(ticker)!.networks.get(network)!.minDeposit
  return {
    add: (paid, units) => {
      const key = `${paid.network} ${paid.ticker} ${paid.address}`
      const place = places.get(key) ?? { paid, small: 0n, smallByContract: 0n, byContract: 0 }
      places.set(key, place)
      if (paid.byContract) place.byContract += 1
      if (units >= minimumOf(paid)) return units
      place.small += units
      if (paid.byContract) place.smallByContract += units
      return 0n
    },
    boundsOf: (merchant, ticker) => {
      let [least, most] = [0n, 0n]
      for (const place of places.values()) {
        if (place.paid.merchant !== merchant || place.paid.ticker !== ticker) continue
        const bounds = boundsAt(place, minimumOf(place.paid))
        least += bounds.least
        most += bounds.most
      }
      return { least, most }
    },
  }
}

const boundsAt = ({ small, smallByContract, byContract }: Place, minimum: bigint): { least: bigint; most: bigint } => {
  const mayComeWithOther = smallByContract > 0n && byContract > 1
  // The amount that is not credited yet is less than the minimum deposit.
  const credited = small >= minimum ? small - minimum + 1n : 0n
  if (mayComeWithOther) return { least: credited, most: small >= minimum ? small : smallByContract }
  if (small < minimum) return { least: 0n, most: 0n }
  // The amount that is credited of them together is no less than the minimum deposit either.
  return { least: credited > minimum ? credited : minimum, most: small }
}

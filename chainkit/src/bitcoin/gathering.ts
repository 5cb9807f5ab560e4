import { compareOutpoints, sumOf } from './coin.ts'
import type { Coin, Output } from './coin.ts'
import { canPay } from './selection.ts'
import { inputFeeAt } from './size.ts'

export interface GatheringRequest<C extends Coin> {
  /** All spendable coins */
  coins: readonly C[]
  /** Largest amount of a small coin, in satoshi */
  smallUnits: bigint
  /** Minimum number of coins for a transaction */
  leastCoins: number
  mostCoins: number
  /** Maximum share of the total of all coins, in thousandths, that may be in flight at once */
  mostPerMille: bigint
  /** Outputs that the remaining coins must be able to pay: waiting payments and the change output */
  waiting: readonly Output[]
  changeScript: Uint8Array
  /** Thousandths of a satoshi for each virtual byte */
  feeRateMilliSatPerVb: bigint
}

/**
 * Selects small coins to join into one, smallest first. Skips coins that cost as much to spend as they hold, and leaves
 * enough coins to pay the waiting outputs. Empty when a transaction is not worthwhile. The order of the input coins
 * does not matter.
 */
export function gatherCoins<C extends Coin>(request: GatheringRequest<C>): C[] {
  const { coins, smallUnits, leastCoins, mostCoins, feeRateMilliSatPerVb: rate } = request
  const small = coins
    .filter(({ units, script }) => units <= smallUnits && units > inputFeeAt(rate, script))
    .toSorted((a, b) => {
      if (a.units === b.units) return compareOutpoints(a, b)
      return a.units < b.units ? -1 : 1
    })
  const most = Math.min(mostCoins, withinShare(small, (sumOf(coins) * request.mostPerMille) / 1000n))
  if (most < leastCoins || !leavesEnough(request, small.slice(0, leastCoins))) return []
  let [enough, tooMany] = [leastCoins, most + 1]
  while (tooMany - enough > 1) {
    const middle = Math.floor((enough + tooMany) / 2)
    if (leavesEnough(request, small.slice(0, middle))) enough = middle
    else tooMany = middle
  }
  return small.slice(0, enough)
}

/** Number of leading coins whose total is at most this amount. */
function withinShare(coins: readonly Coin[], units: bigint): number {
  let sum = 0n
  const over = coins.findIndex((coin) => (sum += coin.units) > units)
  return over < 0 ? coins.length : over
}

function leavesEnough<C extends Coin>(request: GatheringRequest<C>, gathered: readonly C[]): boolean {
  const { coins, waiting, changeScript, feeRateMilliSatPerVb } = request
  if (waiting.length === 0) return true
  const taken = new Set<Coin>(gathered)
  const rest = coins.filter((coin) => !taken.has(coin))
  return canPay({ coins: rest, outputs: waiting, changeScript, feeRateMilliSatPerVb })
}

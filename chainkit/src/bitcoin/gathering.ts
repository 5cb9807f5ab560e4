import { compareOutpoints, sumOf } from './coin.ts'
import type { Coin, Output } from './coin.ts'
import { canPay } from './selection.ts'
import { feeAt, inputWeightOf, vsizeOf } from './size.ts'

export interface GatheringRequest<C extends Coin> {
  /** All that may be spent */
  coins: readonly C[]
  /** Coins of at most so many satoshi are small */
  smallUnits: bigint
  /** Fewer are not worth a transaction */
  leastCoins: number
  mostCoins: number
  /** Thousandths of what all coins hold: more is never on its way at once */
  mostPerMille: bigint
  /** What the coins left behind must pay: payments that wait, and where their change goes */
  waiting: readonly Output[]
  changeScript: Uint8Array
  /** Thousandths of a satoshi for each virtual byte */
  feeRateMilliSatPerVb: bigint
}

/**
 * Small coins to join into one, the smallest first: never one whose spending costs what it holds, never so many that
 * the rest no longer pays what waits. Empty when it is not worth it. The order of the coins does not matter.
 */
export function gatherCoins<C extends Coin>(request: GatheringRequest<C>): C[] {
  const { coins, smallUnits, leastCoins, mostCoins, feeRateMilliSatPerVb: rate } = request
  const small = coins
    .filter(({ units, script }) => units <= smallUnits && units > feeAt(rate, vsizeOf(inputWeightOf(script))))
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

/** How many of the first coins hold at most this much together. */
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

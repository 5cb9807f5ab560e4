import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { branchAndBound } from './branch-and-bound.ts'
import { leastChange, settle } from './change.ts'
import type { Settlement } from './change.ts'
import { compareOutpoints, sumOf } from './coin.ts'
import type { Coin, Output } from './coin.ts'
import { feeAt, inputWeightOf, outputWeightOf, overheadWeight } from './size.ts'

export interface SelectionRequest<C extends Coin> {
  coins: readonly C[]
  outputs: readonly Output[]
  /** Destination of the remainder. When absent, the remainder is fee. */
  changeScript?: Uint8Array
  /** Thousandths of a satoshi for each virtual byte */
  feeRateMilliSatPerVb: bigint
  /**
   * Expected rate when the change is spent later. Change that would cost more to spend than its amount is not made. 0
   * when absent
   */
  laterRateMilliSatPerVb?: bigint
}

export interface Selection<C extends Coin> extends Settlement {
  coins: C[]
}

/**
 * `not-enough`: all coins that exceed the fee of their own input do not suffice. `too-large`: they would, in a
 * transaction that no node relays.
 */
export type SelectionRefusal = 'not-enough' | 'too-large'

/** Largest transaction that nodes relay, in virtual bytes (Bitcoin Core, `MAX_STANDARD_TX_WEIGHT`). */
const MAX_VSIZE = 100_000
/** Weight units times thousandths of a satoshi per virtual byte, in one satoshi: fees are whole in this unit. */
const SCALE = 4000n

interface Ranked<C extends Coin> {
  coin: C
  /** Amount of the coin less the fee of its input, in 1/4000 satoshi */
  effective: bigint
}

/**
 * Chooses the coins that pay the outputs and the fee. It prefers a set that needs no change (branch and bound, as in
 * Bitcoin Core), then the smallest single coin that suffices, then the largest coins. Pure and deterministic: the order
 * of the coins does not matter, and coins = outputs + change + fee exactly. Throws a RangeError for a coin whose script
 * hides another, since its input size is unknown.
 */
export function selectCoins<C extends Coin>(request: SelectionRequest<C>): Selection<C> | Refused<SelectionRefusal> {
  const ranked = rank(request)
  const coins = ranked.map(({ coin }) => coin)
  const chosen = withoutChange(request, ranked) ?? smallestSingle(request, coins) ?? largestFirst(request, coins)
  if (chosen) return chosen
  const all = settleWith(request, coins)
  return all
    ? refuse('too-large', `Paying this takes ${all.vsize} virtual bytes; split the outputs or consolidate coins`)
    : refuse('not-enough', `The coins hold ${sumOf(coins)} satoshi, which does not pay these outputs and the fee`)
}

/**
 * Whether all coins that exceed the fee of their own input would pay these outputs, for any transaction size. A
 * cheap test, without the search of `selectCoins`, for many sets of outputs.
 */
export function canPay<C extends Coin>(request: SelectionRequest<C>): boolean {
  const worth = rank(request).map(({ coin }) => coin)
  return worth.length > 0 && settleWith(request, worth) !== undefined
}

/**
 * Coins that exceed the fee of their own input, largest first. Ties are ordered by outpoint, so that the given order
 * does not matter.
 */
function rank<C extends Coin>({ coins, feeRateMilliSatPerVb }: SelectionRequest<C>): Ranked<C>[] {
  return coins
    .map((coin) => ({
      coin,
      effective: coin.units * SCALE - feeRateMilliSatPerVb * BigInt(inputWeightOf(coin.script)),
    }))
    .filter(({ effective }) => effective > 0n)
    .sort((a, b) => {
      if (a.effective === b.effective) return compareOutpoints(a.coin, b.coin)
      return a.effective < b.effective ? 1 : -1
    })
}

/**
 * Finds a set whose remainder is too small for a change output. The lower bound allows for both roundings (to a virtual
 * byte, to a satoshi) and for the longest counts, so that any set found pays. `settle` then computes the exact fee.
 */
function withoutChange<C extends Coin>(request: SelectionRequest<C>, ranked: Ranked<C>[]): Selection<C> | undefined {
  const { outputs, changeScript, feeRateMilliSatPerVb: rate, laterRateMilliSatPerVb: later = 0n } = request
  if (!changeScript) return undefined
  const outputWeight = outputs.reduce((sum, { script }) => sum + outputWeightOf(script), 0)
  const paid = sumOf(outputs) * SCALE
  const most = overheadWeight(ranked.length, outputs.length) + outputWeight + 3
  const least = overheadWeight(1, outputs.length) + outputWeight + outputWeightOf(changeScript)
  const low = paid + rate * BigInt(most) + SCALE
  const high = paid + rate * BigInt(least) + leastChange(changeScript, later) * SCALE - 1n
  const found = branchAndBound(ranked, low, high)
  return (
    found &&
    settleWith(
      request,
      found.map(({ coin }) => coin),
      'relayed',
    )
  )
}

function smallestSingle<C extends Coin>(request: SelectionRequest<C>, coins: C[]): Selection<C> | undefined {
  const paid = sumOf(request.outputs)
  for (const coin of coins.toReversed()) {
    const single = coin.units > paid ? settleWith(request, [coin], 'relayed') : undefined
    if (single) return single
  }
  return undefined
}

/** The fewest coins that suffice, largest first. Binary search works because every ranked coin adds something. */
function largestFirst<C extends Coin>(request: SelectionRequest<C>, coins: C[]): Selection<C> | undefined {
  let enough = 1
  let tooFew = 0
  while (enough < coins.length && !settleWith(request, coins.slice(0, enough))) {
    tooFew = enough
    enough *= 2
  }
  enough = Math.min(enough, coins.length)
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2)
    if (settleWith(request, coins.slice(0, middle))) enough = middle
    else tooFew = middle
  }
  return settleWith(request, coins.slice(0, enough), 'relayed')
}

function settleWith<C extends Coin>(
  { outputs, changeScript, feeRateMilliSatPerVb, laterRateMilliSatPerVb }: SelectionRequest<C>,
  coins: C[],
  size: 'any' | 'relayed' = 'any',
): Selection<C> | undefined {
  const feeFor = (vsize: number): bigint => feeAt(feeRateMilliSatPerVb, vsize)
  const settled = settle(coins, outputs, changeScript, feeFor, laterRateMilliSatPerVb)
  if (!settled || (size === 'relayed' && settled.vsize > MAX_VSIZE)) return undefined
  return { coins, ...settled }
}

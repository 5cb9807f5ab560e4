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
  /** Where the rest goes. Without it the rest is fee. */
  changeScript?: Uint8Array
  /** Thousandths of a satoshi for each virtual byte */
  feeRateMilliSatPerVb: bigint
  /** The rate at which change will be spent: change worth less than that costs is not made. 0 when absent */
  laterRateMilliSatPerVb?: bigint
}

export interface Selection<C extends Coin> extends Settlement {
  coins: C[]
}

/**
 * `not-enough`: all coins worth their own fee do not pay. `too-large`: they would, in a transaction that no node
 * relays.
 */
export type SelectionRefusal = 'not-enough' | 'too-large'

/** Largest transaction that nodes relay, in virtual bytes (Bitcoin Core, `MAX_STANDARD_TX_WEIGHT`). */
const MAX_VSIZE = 100_000
/** Weight units times thousandths of a satoshi per virtual byte, in one satoshi: fees are whole in this unit. */
const SCALE = 4000n

interface Ranked<C extends Coin> {
  coin: C
  /** What the coin adds after paying for its own input, in 1/4000 satoshi */
  effective: bigint
}

/**
 * Chooses the coins that pay the outputs and the fee. First a set that needs no change (branch and bound, as Bitcoin
 * Core does), else the smallest single coin that is enough, else the largest coins first. Pure and deterministic: the
 * same coins in any order give the same answer, and coins = outputs + change + fee to the last satoshi.
 * Throws a RangeError for a coin whose script hides another, since its size is unknown.
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
 * Whether all coins that are worth their own fee would pay these outputs, whatever the size: what selection would
 * answer but for the search, so that many sets of outputs can be asked about.
 */
export function canPay<C extends Coin>(request: SelectionRequest<C>): boolean {
  const worth = rank(request).map(({ coin }) => coin)
  return worth.length > 0 && settleWith(request, worth) !== undefined
}

/** Coins that add more than they cost, the largest first; ties by outpoint, so that the order given does not matter. */
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
 * A set whose rest is too small for a change output. The lower bound allows for both roundings (to a virtual byte, to
 * a satoshi) and the longest counts, so that what is found always pays; `settle` then names the exact fee.
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

/** The fewest coins: takes the largest until they pay, found by halving since every ranked coin adds something. */
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

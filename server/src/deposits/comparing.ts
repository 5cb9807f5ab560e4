import type { Deposit } from './deposit.ts'
import { sourceText, type Sighting } from './sighting.ts'

export interface Comparison {
  /** not stored yet */
  fresh: Sighting[]
  /** stored, waiting to be mined: where in its transaction each is now */
  again: { deposit: Deposit; index: string }[]
  /** stored where something else is now: their place must be freed first */
  displaced: Deposit[]
}

/**
 * Compares what a chain shows with what is stored. Mined again on another branch, a call of a contract may move the
 * same money at another place among its logs, or other money, which then is another deposit.
 * @param known all stored deposits of the sightings' transactions
 */
export const compare = (sightings: readonly Sighting[], known: readonly Deposit[]): Comparison => {
  const stored = new Map(known.map((deposit) => [sourceText(deposit), deposit]))
  const waiting = Map.groupBy(known.filter(({ blockHeight }) => blockHeight === null), ({ transaction }) => transaction)
  const take = (sighting: Sighting, fits: (deposit: Deposit) => boolean): Deposit | undefined => {
    const candidates = waiting.get(sighting.transaction) ?? []
    const at = candidates.findIndex((deposit) => isSame(sighting, deposit) && fits(deposit))
    return at < 0 ? undefined : candidates.splice(at, 1)[0]
  }

  const result: Comparison = { fresh: [], again: [], displaced: [] }
  const left: Sighting[] = []
  for (const sighting of sightings) {
    const there = stored.get(sourceText(sighting))
    if (there && there.blockHeight !== null) continue
    const inPlace = take(sighting, ({ index }) => index === sighting.index)
    if (inPlace) result.again.push({ deposit: inPlace, index: sighting.index })
    else left.push(sighting)
  }
  for (const sighting of left) {
    const moved = take(sighting, () => true)
    if (moved) {
      result.again.push({ deposit: moved, index: sighting.index })
      result.displaced.push(moved)
    } else result.fresh.push(sighting)
  }
  const places = new Set(left.map(sourceText))
  for (const unmatched of waiting.values()) {
    result.displaced.push(...unmatched.filter((deposit) => places.has(sourceText(deposit))))
  }
  return result
}

const isSame = (sighting: Sighting, deposit: Deposit): boolean =>
  sighting.owner.address === deposit.address &&
  sighting.asset.ticker === deposit.asset &&
  sighting.units === deposit.units

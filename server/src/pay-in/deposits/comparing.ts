import { isInner, sumOf, unknownInner } from '../../ledger/address-balances/index.ts'
import { isSum, type Deposit } from './deposit.ts'
import { sourceText, type SeenTransfer } from './sighting.ts'

export interface Comparison {
  /** not stored yet */
  fresh: SeenTransfer[]
  /**
   * stored and waiting to be mined: the present index of each in its transaction, and the senders that the block names
   */
  again: { deposit: Deposit; index: string; senders: readonly string[]; sendersOmitted?: boolean | undefined }[]
  /** stored at an index where something else is now; their index must be freed first */
  displaced: Deposit[]
}

/**
 * Compares the transfers that a chain shows with the stored deposits. A contract call that is mined again on another
 * branch may move the same money at another index of its logs, or other money, which then is another deposit. Inner
 * transfers are compared by their sums.
 * @param known all stored deposits of the sightings' transactions
 */
export const compare = (sightings: readonly SeenTransfer[], known: readonly Deposit[]): Comparison => {
  const placed = comparePlaces(
    sightings.filter((one) => !isInner(one)),
    known.filter((one) => !isInner(one) && !isSum(one)),
  )
  const inner = compareSums(sightings.filter(isInner), known.filter(isInner))
  return {
    fresh: [...placed.fresh, ...inner.fresh],
    again: [...placed.again, ...inner.again],
    displaced: placed.displaced,
  }
}

const wayOf = (one: SeenTransfer | Deposit): string =>
  'owner' in one
    ? `${one.transaction}/${one.asset.ticker}/${one.owner.address}`
    : `${one.transaction}/${one.asset}/${one.address}`

/**
 * Marks stored deposits as mined again as far as the sums shown cover them, deposits of the shown amounts first. The
 * remainder is new.
 */
const compareSums = (sightings: readonly SeenTransfer[], known: readonly Deposit[]): Omit<Comparison, 'displaced'> => {
  const stored = Map.groupBy(known, wayOf)
  const again: Comparison['again'] = []
  for (const [way, shown] of Map.groupBy(sightings, wayOf)) {
    const [mined, waiting] = [
      (stored.get(way) ?? []).filter(isMined),
      (stored.get(way) ?? []).filter((one) => !isMined(one)),
    ]
    const senders = [...new Set(shown.flatMap((sighting) => sighting.senders))]
    const amounts = new Set(shown.map(({ units }) => units))
    let left = sumOf(shown) - sumOf(mined)
    for (const deposit of [
      ...waiting.filter(({ units }) => amounts.has(units)),
      ...waiting.filter(({ units }) => !amounts.has(units)),
    ]) {
      if (deposit.units > left) continue
      left -= deposit.units
      again.push({ deposit, index: deposit.index, senders })
    }
  }
  const fresh = unknownInner(
    sightings,
    [...known.filter(isMined), ...again.map(({ deposit }) => deposit)],
    wayOf,
    known,
  )
  return { fresh, again }
}

const isMined = ({ blockHeight }: Deposit): boolean => blockHeight !== null

const comparePlaces = (sightings: readonly SeenTransfer[], known: readonly Deposit[]): Comparison => {
  const stored = new Map(known.map((deposit) => [sourceText(deposit), deposit]))
  const waiting = Map.groupBy(
    known.filter(({ blockHeight }) => blockHeight === null),
    ({ transaction }) => transaction,
  )
  const take = (sighting: SeenTransfer, fits: (deposit: Deposit) => boolean): Deposit | undefined => {
    const candidates = waiting.get(sighting.transaction) ?? []
    const at = candidates.findIndex((deposit) => isSame(sighting, deposit) && fits(deposit))
    return at < 0 ? undefined : candidates.splice(at, 1)[0]
  }

  const result: Comparison = { fresh: [], again: [], displaced: [] }
  const left: SeenTransfer[] = []
  for (const sighting of sightings) {
    const there = stored.get(sourceText(sighting))
    if (there && there.blockHeight !== null) continue
    const inPlace = take(sighting, ({ index }) => index === sighting.index)
    if (inPlace)
      result.again.push({
        deposit: inPlace,
        index: sighting.index,
        senders: sighting.senders,
        sendersOmitted: sighting.sendersOmitted,
      })
    else left.push(sighting)
  }
  for (const sighting of left) {
    const moved = take(sighting, () => true)
    if (moved) {
      result.again.push({
        deposit: moved,
        index: sighting.index,
        senders: sighting.senders,
        sendersOmitted: sighting.sendersOmitted,
      })
      result.displaced.push(moved)
    } else result.fresh.push(sighting)
  }
  const places = new Set(left.map(sourceText))
  for (const unmatched of waiting.values()) {
    result.displaced.push(...unmatched.filter((deposit) => places.has(sourceText(deposit))))
  }
  return result
}

const isSame = (sighting: SeenTransfer, deposit: Deposit): boolean =>
  sighting.owner.address === deposit.address &&
  sighting.asset.ticker === deposit.asset &&
  sighting.units === deposit.units

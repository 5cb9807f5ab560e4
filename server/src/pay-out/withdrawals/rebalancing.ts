import type { HotMove } from './hot-moves.ts'

/** What a hot address can spend of one asset, in ledger units, after everything that is on its way. */
export interface Stand {
  address: string
  units: bigint
}

type Move = Pick<HotMove, 'from' | 'to' | 'units'>

/**
 * What moves between hot addresses so that each can pay its part. A payment that no one of them can make and all
 * together can goes first: what it needs is brought to the richest. Else each address that has less than half of an
 * even share is filled up to it by one that has more; the rest lets the shares drift, as every move costs a fee.
 * @param need the largest payment that waits
 * @param worth the least that is worth moving
 */
export const planMoves = (stands: readonly Stand[], need: bigint, worth: bigint): Move[] => {
  const left = stands.map((stand) => ({ ...stand, units: stand.units > 0n ? stand.units : 0n }))
  const total = left.reduce((sum, { units }) => sum + units, 0n)
  const richest = left.toSorted(byUnits)[0]
  if (!richest || left.length < 2) return []
  if (need > richest.units) return need <= total ? gather(left, richest, need) : []
  return spread(left, total / BigInt(left.length), { keep: need, keeper: richest.address }, worth)
}

const byUnits = (a: Stand, b: Stand): number => (a.units === b.units ? 0 : a.units > b.units ? -1 : 1)

const gather = (left: readonly Stand[], richest: Stand, need: bigint): Move[] => {
  const moves: Move[] = []
  let missing = need - richest.units
  for (const giver of left.toSorted(byUnits)) {
    if (giver.address === richest.address || missing === 0n) continue
    const units = giver.units < missing ? giver.units : missing
    if (units > 0n) moves.push({ from: giver.address, to: richest.address, units })
    missing -= units
  }
  return moves
}

/** The richest keeps what the largest payment needs, so that what was gathered for it does not leave again. */
const spread = (
  left: Stand[],
  share: bigint,
  { keep, keeper }: { keep: bigint; keeper: string },
  worth: bigint,
): Move[] => {
  const floorOf = (address: string): bigint => (address === keeper && keep > share ? keep : share)
  const moves: Move[] = []
  for (const taker of left.filter(({ units }) => units * 2n < share)) {
    const giver = left.toSorted((a, b) =>
      byUnits({ ...a, units: a.units - floorOf(a.address) }, { ...b, units: b.units - floorOf(b.address) }),
    )[0]!
    const surplus = giver.units - floorOf(giver.address)
    const units = surplus < share - taker.units ? surplus : share - taker.units
    if (units <= 0n || units < worth) continue
    giver.units -= units
    taker.units += units
    moves.push({ from: giver.address, to: taker.address, units })
  }
  return moves
}

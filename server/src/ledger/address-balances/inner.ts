/** A transfer within a transaction, as a node returned it or as it is stored. */
export interface InTransaction {
  transaction: string
  /** `Transfer.index` */
  index: string
  /** ledger units */
  units: bigint
}

/** Whether a contract's code made the transfer. Only some nodes show these. */
export const isInner = ({ index }: Pick<InTransaction, 'index'>): boolean => index.startsWith('t:')

/**
 * Returns the inner transfers of a newly read block that are not stored yet. Nodes number, split and merge inner
 * transfers differently, but their sum for each transaction and direction is the same on every node. So sums are
 * compared, and only an excess is new.
 * @param wayOf returns the key of a sum: transaction, asset and addresses
 * @param beside other stored transfers of these transactions
 * @returns transfers that make up the excess, under indexes that no stored one has
 */
export const unknownInner = <Shown extends InTransaction, Stored extends InTransaction>(
  shown: readonly Shown[],
  stored: readonly Stored[],
  wayOf: (transfer: Shown | Stored) => string,
  beside: readonly InTransaction[] = [],
): Shown[] => {
  const taken = new Set([...stored, ...beside].map(placeOf))
  const known = Map.groupBy(stored, wayOf)
  const unknown = [...Map.groupBy(shown, wayOf)].flatMap(([way, transfers]) =>
    excessOf(transfers, known.get(way) ?? []),
  )
  return unknown.map((transfer) => {
    const free = atFreePlace(transfer, taken)
    taken.add(placeOf(free))
    return free
  })
}

export const sumOf = (transfers: readonly Pick<InTransaction, 'units'>[]): bigint =>
  transfers.reduce((sum, { units }) => sum + units, 0n)

/** Returns the shown transfers that are not stored if they add up to the excess; otherwise one transfer of it. */
const excessOf = <Shown extends InTransaction>(shown: readonly Shown[], stored: readonly InTransaction[]): Shown[] => {
  const excess = sumOf(shown) - sumOf(stored)
  if (excess <= 0n) return []
  const amounts = stored.map(({ units }) => units)
  const left = shown.filter(({ units }) => {
    const at = amounts.indexOf(units)
    if (at >= 0) amounts.splice(at, 1)
    return at < 0
  })
  return sumOf(left) === excess ? left : [{ ...shown[0]!, units: excess }]
}

const placeOf = ({ transaction, index }: InTransaction): string => `${transaction}/${index}`

const atFreePlace = <Shown extends InTransaction>(transfer: Shown, taken: ReadonlySet<string>): Shown => {
  for (let n = 0; ; n += 1) {
    const moved = n === 0 ? transfer : { ...transfer, index: `${transfer.index}+${n}` }
    if (!taken.has(placeOf(moved))) return moved
  }
}

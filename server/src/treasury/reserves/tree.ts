import { emptyLeaf, hashStatement, leafIdOf, leafOf, parentOf, saltOf, type SumNode } from './hashing.ts'
import { depthFor } from './statement.ts'

export interface Balances {
  merchantId: string
  /** ledger units, in the order of the statement's assets */
  units: readonly bigint[]
}

export interface SumTree {
  root: SumNode
  /** position of a merchant's leaf; undefined when there is none */
  positionOf(merchantId: string): number | undefined
  /** the siblings from a leaf up to the root */
  pathOf(position: number): SumNode[]
}

/**
 * Builds the tree over all merchants' balances. Leaves are ordered by their ids, which are hashes with a secret, so
 * that a position reveals nothing about the merchant and changes with every report.
 */
export const buildTree = (
  statementText: string,
  secret: Buffer,
  balances: readonly Balances[],
  assets: number,
): SumTree => {
  const statement = hashStatement(statementText)
  const leaves = balances
    .map(({ merchantId, units }) => {
      if (units.length !== assets) throw new RangeError(`${merchantId} has ${units.length} balances, not ${assets}`)
      return { merchantId, id: leafIdOf(saltOf(secret, merchantId), merchantId), units }
    })
    .toSorted((a, b) => Buffer.compare(a.id, b.id))
  const positions = new Map(leaves.map(({ merchantId }, position) => [merchantId, position]))
  if (positions.size !== leaves.length) throw new RangeError('a merchant has two leaves')
  const depth = depthFor(leaves.length)
  const empty = emptyLeaf(statement, assets)
  const bottom = leaves.map(({ id, units }) => leafOf(statement, id, units))
  while (bottom.length < 2 ** depth) bottom.push(empty)
  const levels = [bottom]
  for (let level = bottom; level.length > 1;) {
    level = Array.from(
      { length: level.length / 2 },
      (
        (below) => (_, i) =>
          parentOf(below[2 * i]!, below[2 * i + 1]!)
      )(level),
    )
    levels.push(level)
  }
  return {
    root: levels.at(-1)![0]!,
    positionOf: (merchantId) => positions.get(merchantId),
    pathOf: (position) => levels.slice(0, -1).map((level, height) => level[(position >> height) ^ 1]!),
  }
}

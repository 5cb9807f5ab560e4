/** A node that lags for the program and is complete for everybody else, one exchange at a time. */
import { takingTurns } from '../../../sandbox/chains/turns.ts'

export interface Seen {
  /** Does something while the node is complete. */
  whole<T>(work: () => Promise<T>): Promise<T>
  /** Does something while the node lags so many blocks behind. */
  behind<T>(blocks: number, work: () => Promise<T>): Promise<T>
}

/** @param set makes the node lag so many blocks behind */
export const createSeen = (set: (blocks: number) => Promise<unknown>): Seen => {
  const inTurn = takingTurns()
  let now = 0
  const behind: Seen['behind'] = (blocks, work) =>
    inTurn(async () => {
      if (blocks !== now) await set(blocks)
      now = blocks
      return work()
    })
  return { behind, whole: (work) => behind(0, work) }
}

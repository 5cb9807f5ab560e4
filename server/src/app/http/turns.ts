/** Lets one request proceed: at once (undefined), or in a later turn of the event loop. */
export type Turns = () => Promise<void> | undefined

/**
 * Large enough that turns cost little compared with requests, and small enough that a turn is shorter than a database
 * answer.
 */
const MOST_IN_TURN = 8

/**
 * Lets a few requests proceed in one turn of the event loop, and the rest in the next turns, in order of arrival. The
 * database's answers are read between turns. Otherwise they would wait until all requests that arrived together are
 * processed, and so would every request of their batch.
 */
export const createTurns = (most = MOST_IN_TURN): Turns => {
  const waiting: (() => void)[] = []
  let taken = 0
  let counting = false
  const endTurn = (): void => {
    const idle = taken === 0
    taken = Math.min(most, waiting.length)
    for (const letThrough of waiting.splice(0, taken)) letThrough()
    if (idle) counting = false
    else setImmediate(endTurn)
  }
  return () => {
    if (!counting) {
      counting = true
      setImmediate(endTurn)
    }
    if (taken === most) return new Promise((resolve) => waiting.push(resolve))
    taken += 1
    return undefined
  }
}

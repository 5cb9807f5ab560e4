/** Lets one request through: at once (undefined), or in a later turn of the event loop. */
export type Turns = () => Promise<void> | undefined

/**
 * Many enough that turns cost nothing beside the requests; few enough that they take less time than the database needs
 * to answer.
 */
const MOST_IN_TURN = 8

/**
 * Few requests in one turn of the event loop, the rest in the next ones, in the order they came. What the database
 * answers is read between turns: behind all the requests that arrive together it would wait, and with it every request
 * of its batch.
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

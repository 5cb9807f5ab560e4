/** Serialises work on one chain: a block mined during a reorganisation would break it. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

export function takingTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work, work)
    last = turn.catch(() => {})
    return turn
  }
}

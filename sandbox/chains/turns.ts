/** Work on one chain, one piece at a time: a block mined in the middle of a reorganisation would spoil it. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

export function takingTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work, work)
    last = turn.catch(() => {})
    return turn
  }
}

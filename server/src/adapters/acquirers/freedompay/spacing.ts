import { setTimeout as sleep } from 'node:timers/promises'

/** Runs calls to one account one at a time, with a pause after the end of each. */
export interface Spacing {
  /**
   * Runs a task before all queries. Throws `onFull()`, without starting the task, when its turn does not come in time
   * or the queue is full.
   */
  order<T>(task: () => Promise<T>): Promise<T>
  /** Runs a task after all orders, without a time limit. Throws `onFull()` when the queue is full. */
  question<T>(task: () => Promise<T>): Promise<T>
}

export interface SpacingSettings {
  /** ms between the end of one call and the start of the next */
  ms: number
  /** maximum wait of an order in ms, shorter than its caller's timeout; 40000 when absent */
  longestWaitMs?: number
  onFull: () => Error
}

type Turn = (isRefused: boolean) => Promise<void>

const MOST_WAITING = 200
const LONGEST_WAIT_MS = 40_000

export const createSpacing = ({ ms, longestWaitMs = LONGEST_WAIT_MS, onFull }: SpacingSettings): Spacing => {
  const orders: { turn: Turn; until: number }[] = []
  const questions: { turn: Turn; until: number }[] = []
  let busy = false
  let freeAt = 0
  const work = async (): Promise<void> => {
    busy = true
    for (
      let next = orders.shift() ?? questions.shift();
      next !== undefined;
      next = orders.shift() ?? questions.shift()
    ) {
      const wait = freeAt - performance.now()
      if (wait > 0) await sleep(wait)
      const isLate = performance.now() > next.until
      await next.turn(isLate)
      if (!isLate) freeAt = performance.now() + ms
    }
    busy = false
  }
  const line = <T>(task: () => Promise<T>, waiting: typeof orders, longest: number): Promise<T> =>
    new Promise((resolve, reject) => {
      if (orders.length + questions.length >= MOST_WAITING) return reject(onFull())
      const turn: Turn = async (isRefused) => (isRefused ? reject(onFull()) : task().then(resolve, reject))
      waiting.push({ turn, until: performance.now() + longest })
      if (!busy) void work()
    })
  return {
    order: (task) => line(task, orders, longestWaitMs),
    question: (task) => line(task, questions, Infinity),
  }
}

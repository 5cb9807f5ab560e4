import { setTimeout as sleep } from 'node:timers/promises'

/** Calls to one account, one at a time and never sooner than some time after the one before ended. */
export interface Spacing {
  /** `ahead`: before all that wait and aren't. Throws `onFull()` when too many wait already; nothing was begun then. */
  run<T>(task: () => Promise<T>, ahead?: boolean): Promise<T>
}

const MOST_WAITING = 200

/** @param ms between the end of one call and the start of the next */
export const createSpacing = ({ ms, onFull }: { ms: number; onFull: () => Error }): Spacing => {
  const first: (() => Promise<void>)[] = []
  const later: (() => Promise<void>)[] = []
  let busy = false
  let freeAt = 0
  const work = async (): Promise<void> => {
    busy = true
    for (let next = first.shift() ?? later.shift(); next !== undefined; next = first.shift() ?? later.shift()) {
      await next()
    }
    busy = false
  }
  const spaced = async (task: () => Promise<void>): Promise<void> => {
    const wait = freeAt - performance.now()
    if (wait > 0) await sleep(wait)
    await task()
    freeAt = performance.now() + ms
  }
  return {
    run: (task, ahead = false) =>
      new Promise((resolve, reject) => {
        if (first.length + later.length >= MOST_WAITING) return reject(onFull())
        const lane = ahead ? first : later
        lane.push(() => spaced(() => task().then(resolve, reject)))
        if (!busy) void work()
      }),
  }
}

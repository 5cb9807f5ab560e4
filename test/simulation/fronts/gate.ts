/**
 * Lets the exchanges of this process with its counterparties through one at a time, in an order that depends only on
 * their contents. Without it, the operating system decides which of several concurrent exchanges comes first, and two
 * runs of a seed differ.
 */

export interface Gate {
  /**
   * Resolves when the exchange may go on: every other one has ended or waits for a lock, and the program does nothing
   * more by itself. Of several that wait, the one with the smallest content goes first.
   * @returns the function that ends the exchange; a second call has no effect
   */
  enter(content: string): Promise<() => void>
  /** An exchange that goes on at once, such as the start of a connection. @returns the function that ends it */
  hold(): () => void
  /** Resolves when no exchange goes on or waits, and the program does nothing more by itself. */
  rest(): Promise<void>
}

/** Turns of the event loop without an exchange after which the program does nothing more by itself. */
const QUIET_TURNS = 8
/** How long an exchange goes on before PostgreSQL is asked whether it waits for a lock, ms. */
const LOOK_EVERY_MS = 5
/** Work of the thread pool, which a turn of the event loop does not wait for. */
const POOL_WORK = /^(FSReq|GetAddrInfo|GetNameInfo|.*Job$|Zlib)/

/** Ports of the counterparties, which differ between runs. */
const PORT = /(?<=127\.0\.0\.1:)\d+/g

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const isPoolBusy = (): boolean => process.getActiveResourcesInfo().some((name) => POOL_WORK.test(name))

interface Waiting {
  content: string
  admit(end: () => void): void
}

/** @param lockWaits how many sessions of the database wait for a lock now */
export const createGate = (lockWaits: () => Promise<number>): Gate => {
  let waiting: Waiting[] = []
  let [open, changes, isRunning] = [0, 0, false]
  let changed = Promise.withResolvers<void>()
  const change = (by: number): void => {
    open += by
    changes += 1
    changed.resolve()
    changed = Promise.withResolvers()
  }
  const hold = (): (() => void) => {
    let isOver = false
    change(1)
    return () => {
      if (!isOver) change(-1)
      isOver = true
    }
  }
  const quiet = async (): Promise<void> => {
    for (let [turns, seen] = [0, changes]; turns < QUIET_TURNS; turns += 1) {
      await nextTurn()
      if (seen !== changes || (turns === QUIET_TURNS - 1 && isPoolBusy())) [turns, seen] = [-1, changes]
    }
  }
  /** Resolves when none goes on, or each waits for a lock. */
  const stand = async (): Promise<void> => {
    for (;;) {
      await quiet()
      if (open === 0) return
      const seen = changes
      await Promise.race([changed.promise, new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))])
      if (seen === changes && (await lockWaits()) >= open && seen === changes) return
    }
  }
  const admitAll = async (): Promise<void> => {
    isRunning = true
    while (waiting.length > 0) {
      await stand()
      const next = waiting.reduce((first, one) => (one.content < first.content ? one : first))
      waiting = waiting.filter((one) => one !== next)
      next.admit(hold())
    }
    isRunning = false
  }
  return {
    hold,
    enter: (content) =>
      new Promise((admit) => {
        changes += 1
        waiting.push({ content: content.replaceAll(PORT, ''), admit })
        if (!isRunning) void admitAll()
      }),
    rest: async () => {
      do await stand()
      while (waiting.length > 0)
    },
  }
}

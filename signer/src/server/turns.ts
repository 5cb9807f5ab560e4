import { setImmediate as others } from 'node:timers/promises'

/**
 * Most requests in one group. Larger groups save little more of the disk's time, and the first request of a group waits
 * for the last.
 */
const MOST_TOGETHER = 16

interface Waiting {
  work: () => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

/**
 * Runs requests one at a time, in the order in which they came, and answers them in groups: each result is returned
 * only after `sync`, which one group shares. So a result that rests on a line of the log, of its own request or of an
 * earlier one, is returned only when the line is on the disk.
 */
export class Turns {
  readonly #sync: () => Promise<void>
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined

  /** @param sync returns when everything that was written to the log is on the disk */
  constructor(sync: () => Promise<void>) {
    this.#sync = sync
  }

  /**
   * Runs `work` after everything that came before. Throws what `work` throws; and what `sync` throws, whether or not
   * `work` wrote a line: then no result of the group is certain.
   */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as Waiting['resolve'], reject })
      this.#running ??= this.#run()
    })
  }

  /** Waits until everything that came before is answered. */
  async drained(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    // The caller gets its promise before the first request runs.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#runGroup()
    this.#running = undefined
  }

  async #runGroup(): Promise<void> {
    const group: { waiting: Waiting; outcome: PromiseSettledResult<unknown> }[] = []
    do {
      const waiting = this.#waiting.shift()!
      const [outcome] = await Promise.allSettled([Promise.resolve().then(waiting.work)])
      group.push({ waiting, outcome })
      // Between two requests the process reads others, and a new policy takes effect.
      await others()
    } while (this.#waiting.length > 0 && group.length < MOST_TOGETHER)
    const [synced] = await Promise.allSettled([this.#sync()])
    for (const { waiting, outcome } of group) {
      if (synced.status === 'rejected') waiting.reject(synced.reason)
      else if (outcome.status === 'rejected') waiting.reject(outcome.reason)
      else waiting.resolve(outcome.value)
    }
  }
}

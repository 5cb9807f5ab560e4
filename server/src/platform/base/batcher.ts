export interface BatcherOptions<Item, Answer> {
  /** Returns the answers to a batch, in order. `lane` is below `lanes`, and unique among concurrent batches. */
  run: (items: readonly Item[], lane: number) => Promise<readonly Answer[]>
  /** the largest batch */
  most: number
  /** batches that may be in flight at once */
  lanes?: number
  /** While no more items than this are queued or running, one lane takes them all: a batch has a cost of its own. */
  oneLaneUpTo?: number
  /**
   * Items with the same key run in the order in which they were submitted, and never concurrently, so that a whole
   * batch does not wait for their locks.
   */
  keyOf?: (item: Item) => string | undefined
}

/**
 * Group commit without a timer. An idle lane takes its share of all items; the next batch collects while that one runs,
 * and for one more turn of the event loop, so that callers who were just answered can join it. Each caller gets the
 * answer to its own item, or the error of its batch.
 */
export class Batcher<Item, Answer> {
  readonly #options: Required<BatcherOptions<Item, Answer>>
  readonly #idle: number[]
  readonly #running = new Set<string>()
  #waiting: Waiting<Item, Answer>[] = []
  #underWay = 0
  #woken = false
  #closed = false

  constructor(options: BatcherOptions<Item, Answer>) {
    this.#options = { lanes: 1, oneLaneUpTo: 0, keyOf: () => undefined, ...options }
    this.#idle = Array.from({ length: this.#options.lanes }, (_, lane) => lane)
  }

  /** Queues an item and resolves with its answer once its batch has run. */
  submit(item: Item): Promise<Answer> {
    if (this.#closed) return Promise.reject(new Error('shutting down: no new work is taken'))
    return new Promise<Answer>((resolve, reject) => {
      this.#waiting.push({ item, key: this.#options.keyOf(item), resolve, reject })
      this.#underWay += 1
      this.#wake()
    })
  }

  /** Refuses new items, and resolves when all accepted items have been answered. */
  async close(): Promise<void> {
    this.#closed = true
    while (this.#underWay > 0) await new Promise((resolve) => setImmediate(resolve))
  }

  #wake(): void {
    if (this.#woken || this.#idle.length === 0) return
    this.#woken = true
    setImmediate(() => {
      this.#woken = false
      this.#start()
    })
  }

  #start(): void {
    const { lanes, oneLaneUpTo } = this.#options
    while (this.#idle.length > 0 && this.#waiting.length > 0) {
      if (this.#idle.length < lanes && this.#underWay <= oneLaneUpTo) return
      const batch = this.#take()
      if (batch.taken.length === 0) return
      void this.#drive(this.#idle.shift()!, batch)
    }
  }

  /**
   * Takes a lane's share, oldest first, without keys that are running. Taking everything would leave other lanes idle.
   * Further items whose key is already in this batch are added, because no other lane could run them.
   */
  #take(): Batch<Item, Answer> {
    const { most, lanes, oneLaneUpTo } = this.#options
    const share = this.#underWay <= oneLaneUpTo ? most : Math.min(most, Math.ceil(this.#underWay / lanes))
    const [taken, left]: [Waiting<Item, Answer>[], Waiting<Item, Answer>[]] = [[], []]
    const keys = new Set<string>()
    for (const waiting of this.#waiting) {
      const { key } = waiting
      const isFree = key === undefined || !this.#running.has(key)
      const limit = key !== undefined && keys.has(key) ? most : share
      if (isFree && taken.length < limit) {
        taken.push(waiting)
        if (key !== undefined) keys.add(key)
      } else left.push(waiting)
    }
    this.#waiting = left
    return { taken, keys }
  }

  async #drive(lane: number, { taken, keys }: Batch<Item, Answer>): Promise<void> {
    for (const key of keys) this.#running.add(key)
    try {
      const answers = await this.#options.run(
        taken.map((waiting) => waiting.item),
        lane,
      )
      if (answers.length !== taken.length) throw new Error('a batch must answer every item')
      taken.forEach((waiting, i) => waiting.resolve(answers[i]!))
    } catch (error) {
      for (const waiting of taken) waiting.reject(error)
    }
    for (const key of keys) this.#running.delete(key)
    this.#underWay -= taken.length
    this.#idle.push(lane)
    this.#wake()
  }
}

interface Waiting<Item, Answer> {
  item: Item
  key: string | undefined
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

interface Batch<Item, Answer> {
  taken: readonly Waiting<Item, Answer>[]
  /** keys of its items */
  keys: ReadonlySet<string>
}

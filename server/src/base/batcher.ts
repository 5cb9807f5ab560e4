/**
 * Group commit without a timer: an idle lane takes whatever waits (at most `most` items), and the next batch gathers
 * while that one is in flight, and for one turn of the event loop more: those who were just answered and come again join it, as
 * a batch costs more than its items. Every caller gets the answer of its own item, or the error of its batch.
 */
export class Batcher<Item, Answer> {
  readonly #run: (items: readonly Item[], lane: number) => Promise<readonly Answer[]>
  readonly #most: number
  readonly #lanes: { waiting: Waiting<Item, Answer>[]; busy: boolean }[]
  readonly #laneOf: (item: Item) => number
  #closed = false

  /**
   * @param options.run answers the items of one batch, in order
   * @param options.most the largest batch
   * @param options.lanes batches that may be in flight at once
   * @param options.laneOf items with the same number never run at the same time as each other
   */
  constructor(options: {
    run: (items: readonly Item[], lane: number) => Promise<readonly Answer[]>
    most: number
    lanes?: number
    laneOf?: (item: Item) => number
  }) {
    this.#run = options.run
    this.#most = options.most
    this.#lanes = Array.from({ length: options.lanes ?? 1 }, () => ({ waiting: [], busy: false }))
    this.#laneOf = options.laneOf ?? (() => 0)
  }

  /** Queues an item and resolves with its answer once its batch has run. */
  submit(item: Item): Promise<Answer> {
    if (this.#closed) return Promise.reject(new Error('shutting down: no new work is taken'))
    const index = this.#laneOf(item) % this.#lanes.length
    const lane = this.#lanes[index]!
    return new Promise<Answer>((resolve, reject) => {
      lane.waiting.push({ item, resolve, reject })
      if (lane.busy) return
      lane.busy = true
      setImmediate(() => void this.#drain(index))
    })
  }

  /** Refuses new items and resolves when everything taken has been answered. */
  async close(): Promise<void> {
    this.#closed = true
    while (this.#lanes.some((lane) => lane.busy)) await new Promise((resolve) => setImmediate(resolve))
  }

  async #drain(index: number): Promise<void> {
    const lane = this.#lanes[index]!
    while (lane.waiting.length > 0) {
      const batch = lane.waiting.splice(0, this.#most)
      try {
        const answers = await this.#run(batch.map((waiting) => waiting.item), index)
        if (answers.length !== batch.length) throw new Error('a batch must answer every item')
        batch.forEach((waiting, i) => waiting.resolve(answers[i]!))
      } catch (error) {
        for (const waiting of batch) waiting.reject(error)
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    lane.busy = false
  }
}

interface Waiting<Item, Answer> {
  item: Item
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

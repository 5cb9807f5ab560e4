import type { Clock } from '../../platform/runtime/clock.ts'
import type { Query } from '../../platform/db/index.ts'
import type { ClaimTimes, StreamStore } from './store.ts'
import type { ClaimedStream } from './stream.ts'

const FIRST = '00000000-0000-0000-0000-000000000000'
/** Maximum number of own lanes that one scan reads. */
const LANES_AT_ONCE = 1_000
/** Maximum number of streams claimed from one lane, so that many lanes share a claim. */
const MOST_OF_A_LANE = 32

/** Claims due streams for this worker: from the common queue, and from receivers' own lanes in turn. */
export class Claimer {
  readonly #store: StreamStore
  readonly #query: Query
  readonly #clock: Clock
  readonly #leaseMs: number
  #lastLane = FIRST

  constructor(store: StreamStore, query: Query, clock: Clock, leaseMs: number) {
    this.#store = store
    this.#query = query
    this.#clock = clock
    this.#leaseMs = leaseMs
  }

  /** Claims at most `most` streams of the common queue. */
  open(most: number): Promise<ClaimedStream[]> {
    return this.#store.claimOpen(this.#query, this.#times(), most)
  }

  /**
   * Claims at most `most` streams of own lanes, starting after the receiver that was scanned last.
   * @param freeSlotsFor number of streams of a receiver that may be claimed now; 0 while its endpoint can't be reached
   */
  async lanes(most: number, freeSlotsFor: (receiverId: string) => Promise<number>): Promise<ClaimedStream[]> {
    const lanes = await this.#store.scanLanes(this.#query, this.#lastLane, this.#clock.business(), LANES_AT_ONCE)
    const taken: { receiverId: string; capacity: number }[] = []
    let left = most
    this.#lastLane = lanes.length < LANES_AT_ONCE ? FIRST : lanes.at(-1)!.receiverId
    // Asked together, so that endpoints are read by one statement: those that are off stay due.
    const slots = await Promise.all(
      lanes.map(({ receiverId, due }) => (due ? freeSlotsFor(receiverId) : Promise.resolve(0))),
    )
    for (const [index, { receiverId }] of lanes.entries()) {
      const capacity = Math.min(slots[index]!, MOST_OF_A_LANE, left)
      if (capacity === 0) continue
      taken.push({ receiverId, capacity })
      left -= capacity
      if (left > 0) continue
      this.#lastLane = receiverId
      break
    }
    return taken.length === 0 ? [] : this.#store.claimLanes(this.#query, this.#times(), taken)
  }

  #times(): ClaimTimes {
    const now = this.#clock.now()
    return { business: this.#clock.business(), now, leaseUntil: now + this.#leaseMs }
  }
}

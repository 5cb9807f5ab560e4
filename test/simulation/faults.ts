/**
 * Which exchange with a counterparty fails, and how. A decision depends on the seed, the step, and the content of the
 * exchange, never on the order in which concurrent requests arrive: the same seed gives the same faults.
 */
import type { Random } from '../../sandbox/random.ts'
import type { Gate } from './fronts/gate.ts'

/** The treatment of one request and its answer by a front. */
const FAULTS = [
  /** nothing reaches the counterparty */
  'lose-request',
  /** the counterparty acts, and its answer is lost */
  'lose-answer',
  /** the counterparty gets the request twice; the second answer is returned */
  'repeat',
  /** the counterparty acts, and the protocol does not allow its answer */
  'garbage',
  /** the answer is cut in half */
  'half',
  /** a gateway refuses with 500; nothing reaches the counterparty */
  'http-500',
  /** a gateway limits the rate with 429; nothing reaches the counterparty */
  'http-429',
  /** a gateway has no counterparty behind it: 503, to be tried again a second later */
  'http-503',
  /** the counterparty acts, and the answer has no body */
  'empty',
  /** the counterparty acts, and the connection ends in the middle of the answer's body */
  'broken-off',
  /** the program's process ends before the request leaves it */
  'crash-before',
  /** the counterparty acts, and the program's process has ended when the answer arrives */
  'crash-after',
  /** PostgreSQL refuses the statement with 53100: its disk is full */
  'disk-full',
  /** PostgreSQL ends the statement with 40P01: two transactions wait for each other */
  'deadlock',
  /** PostgreSQL ends the statement with 57014: it takes too long */
  'statement-timeout',
] as const

export type Fault = (typeof FAULTS)[number]

/** A place in the work of a role at which it waits. */
export interface Stall {
  /** the role has got there */
  readonly reached: Promise<void>
  /** Lets it go on; it does not wait there if it comes later. */
  release(): void
}

export interface Faults {
  /** by which exchanges of all fronts take place one at a time; undefined: they are concurrent */
  readonly gate?: Gate | undefined
  /** Resolves when the next exchange of the front may go on. Undefined: at once. */
  waits(front: string, content: string): Promise<void> | undefined
  /** @returns undefined: the exchange is carried out as it should be */
  decide(front: string, content: string): Fault | undefined
  /** how many exchanges have failed so far, by front and kind, and how many faults of other parts have happened */
  readonly counts: ReadonlyMap<string, number>
  /** Counts a fault that no `decide` has decided, such as the end of a process. */
  note(kind: string): void
  /** steps since an exchange of a front has failed; Infinity: none has */
  stepsSince(front: string): number
}

export interface FaultControl extends Faults {
  /** begins a step: the same contents count from the beginning */
  begin(step: number): void
  /**
   * Sets how often exchanges of a front fail from now on.
   * @param chance 0: never
   * @param kinds those that happen
   */
  set(front: string, chance: number, kinds?: readonly Fault[]): void
  /** Lets one exchange of the front fail: the next one of such content, after `before` others of such content. */
  failOnce(front: string, kind: Fault, content: RegExp, before: number): void
  /**
   * Lets one exchange of the front wait, after `before` more of them have passed.
   * @param content only exchanges of such content count; all when absent
   */
  stall(front: string, before: number, content?: RegExp): Stall
  /**
   * No front fails in the rest of this step, except as `set` from now on, for this step only: a story goes on to its
   * end undisturbed, and faults go on after it.
   */
  clear(): void
  /** No front fails any more. */
  end(): void
}

type Rates = Map<string, { chance: number; kinds: readonly Fault[] }>

/**
 * @param isAlike fronts whose exchanges of equal content all fail, or none of them, within a step: those that run
 *   concurrently arrive in any order
 */
export const createFaults = (
  random: Random,
  isAlike: (front: string) => boolean = () => false,
  gate?: Gate,
): FaultControl => {
  const lasting: Rates = new Map()
  /** replace the lasting rates until the end of the step; undefined: no story has changed the rates in this step */
  let passing: Rates | undefined
  const counts = new Map<string, number>()
  const seen = new Map<string, number>()
  const last = new Map<string, number>()
  let now = 0
  const single = new Map<string, { kind: Fault; content: RegExp; before: number }>()
  /** Whether the one failure that is due at a front is due now. */
  const isDue = (front: string, content: string): boolean => {
    const one = single.get(front)
    if (one === undefined || !one.content.test(content)) return false
    one.before -= 1
    return one.before < 0
  }
  const stalls = new Map<string, { before: number; content?: RegExp; arrive(): void; opened: Promise<void> }>()
  const note = (kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return {
    gate,
    counts,
    note,
    stepsSince: (front) => now - (last.get(front) ?? Number.NEGATIVE_INFINITY),
    begin: (step) => {
      now = step
      passing = undefined
      seen.clear()
    },
    set: (front, chance, kinds = FAULTS) => void (passing ?? lasting).set(front, { chance, kinds }),
    failOnce: (front, kind, content, before) => void single.set(front, { kind, content, before }),
    stall: (front, before, content) => {
      const [arrival, opening] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const place = { before, arrive: arrival.resolve, opened: opening.promise }
      stalls.set(front, content === undefined ? place : { ...place, content })
      const release = (): void => {
        stalls.delete(front)
        opening.resolve()
      }
      return { reached: arrival.promise, release }
    },
    waits: (front, content) => {
      const stall = stalls.get(front)
      if (stall === undefined || stall.content?.test(content) === false) return undefined
      stall.before -= 1
      if (stall.before >= 0) return undefined
      stalls.delete(front)
      stall.arrive()
      return stall.opened
    },
    clear: () => {
      passing = new Map()
      single.clear()
    },
    end: () => {
      lasting.clear()
      passing = undefined
      single.clear()
    },
    decide: (front, content) => {
      if (isDue(front, content)) {
        const { kind } = single.get(front)!
        single.delete(front)
        note(`${front} ${kind}`)
        last.set(front, now)
        return kind
      }
      const rate = (passing ?? lasting).get(front)
      if (rate === undefined || rate.chance === 0) return undefined
      const key = `${front}\n${content}`
      const times = seen.get(key) ?? 0
      seen.set(key, times + 1)
      const drawn = random.of(now, key, isAlike(front) ? 0 : times)
      if (!drawn.chance(rate.chance)) return undefined
      const fault = drawn.pick(rate.kinds)
      note(`${front} ${fault}`)
      last.set(front, now)
      return fault
    },
  }
}

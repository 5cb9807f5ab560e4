/**
 * Which orders of two operations are tried: first those without a switch from an operation that could go on, which are
 * the two serial ones, then those with one, with two and so on (Musuvathi and Qadeer, "Iterative context bounding for
 * systematic testing of multithreaded programs", 2007). Most faults need few switches. Where there are too many orders,
 * seeded random ones follow.
 */
import { createRandom } from '../../sandbox/random.ts'
import { following, textOf, type Choose, type Point, type Turn } from './schedule.ts'

/** Orders of at most so many steps are all tried. */
const ALL_UP_TO_STEPS = 12
/** Most switches of longer orders that are tried one after another. */
const MOST_SWITCHES = 2

export interface Explored {
  /** how many orders were tried */
  schedules: number
  /** every order was tried */
  complete: boolean
}

/**
 * Calls `run` with one order after another, never with the same twice.
 * @param most orders
 * @param run follows `choose` and returns the state before each step
 */
export const explore = async (
  { most, seed }: { most: number; seed: string },
  run: (choose: Choose) => Promise<readonly Point[]>,
): Promise<Explored> => {
  const drawing = createRandom(`${seed}/order`)
  const tried = new Set<string>()
  const waiting: string[][] = []
  const want = (prefix: string, switches: number): void => void (waiting[switches] ??= []).push(prefix)
  want('0', 0)
  want('1', 0)
  const planned = new Set<string>()
  let longest = 0
  const branch = (points: readonly Point[], prefix: string): void => {
    const schedule = textOf(points)
    longest = Math.max(longest, points.length)
    for (let at = prefix.length; at < points.length; at += 1) {
      const { ready, took } = points[at]!
      if (!ready[0] || !ready[1]) continue
      const other = schedule.slice(0, at) + String(1 - took)
      if (planned.has(other)) continue
      planned.add(other)
      want(other, switchesOf(points, other))
    }
  }
  const isWanted = (switches: number): boolean => switches <= MOST_SWITCHES || longest <= ALL_UP_TO_STEPS
  while (tried.size < most) {
    const switches = waiting.findIndex((some, at) => some !== undefined && some.length > 0 && isWanted(at))
    if (switches === -1) break
    const level = waiting[switches]!
    // The serial ones in their order; of the others any, so that few orders are not all alike.
    const [prefix] = level.splice(switches === 0 ? 0 : drawing.int(level.length), 1) as [string]
    const points = await run(following(prefix))
    tried.add(textOf(points))
    branch(points, prefix)
  }
  const complete = waiting.every((some) => some === undefined || some.length === 0)
  // A random order may have been tried before: after so many in vain there are hardly others.
  for (let drawn = 0, vain = 0; !complete && tried.size < most && vain < MOST_IN_VAIN; drawn += 1) {
    const random = createRandom(`${seed}/${drawn}`)
    const before = tried.size
    tried.add(textOf(await run((_, ready) => (ready[0] && ready[1] ? (random.int(2) as Turn) : ready[0] ? 0 : 1))))
    vain = tried.size === before ? vain + 1 : 0
  }
  return { schedules: tried.size, complete }
}

const MOST_IN_VAIN = 5

/** How often a prefix leaves an operation that could go on. @param points of an order with this prefix but its last */
const switchesOf = (points: readonly Point[], prefix: string): number => {
  let switches = 0
  for (let at = 1; at < prefix.length; at += 1) {
    const before = Number(prefix[at - 1]) as Turn
    if (prefix[at] !== prefix[at - 1] && points[at]!.ready[before]) switches += 1
  }
  return switches
}

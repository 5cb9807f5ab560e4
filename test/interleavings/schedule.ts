/**
 * Runs two operations in one order of their statements, as PostgreSQL's isolation tester does (src/test/isolation in
 * its source): a statement that waits for a lock is recognised by `pg_isolation_test_session_is_blocked`, which reads
 * the server's lock tables, and the other operation goes on. Nothing is concluded from elapsed time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Side } from './stepping.ts'

/** Which of the two operations takes a step. */
export type Turn = 0 | 1

/** Before each step: which operations could take it, and which one did. */
export interface Point {
  ready: readonly [boolean, boolean]
  took: Turn
}

export interface Step {
  turn: Turn
  text: string
}

export interface Ran {
  points: Point[]
  /** the statements in the order in which they were let through */
  steps: Step[]
  /** how each operation ended */
  results: [unknown, unknown]
  /** times that an operation waited for a lock of the other */
  waits: number
  /** times that each waited for the other, and the server ended one */
  deadlocks: number
}

/** Chooses the next operation of those that can take a step. @param at number of steps so far */
export type Choose = (at: number, ready: readonly [boolean, boolean], last: Turn | undefined) => Turn

type State = 'ready' | 'waits' | 'done'

/** How long an answer is awaited before the lock tables are read, ms. They decide; this saves reading them. */
const [ANSWER_MS, LONGEST_ANSWER_MS] = [4, 64]

/**
 * @param probe a connection of its own
 * @param operations their return values and errors are their results; they use the database by their side only
 */
export const runSchedule = async (
  probe: pg.Client,
  sides: readonly [Side, Side],
  operations: readonly [() => Promise<unknown>, () => Promise<unknown>],
  choose: Choose,
): Promise<Ran> => {
  const done = [false, false]
  const ended: (() => void)[] = []
  for (const side of sides) side.held = true
  const results = operations.map(async (operation, at) => {
    const result = await operation().then(
      (value) => value,
      (error: unknown) => error,
    )
    done[at] = true
    for (const resolve of ended.splice(0)) resolve()
    return result
  })
  const changed = (turn: Turn): Promise<void> =>
    Promise.race([sides[turn].changed(), new Promise<void>((resolve) => ended.push(resolve))])
  const isBlocked = async (pid: number): Promise<boolean> => {
    const all = sides.flatMap((side) => side.sessions()).filter((one) => one !== pid)
    const { rows } = await probe.query<{ blocked: boolean }>({
      name: 'blocked',
      text: 'select pg_isolation_test_session_is_blocked($1, $2::int[]) as blocked',
      values: [pid, all],
    })
    return rows[0]!.blocked
  }
  const stateOf = async (turn: Turn): Promise<State> => {
    for (let patience = ANSWER_MS; ;) {
      if (done[turn]) return 'done'
      const running = sides[turn].running()
      const next = changed(turn)
      if (running.length === 0) {
        if (sides[turn].waiting() > 0) return 'ready'
        await next
        continue
      }
      if (await Promise.race([next.then(() => true), sleep(patience, false)])) continue
      patience = Math.min(2 * patience, LONGEST_ANSWER_MS)
      const blocked: boolean[] = []
      for (const pid of running) blocked.push(await isBlocked(pid))
      // It may have been answered meanwhile: then this is no wait.
      const still = sides[turn].running()
      if (blocked.every(Boolean) && running.every((pid) => still.includes(pid)))
        return sides[turn].waiting() > 0 ? 'ready' : 'waits'
    }
  }

  const ran: Ran = { points: [], steps: [], results: [undefined, undefined], waits: 0, deadlocks: 0 }
  let last: Turn | undefined
  let waited: [boolean, boolean] = [false, false]
  for (;;) {
    const states: [State, State] = [await stateOf(0), await stateOf(1)]
    if (states.every((state) => state === 'done')) break
    const waits: [boolean, boolean] = [states[0] === 'waits', states[1] === 'waits']
    ran.waits += waits.filter((one, at) => one && !waited[at]).length
    waited = waits
    const ready = [states[0] === 'ready', states[1] === 'ready'] as const
    if (!ready[0] && !ready[1]) {
      if (waits[0] && waits[1]) ran.deadlocks += 1
      // The server ends one of two that wait for each other; or a lock was released this moment.
      await Promise.race([changed(0), changed(1)])
      continue
    }
    const chosen = choose(ran.steps.length, ready, last)
    const took: Turn = ready[chosen] ? chosen : ((1 - chosen) as Turn)
    ran.points.push({ ready, took })
    ran.steps.push({ turn: took, text: sides[took].step() })
    last = took
  }
  for (const side of sides) side.held = false
  ran.results = (await Promise.all(results)) as [unknown, unknown]
  return ran
}

/** `0110`: the operation that took each step. */
export const textOf = (points: readonly Point[]): string => points.map(({ took }) => took).join('')

/** Follows a schedule, then lets the operation go on that took the last step. */
export const following =
  (schedule: string): Choose =>
  (at, ready, last) => {
    const given = schedule[at]
    if (given !== undefined) return Number(given) as Turn
    return last !== undefined && ready[last] ? last : ready[0] ? 0 : 1
  }

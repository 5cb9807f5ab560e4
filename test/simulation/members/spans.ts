/** When the program may have done what a member asked it for. */
import type { Span } from '../model/policies.ts'
import type { Simulation } from '../simulation.ts'

/** Another action of the same step may set the clock back by so much and right again, ms. */
const SET_BACK_MS = 3_600_000

/** Does something, and notes between which turns and readings of the program's clock that was. */
export const spanOf = async <Result>(
  { books, clock, together }: Simulation,
  work: () => Promise<Result>,
): Promise<{ span: Span; result: Result }> => {
  const [began, before] = [books.nextTurn(), clock.now()]
  const result = await work()
  const after = clock.now()
  const earliest = Math.min(before, after) - (together > 1 ? SET_BACK_MS : 0)
  return { span: { began, ended: books.nextTurn(), from: earliest, to: Math.max(before, after) }, result }
}

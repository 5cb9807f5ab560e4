/** One thing that happens in the simulation. */
import type { Random } from '../../../sandbox/random.ts'
import type { Simulation } from '../simulation.ts'

export interface Action {
  name: string
  /** how often it is drawn, relative to the others; 0: it cannot happen now */
  weight(simulation: Simulation): number
  /**
   * Does it.
   * @param random of this step alone
   * @returns the text for the trace: names and amounts of the simulation, no ids that the program made
   */
  run(simulation: Simulation, random: Random): Promise<string>
}

/**
 * Draws one of them by weight.
 * @param more is drawn so many times as often as usual, compared with the others
 */
export const drawAction = (
  actions: readonly Action[],
  simulation: Simulation,
  random: Random,
  more?: { actions: ReadonlySet<Action>; factor: number },
): Action => {
  const weights = actions.map((action) => action.weight(simulation) * (more?.actions.has(action) ? more.factor : 1))
  let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0)
  for (const [at, action] of actions.entries()) {
    left -= weights[at]!
    if (left < 0) return action
  }
  return actions.at(-1)!
}

/** The failure of a call in one word or code, for the trace. */
export const failureOf = (error: unknown): string => {
  const { name, code, status } = error as { name?: string; code?: unknown; status?: unknown }
  const parts = [status, code].filter((part) => typeof part === 'number' || typeof part === 'string')
  return parts.length === 0 ? String(name ?? 'Error') : `${name} ${parts.join('/')}`
}

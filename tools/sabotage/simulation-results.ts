/** Results of the simulation for the sabotages, stored in `test/sabotage/simulation.json`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sabotage } from '../../test/sabotage/sabotage.ts'
import type { Tried } from './simulation.ts'

export interface SimulationResult extends Tried {
  seconds: number
  /** yyyy-mm-dd */
  day: string
  commit: string
  /** the replacement that was tried: another one has no result */
  replace: Sabotage['replace']
}

export type SimulationResults = Readonly<Record<string, SimulationResult>>

const resultsFile = (root: string): string => join(root, 'test', 'sabotage', 'simulation.json')

/** Results by name, those of changed sabotages left out. */
export const readSimulationResults = (root: string, all: readonly Sabotage[]): SimulationResults => {
  if (!existsSync(resultsFile(root))) return {}
  const results = JSON.parse(readFileSync(resultsFile(root), 'utf8')) as SimulationResults
  return Object.fromEntries(
    all.flatMap(({ name, replace }) => {
      const result = results[name]
      return result !== undefined && JSON.stringify(result.replace) === JSON.stringify(replace) ? [[name, result]] : []
    }),
  )
}

/** Adds a result, so that a run which is ended loses nothing. */
export const keepSimulationResult = (
  root: string,
  all: readonly Sabotage[],
  name: string,
  result: SimulationResult,
): void => {
  const results = { ...readSimulationResults(root, all), [name]: result }
  const inOrder = all.flatMap((one) => (results[one.name] === undefined ? [] : [[one.name, results[one.name]]]))
  writeFileSync(resultsFile(root), `${JSON.stringify(Object.fromEntries(inOrder), null, 2)}\n`)
}

import type { Output } from '../output.ts'

/** Runs the steps of setup in turn: what exists is left as it is. */
export interface Steps {
  /** Makes one thing unless it exists. With `--dry-run` only says so. */
  step(name: string, isThere: boolean, make: () => void | Promise<void>): Promise<void>
  /** number of things that were made, or would be */
  readonly made: number
}

export const createSteps = (out: Output, isDry: boolean): Steps => {
  let made = 0
  return {
    get made() {
      return made
    },
    step: async (name, isThere, make) => {
      if (isThere) return out.add('steps', { name, result: 'exists' }, `exists  ${name}`)
      made += 1
      if (isDry) return out.add('steps', { name, result: 'missing' }, `missing ${name}`)
      await make()
      out.add('steps', { name, result: 'made' }, `made    ${name}`)
    },
  }
}

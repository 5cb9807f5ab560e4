import type { ChainAdapter } from '../adapters/chains/port.ts'
import type { Cursor } from './cursor.ts'
import { applyPool, type StepDeps } from './steps.ts'

const lacksAny = (hashes: ReadonlySet<string>, known: ReadonlySet<string>): boolean => {
  for (const hash of known) if (!hashes.has(hash)) return true
  return false
}

/** What listeners know of the node's pool. */
export const createPool = (deps: StepDeps & { adapter: Pick<ChainAdapter, 'mempool'> }) => {
  let known: ReadonlySet<string> = new Set()
  let toTell = true
  return {
    /** The chain moved: what left the pool and what came back to it has to be looked at again. */
    changed: (): void => {
      toTell = true
    },
    poll: async (cursor: Cursor, headHeight: number): Promise<void> => {
      const { hashes, added } = await deps.adapter.mempool(known)
      if (!toTell && added.length === 0 && !lacksAny(hashes, known)) return
      await applyPool(deps, cursor, { added, hashes }, headHeight)
      known = hashes
      toTell = false
    },
  }
}

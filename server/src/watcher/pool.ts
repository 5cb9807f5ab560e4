import type { ChainAdapter } from '../adapters/chains/port.ts'
import type { Cursor } from './cursor.ts'
import { applyPool, type StepDeps } from './steps.ts'

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
      const left = [...known].some((hash) => !hashes.has(hash))
      if (!toTell && !left && added.length === 0) return
      await applyPool(deps, cursor, { added, hashes }, headHeight)
      known = hashes
      toTell = false
    },
  }
}

import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { Cursor } from './cursor.ts'
import { applyPool, type StepDeps } from './steps.ts'

const lacksAny = (hashes: ReadonlySet<string>, known: ReadonlySet<string>): boolean => {
  for (const hash of known) if (!hashes.has(hash)) return true
  return false
}

const NONE: ReadonlySet<string> = new Set()

/** What listeners know of the node's pool. */
export const createPool = (deps: StepDeps & { adapter: Pick<ChainAdapter, 'mempool'> }) => {
  let known: ReadonlySet<string> = new Set()
  let toNotify = true
  return {
    /** The chain moved: what left the pool and what came back to it has to be looked at again. */
    changed: (): void => {
      toNotify = true
    },
    /**
     * Reads a page of what is new, and tells it in a database transaction of its own. @returns whether more waits to be
     * read
     */
    poll: async (cursor: Cursor, headHeight: number): Promise<boolean> => {
      const { hashes, added, unread = NONE } = await deps.adapter.mempool(known)
      if (!toNotify && added.length === 0 && !lacksAny(hashes, known)) return unread.size > 0
      await applyPool(deps, cursor, { added, hashes }, headHeight)
      known = unread.size === 0 ? hashes : new Set([...hashes].filter((hash) => !unread.has(hash)))
      toNotify = false
      return unread.size > 0
    },
  }
}

import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { Cursor } from './cursor.ts'
import { applyPool, type StepDeps } from './steps.ts'

const lacksAny = (hashes: ReadonlySet<string>, known: ReadonlySet<string>): boolean => {
  for (const hash of known) if (!hashes.has(hash)) return true
  return false
}

const NONE: ReadonlySet<string> = new Set()

/** Follows the node's pool and calls subscribers with its changes. */
export const createPool = (deps: StepDeps & { adapter: Pick<ChainAdapter, 'mempool'> }) => {
  let known: ReadonlySet<string> = new Set()
  let toNotify = true
  return {
    /** Call it when the cursor has moved, so that the next poll calls subscribers even if the pool is the same. */
    changed: (): void => {
      toNotify = true
    },
    /**
     * Reads a page of new transactions and calls subscribers in a database transaction of its own.
     * @returns whether more can be read
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

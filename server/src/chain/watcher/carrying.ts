import type { Effects } from '../../ledger/effects/index.ts'
import type { ChainListener } from './listener.ts'

/** Asks every listener in order and gathers what each wants done. */
export const gather = async (
  listeners: readonly ChainListener[],
  ask: (listener: ChainListener) => Promise<Effects>,
): Promise<Effects[]> => {
  const all: Effects[] = []
  for (const listener of listeners) all.push(await ask(listener))
  return all
}

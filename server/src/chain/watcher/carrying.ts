import type { Effects } from '../../ledger/effects/index.ts'
import type { ChainSubscriber } from './subscriber.ts'

/** Asks every listener in order and gathers what each wants done. */
export const gather = async (
  listeners: readonly ChainSubscriber[],
  ask: (listener: ChainSubscriber) => Promise<Effects>,
): Promise<Effects[]> => {
  const all: Effects[] = []
  for (const listener of listeners) all.push(await ask(listener))
  return all
}

import type { Effects } from '../../ledger/effects/index.ts'
import type { ChainSubscriber } from './subscriber.ts'

/** Calls every subscriber in order and returns the effects of each. */
export const gather = async (
  subscribers: readonly ChainSubscriber[],
  ask: (subscriber: ChainSubscriber) => Promise<Effects>,
): Promise<Effects[]> => {
  const all: Effects[] = []
  for (const subscriber of subscribers) all.push(await ask(subscriber))
  return all
}

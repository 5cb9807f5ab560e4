import type { Moment } from '../base/moment.ts'
import type { Tx } from '../db/index.ts'
import { applyAll } from '../ledger/index.ts'
import { emit } from '../webhooks/index.ts'
import type { ChainListener, Effects } from './listener.ts'

/** Asks every listener in order and gathers what each wants done. */
export const gather = async (
  listeners: readonly ChainListener[],
  ask: (listener: ChainListener) => Promise<Effects>,
): Promise<Effects[]> => {
  const all: Effects[] = []
  for (const listener of listeners) all.push(await ask(listener))
  return all
}

/** Carries out the effects of one transaction at its end: postings first, then notices. */
export const carryOut = async (tx: Tx, all: readonly Effects[], moment: Moment): Promise<void> => {
  await applyAll(tx, all.flatMap(({ items }) => items))
  await emit(tx, all.flatMap(({ notices }) => notices), moment)
}

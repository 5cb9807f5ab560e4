import type { Runtime } from '../platform/runtime.ts'
import type { Payer } from './store.ts'

/** What can't be learnt of one address keeps no withdrawal waiting: another pays it, or the hot wallet. */
export const orElse = async <T>({ runtime }: { runtime: Runtime }, { address }: Payer, plan: () => Promise<T | undefined>): Promise<T | undefined> => {
  try {
    return await plan()
  } catch (err) {
    runtime.log.warn({ err, address }, 'a deposit address can not pay now: another does, or the hot wallet')
    return undefined
  }
}

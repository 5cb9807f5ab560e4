import type { Network } from '@bursar/chainkit'
import type { AlertKind } from '../../platform/runtime/alert-kinds.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'

/** An alert about a network that is on or off. Only changes are written to the database. */
export interface AlertLatch {
  /** Raises the alert with a text for the operator; null resolves it. */
  set(text: string | null): Promise<void>
}

export const createAlertLatch = (runtime: Runtime, kind: AlertKind, network: Network): AlertLatch => {
  // Unknown at first: an earlier process may have raised it.
  let lit: boolean | undefined
  return {
    set: async (text) => {
      if (lit === (text !== null)) return
      const moment = momentOf(runtime)
      if (text === null) await resolveAlert(runtime.db, kind, network, moment.at)
      else await raiseAlert(runtime.db, { kind, subject: network, text }, moment)
      lit = text !== null
    },
  }
}

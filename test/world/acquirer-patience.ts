/**
 * How tests ask an emulated acquirer: a slow machine ends no question, and one that the acquirer holds ends once it has
 * the order.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createAcquirerHttp, type AcquirerHttp } from '../../server/src/adapters/acquirers/http.ts'
import { AcquirerUnreachable } from '../../server/src/adapters/acquirers/port.ts'

const PATIENCE_MS = 120_000

export interface PatientHttp extends AcquirerHttp {
  /**
   * The next question is an order whose answer the acquirer holds: it ends as after the deadline, once the order was
   * taken.
   */
  holdNext(): void
}

/** @param taken how many orders the acquirer has */
export const createPatientHttp = (taken: () => number): PatientHttp => {
  const http = createAcquirerHttp({ account: 'test', timeoutMs: PATIENCE_MS })
  let isHeld = false
  return {
    holdNext: () => {
      isHeld = true
    },
    ask: async (question) => {
      if (!isHeld) return http.ask(question)
      isHeld = false
      const before = taken()
      const answer = http.ask(question)
      // It comes when the emulator is stopped, and no client waits for it then.
      answer.catch(() => {})
      while (taken() === before) await sleep(5)
      throw new AcquirerUnreachable('test: no whole answer in time', { sent: true })
    },
  }
}

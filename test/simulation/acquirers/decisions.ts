/**
 * The outcome of the next order or refund, unless its card decides it, and how it is reported. The front loses
 * answers, not this module.
 */
import type { Faults, Outcome, Telling } from '../../../sandbox/acquirers/faults.ts'
import type { Random } from '../../../sandbox/random.ts'

export interface Decisions {
  readonly faults: Faults
  /** The order that is decided meanwhile ends like this. */
  as<T>(outcome: Outcome, work: () => T): T
  /** The refunds that are taken up meanwhile stay open. */
  queueRefunds<T>(work: () => Promise<T>): Promise<T>
}

export const createDecisions = (random: Random): Decisions => {
  let wanted: Outcome | undefined
  let isQueueing = false
  const draw = (): Outcome | undefined => {
    const fate = random.next()
    if (fate < 0.04) return 'stuck'
    if (fate < 0.08) return 'reversed'
    return fate < 0.12 ? 'refused' : undefined
  }
  const telling = (): Telling => ({
    delayMs: 0,
    duplicate: 0,
    reorder: false,
    drop: random.chance(0.1),
    badSignature: random.chance(0.05),
  })
  return {
    faults: {
      next: () => ({ waiting: 0 }),
      takeAnswer: () => ({ delayMs: 0 }),
      takeDecision: () => {
        const outcome = wanted ?? draw()
        return outcome === undefined ? telling() : { ...telling(), outcome }
      },
      takeRefund: () => {
        if (isQueueing) return 'pending'
        const fate = random.next()
        if (fate < 0.15) return 'pending'
        return fate < 0.25 ? 'late' : undefined
      },
    },
    queueRefunds: async (work) => {
      isQueueing = true
      try {
        return await work()
      } finally {
        isQueueing = false
      }
    },
    as: (outcome, work) => {
      wanted = outcome
      try {
        return work()
      } finally {
        wanted = undefined
      }
    },
  }
}

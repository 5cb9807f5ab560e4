/** Work that an acquirer has still to do by itself, by the simulation's clock. */
import type { VirtualClock } from '../virtual.ts'

export interface Due {
  arrange(id: string, dueAt: number): void
  /** takes out what is due by now */
  take(): string[]
}

export const createDue = ({ now }: VirtualClock): Due => {
  let waiting: { id: string; dueAt: number }[] = []
  return {
    arrange: (id, dueAt) => void waiting.push({ id, dueAt }),
    take: () => {
      const ready = waiting.filter(({ dueAt }) => dueAt <= now())
      waiting = waiting.filter((one) => !ready.includes(one))
      return ready.map(({ id }) => id)
    },
  }
}

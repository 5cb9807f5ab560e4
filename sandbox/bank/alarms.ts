/** Runs due actions. Actions that became due while the bank was stopped run at once. */
export interface Alarms {
  /** @param dueAt real time, ms */
  arrange(id: string, dueAt: number): void
  stop(): void
}

export function startAlarms(wake: (id: string) => void): Alarms {
  const timers = new Set<NodeJS.Timeout>()
  return {
    arrange: (id, dueAt) => {
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          wake(id)
        },
        Math.max(0, dueAt - Date.now()),
      )
      timers.add(timer)
    },
    stop: () => timers.forEach((timer) => clearTimeout(timer)),
  }
}

/** Controls a load generator in a separate process. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Order, Outcome } from './generator.ts'

export interface Load {
  /** Throws when any answer was not 200. */
  send(order: Order): Promise<Outcome>
  close(): void
}

export const startLoad = (): Load => {
  const child = fork(new URL('generator.ts', import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  return {
    send: async (order) => {
      child.send(order)
      const [outcome] = (await once(child, 'message')) as [Outcome]
      if (outcome.refused > 0)
        throw new Error(`${outcome.refused} requests were not answered with 200, such as: ${outcome.example}`)
      return outcome
    },
    close: () => child.disconnect(),
  }
}

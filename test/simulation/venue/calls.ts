/**
 * ccxt in the process of the simulation. A process of its own (server/src/adapters/venues/ccxt/process.ts) would have
 * real time; here ccxt dates its requests by the program's clock.
 */
import type { createCaller } from '../../../server/src/adapters/venues/ccxt/caller.ts'
import { LimitedByVenue, openExchange } from '../../../server/src/adapters/venues/ccxt/exchange.ts'
import type { Operations } from '../../../server/src/adapters/venues/ccxt/wire.ts'
import { VenueUnreachable } from '../../../server/src/adapters/venues/port.ts'

type Carried = (...args: readonly unknown[]) => Promise<unknown>

/** @param now ms, by the program's clock */
export const callHere =
  (now: () => number): typeof createCaller =>
  (settings) => {
    let opened: Promise<Omit<Operations, 'open'>> | undefined
    return {
      call: async (name, ...args) => {
        opened ??= openExchange(settings, now)
        const exchange = (await opened) as unknown as Record<string, Carried>
        try {
          return (await exchange[name]!(...args)) as never
        } catch (error) {
          const { constructor, message } = error as Error
          const limited = error instanceof LimitedByVenue ? error.limited : undefined
          throw new VenueUnreachable(`${constructor.name}: ${message}`, limited)
        }
      },
      close: async () => {},
    }
  }

import type { Venue } from '../../adapters/venues/port.ts'
import type { Db } from '../../platform/db/index.ts'
import { openVenue } from '../../adapters/venues/settings.ts'
import { listStops } from '../../exchange/hedging/index.ts'
import type { Tell } from './doctor-acquirers.ts'
import type { Opened } from './open.ts'

/** Whether exchanges are hedged, the venue takes our credentials, and nobody has stopped it. */
export const tellHedge = async ({ config, runtime }: Pick<Opened, 'config' | 'runtime'>, tell: Tell): Promise<void> => {
  const hedging = config.exchange?.hedging
  if (!hedging) return tell(true, 'hedging: none; exposures of exchanges stay within the limits of their positions')
  try {
    await tellVenue(runtime.db, openVenue(hedging.venue), tell)
  } catch (error) {
    tell(false, `hedging: ${(error as Error).message}`)
  }
}

export const tellVenue = async (db: Db, venue: Venue, tell: Tell): Promise<void> => {
  try {
    const [markets, balances] = [await venue.markets(), await venue.balances()]
    tell(
      true,
      `hedging: ${venue.name} takes our key, has ${markets.length} markets, and holds ${
        balances
          .filter(({ total }) => total > 0n)
          .map(({ asset }) => asset)
          .join(', ') || 'nothing'
      }`,
    )
  } catch (error) {
    tell(false, `hedging: ${venue.name}: ${(error as Error).message}`)
  } finally {
    await venue.close()
  }
  for (const { reason, createdBy, createdAt } of await listStops(db))
    tell(false, `hedging is stopped since ${createdAt.toISOString()} by ${createdBy}: ${reason}`)
}

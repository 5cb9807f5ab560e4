import type { Venue } from '../../adapters/venues/port.ts'
import type { Db } from '../../platform/db/index.ts'
import { openVenue } from '../../adapters/venues/settings.ts'
import { listStops } from '../../exchange/hedging/index.ts'
import type { Report } from './doctor-acquirers.ts'
import type { Opened } from '../installation/open.ts'

/** Reports whether exchanges are hedged, the venue accepts our credentials, and hedging is not stopped. */
export const reportHedge = async (
  { config, runtime }: Pick<Opened, 'config' | 'runtime'>,
  report: Report,
): Promise<void> => {
  const hedging = config.exchange?.hedging
  if (!hedging) return report(true, 'hedging: none; exposures of exchanges stay within the limits of their positions')
  try {
    await reportVenue(runtime.db, openVenue(hedging.venue), report)
  } catch (error) {
    report(false, `hedging: ${(error as Error).message}`)
  }
}

export const reportVenue = async (db: Db, venue: Venue, report: Report): Promise<void> => {
  try {
    const [markets, balances] = [await venue.markets(), await venue.balances()]
    report(
      true,
      `hedging: ${venue.name} accepts our key, has ${markets.length} markets, and holds ${
        balances
          .filter(({ total }) => total > 0n)
          .map(({ asset }) => asset)
          .join(', ') || 'nothing'
      }`,
    )
  } catch (error) {
    report(false, `hedging: ${venue.name}: ${(error as Error).message}`)
  } finally {
    await venue.close()
  }
  for (const { reason, createdBy, createdAt } of await listStops(db))
    report(false, `hedging is stopped since ${createdAt.toISOString()} by ${createdBy}: ${reason}`)
}

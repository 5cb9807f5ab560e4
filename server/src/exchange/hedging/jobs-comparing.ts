import type { Venue } from '../../adapters/venues/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { alertHedging } from './alerts.ts'
import { toUnits } from './amounts.ts'
import { bookedOn, fillsOf, storeLine, type VenueLine } from './comparisons.ts'
import { listOpenOrders } from './store.ts'

/** Scales up to this one can represent every digit of a venue's amounts. */
const VENUE_DECIMALS = 8

export interface Comparing {
  runtime: Runtime
  catalogue: Catalogue
  venue: Venue
}

/**
 * Creates the job that compares the venue's balances with the books. A difference found twice in a row raises an alert.
 */
export const createVenueComparisonJob = (deps: Comparing, everyMs: number): Job => ({
  name: `compare ${deps.venue.name}`,
  everyMs,
  run: async () => {
    await compareVenue(deps)
    return false
  },
})

/**
 * Compares the venue's balances with the books. @returns undefined when that is impossible now, because an order has
 * not ended or the books changed meanwhile @throws VenueUnreachable
 */
export const compareVenue = async ({ runtime, catalogue, venue }: Comparing): Promise<VenueLine[] | undefined> => {
  const { db } = runtime
  const before = await bookedOn(db, venue.name)
  if (await isBusy(db, venue.name)) return undefined
  const held = new Map((await venue.balances()).map(({ asset, total }) => [asset, total]))
  return inTransaction(db, async (tx) => {
    const [booked, rounded] = [await bookedOn(tx, venue.name), await fillsOf(tx, venue.name)]
    const moved = [...booked].some(([asset, units]) => before.get(asset) !== units)
    if (moved || (await isBusy(tx, venue.name))) return undefined
    const lines: VenueLine[] = []
    for (const asset of new Set([...booked.keys(), ...held.keys()])) {
      const scale = catalogue.find(asset)?.scale
      if (scale === undefined) continue
      const [onVenue, inBooks] = [toUnits(held.get(asset) ?? 0n, scale, 'down'), booked.get(asset) ?? 0n]
      const difference = onVenue > inBooks ? onVenue - inBooks : inBooks - onVenue
      const allowed = scale < VENUE_DECIMALS ? BigInt(rounded.get(asset) ?? 0) + 1n : 0n
      const line = await storeLine(
        tx,
        { venue: venue.name, asset, onVenue, booked: inBooks },
        difference > allowed,
        new Date(runtime.clock.now()),
      )
      const isOff = line.offSince !== null && line.offSince < line.comparedAt
      await alertHedging(
        tx,
        'venue-drift',
        `${venue.name} ${asset}`,
        isOff ? driftText(line, scale) : undefined,
        momentOf(runtime),
      )
      lines.push(line)
    }
    return lines
  })
}

const isBusy = async (db: Parameters<typeof listOpenOrders>[0], venue: string): Promise<boolean> =>
  (await listOpenOrders(db)).some((order) => order.venue === venue)

const driftText = ({ venue, asset, onVenue, booked }: VenueLine, scale: number): string =>
  `${venue} holds ${formatUnits(onVenue, scale)} ${asset}, the books say ${formatUnits(booked, scale)}: post the money that you have moved with bursar hedging book, or find the cause`

/**
 * The venue on which the position is hedged: the sandbox's, with its own orders, trades and balances (rows V-1, V-2,
 * V-3, V-4, V-5 and V-6 of docs/dialects.md). The simulation's clock dates them, and due events happen when the
 * simulation says so.
 */
import { startVenue } from '../../../sandbox/venue/index.ts'
import type { Faults } from '../faults.ts'
import { forwardTo, startHttpFront, type HttpFront } from '../fronts/http.ts'
import { VENUE_ACCOUNT } from '../installation/keys.ts'
import type { Prices } from '../prices.ts'
import type { VirtualClock } from '../virtual.ts'

/** An order, as far as the model reads it. Amounts and prices are decimals as text. */
export interface VenueOrder {
  symbol: string
  clientOrderId: string
  side: 'BUY' | 'SELL'
  price: string
  origQty: string
  executedQty: string
  status: string
}

export interface VenueTrade {
  symbol: string
  qty: string
  quoteQty: string
  commission: string
  commissionAsset: string
  isBuyer: boolean
}

export interface SimulatedVenue {
  /** through which the program calls it */
  readonly front: HttpFront
  /** past the front, oldest first */
  orders(): VenueOrder[]
  trades(): VenueTrade[]
  /** decimals by asset */
  balances(): Readonly<Record<string, string>>
  setBalance(asset: string, amount: string): void
  /** the fault of the next order, as `POST /venue/next` of the sandbox takes it */
  next(order: object): void
  /** Refuses every request in this way from now on. */
  refuse(kind: string): void
  /** Shows an order no more, as one that ended without a trade 90 days ago. */
  archive(clientOrderId: string): void
  /** Processes due events. @returns their number */
  goOn(): Promise<number>
  /** Ends every fault. */
  mend(): void
  stop(): Promise<void>
}

export const startSimulatedVenue = async (
  faults: Faults,
  clock: Pick<VirtualClock, 'world'>,
  { usd }: Pick<Prices, 'usd'>,
): Promise<SimulatedVenue> => {
  let due: { at: number; work: () => unknown }[] = []
  const venue = await startVenue({
    port: 0,
    account: VENUE_ACCOUNT,
    usd,
    balances: {},
    now: clock.world,
    later: (ms, work) => void due.push({ at: clock.world() + ms, work }),
  })
  // A connection that is used again and cut would be tried anew, and an order placed twice.
  const forward = forwardTo(venue.url, { keepAlive: false })
  const front = await startHttpFront({ name: 'venue', faults, forward })
  const { control } = venue
  return {
    front,
    orders: () => control.find({}).orders as VenueOrder[],
    trades: () => control.find({}).trades as VenueTrade[],
    balances: () => control.find({}).balances,
    setBalance: (asset, amount) => void control.balance({ asset, amount }),
    next: (order) => void control.next(order),
    refuse: (kind) => void control.fault({ kind }),
    archive: control.archive,
    goOn: async () => {
      const now = clock.world()
      const ready = due.filter(({ at }) => at <= now)
      due = due.filter(({ at }) => at > now)
      for (const { work } of ready) await work()
      return ready.length
    },
    mend: control.mend,
    stop: async () => {
      await front.close()
      await venue.stop()
    },
  }
}

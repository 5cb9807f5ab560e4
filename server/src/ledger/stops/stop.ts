import type { Network } from '@bursar/chainkit'

/** A stop in force as orders are judged by it; null does not narrow. */
export interface StopTerm {
  asset: string | null
  merchantId: string | null
  network: string | null
  reason: string
}

/** A stop to be made: of everything that all of these which are not null have in common. */
export interface NewStop {
  asset: string | null
  merchantId: string | null
  network?: Network | null
  reason: string
  /** who stops it; this program when absent */
  actor?: string
}

export interface Stop {
  id: string
  asset: string | null
  merchantId: string | null
  network: Network | null
  reason: string
  createdBy: string
  createdAt: Date
  liftedAt: Date | null
  liftedBy: string | null
  liftedReason: string | null
}

/**
 * What money is about to move: null where it is of no one merchant, or on no chain. Only a stop that does not narrow by
 * that covers it then.
 */
export interface Reach {
  asset: string | null
  merchantId: string | null
  network: string | null
}

const takesIn = (stopped: string | null, here: string | null): boolean => stopped === null || stopped === here

/** The rule that `isCovered` states in SQL. */
export const covers = (stop: Reach, { asset, merchantId, network }: Reach): boolean =>
  takesIn(stop.asset, asset) && takesIn(stop.merchantId, merchantId) && takesIn(stop.network, network)

/** The first of these stops that covers what is about to move. */
export const coveringStop = (stops: readonly StopTerm[], reach: Reach): StopTerm | undefined =>
  stops.find((stop) => covers(stop, reach))

/** One line for a person. */
export const describeStop = ({ asset, merchantId, network, reason, createdBy, createdAt }: Stop): string => {
  const what =
    [asset, network && `on ${network}`, merchantId && `of ${merchantId}`].filter(Boolean).join(' ') || 'everything'
  return `${what} is stopped since ${createdAt.toISOString()} by ${createdBy}: ${reason}`
}

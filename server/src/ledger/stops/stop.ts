import type { Network } from '@bursar/chainkit'

/** A stop in force, as checked for orders; null means not limited in that respect. */
export interface StopTerm {
  asset: string | null
  merchantId: string | null
  network: string | null
  reason: string
}

/** A stop to be created. It covers payments that match all fields that are not null. */
export interface NewStop {
  asset: string | null
  merchantId: string | null
  network?: Network | null
  reason: string
  /** who creates it; this program when absent */
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
 * An outgoing payment as stops are checked against it. A field is null where it has no single merchant or no chain;
 * then only a stop that is not limited in that respect covers it.
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

/** Returns the first of these stops that covers the payment. */
export const coveringStop = (stops: readonly StopTerm[], reach: Reach): StopTerm | undefined =>
  stops.find((stop) => covers(stop, reach))

/** One line for a person. */
export const describeStop = ({ asset, merchantId, network, reason, createdBy, createdAt }: Stop): string => {
  const what =
    [asset, network && `on ${network}`, merchantId && `of ${merchantId}`].filter(Boolean).join(' ') || 'everything'
  return `${what} is stopped since ${createdAt.toISOString()} by ${createdBy}: ${reason}`
}

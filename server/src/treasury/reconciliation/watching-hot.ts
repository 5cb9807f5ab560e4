import type { Network } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db } from '../../platform/db/index.ts'
import { formatUnits, rescale } from '../../platform/money/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import type { HotLimits, TreasuryPolicy } from './hot-policy.ts'
import type { Position } from './positions.ts'
import type { Runway } from './runway.ts'

/** Converts the limits of one asset to ledger units. */
export const inLedgerUnits = (catalogue: Catalogue, network: Network, ticker: string, limits: HotLimits): HotLimits => {
  const asset = catalogue.findCrypto(ticker)
  const on = asset?.networks.get(network)
  if (!asset || !on) throw new Error(`policy: ${network}.hot has ${ticker}, which is not on that network`)
  const scaled = (units: bigint): bigint => rescale(units, on.decimals, asset.scale)
  const { cap, target, low, slack, cold } = limits
  return { cap: scaled(cap), target: scaled(target), low: scaled(low), slack: scaled(slack), cold }
}

/**
 * Returns the refill that the hot wallet needs, in ledger units: 0 while it covers waiting withdrawals and is not low.
 */
export const refillOf = ({ hot, leaving, waiting }: Position, { low, target }: HotLimits): bigint => {
  const free = hot - leaving
  if (free >= low && free >= waiting) return 0n
  const wanted = target > waiting ? target : waiting
  return wanted - free
}

/** Returns the excess to send to cold storage, without anything that waiting withdrawals need. */
export const excessOf = ({ hot, leaving, waiting }: Position, { cap, slack, target }: HotLimits): bigint => {
  const free = hot - leaving - waiting
  return free > cap + slack ? free - target : 0n
}

/** Raises an alert with the amount and address of a refill, or resolves it. */
export const alertRefill = async (
  db: Db,
  position: Position,
  limits: HotLimits,
  to: { address: string; scale: number },
  moment: Moment,
): Promise<void> => {
  const { network, ticker, hot, leaving, waiting } = position
  const subject = `${network}/${ticker}`
  const missing = refillOf(position, limits)
  if (missing === 0n) return resolveAlert(db, 'hot-low', subject, moment.at)
  const show = (units: bigint): string => formatUnits(units, to.scale)
  const text = `The hot wallet has ${show(hot - leaving)} ${ticker} on ${network}, and ${show(waiting)} wait to be paid out: send ${show(missing)} ${ticker} to ${to.address}`
  await raiseOrRenewAlert(
    db,
    { kind: 'hot-low', subject, text, detail: { units: missing.toString(), address: to.address } },
    moment,
  )
}

export const alertRunway = async (
  db: Db,
  runway: Runway,
  { runwayDays }: TreasuryPolicy,
  address: string,
  { at, newId }: Moment,
): Promise<void> => {
  const { network, ticker, days } = runway
  if (days === null || days >= runwayDays) return resolveAlert(db, 'runway-short', network, at)
  const text = `${ticker} for network fees on ${network} lasts ${days} days at the rate of the last week: send more to ${address}`
  await raiseOrRenewAlert(db, { kind: 'runway-short', subject: network, text }, { at, newId })
}

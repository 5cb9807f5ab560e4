import { mulDiv } from '../../platform/money/index.ts'
import type { Tariff } from './catalogue.ts'

const BASIS_POINTS = 10_000n

/** The fee of a tariff on an amount, rounded up to a ledger unit; at most `cap` when that is given. */
export const chargeOf = (tariff: Tariff, units: bigint, cap?: bigint): bigint => {
  const charge = tariff.fixed + mulDiv(units, tariff.bps, BASIS_POINTS, 'up')
  return cap !== undefined && charge > cap ? cap : charge
}

import type { Catalogue } from '../../market/assets/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { exposuresOf, profitOf, type Exposure, type ExchangePolicy } from '../exchanges/index.ts'
import { PIVOT, worthAt, type Legs } from '../../market/rates/index.ts'
import { hedgeFlows, reservedByOrders, type HedgeFlow } from './store.ts'

/** Where the platform stands in one asset. Ledger units; USDT in 1e-18, each quotient rounded against the platform. */
export interface AssetStanding extends Omit<Exposure, 'long' | 'short'> {
  /** the net of hedges: above 0 more was bought on venues than sold */
  hedged: bigint
  /** in force; null: none */
  long: bigint | null
  short: bigint | null
  /** what the exposure is worth; null when it has no price. USDT itself is not exposed to itself */
  exposureUsdt: bigint | null
  realised: bigint
  unrealised: bigint | null
  venueFees: bigint
  slippage: bigint
}

const NOTHING: Omit<HedgeFlow, 'asset'> = {
  boughtUnits: 0n,
  boughtValue: 0n,
  soldUnits: 0n,
  soldValue: 0n,
  feesValue: 0n,
  slippage: 0n,
  fills: 0,
}

export const standings = async (
  db: Db,
  catalogue: Pick<Catalogue, 'find'>,
  policy: Pick<ExchangePolicy, 'assets'>,
  legs: Legs,
): Promise<AssetStanding[]> => {
  const [exposures, flows] = await Promise.all([exposuresOf(db), hedgeFlows(db)])
  return exposures.map((exposure) => {
    const { asset } = exposure
    const hedge = flows.find((flow) => flow.asset === asset) ?? NOTHING
    const rules = policy.assets.get(asset)
    const scale = catalogue.find(asset)?.scale
    const middle = asset === PIVOT ? 0n : legs.open.get(asset)?.middle
    const worth = (units: bigint): bigint | undefined =>
      scale === undefined || middle === undefined ? undefined : worthAt(asset, { units, scale }, middle)
    const size = worth(exposure.exposure < 0n ? -exposure.exposure : exposure.exposure)
    const traded = {
      boughtUnits: exposure.boughtUnits + hedge.boughtUnits,
      boughtValue: exposure.boughtValue + hedge.boughtValue,
      soldUnits: exposure.soldUnits + hedge.soldUnits,
      soldValue: exposure.soldValue + hedge.soldValue,
    }
    return {
      ...exposure,
      hedged: hedge.boughtUnits - hedge.soldUnits,
      long: exposure.long ?? rules?.long ?? null,
      short: exposure.short ?? rules?.short ?? null,
      exposureUsdt: size === undefined ? null : exposure.exposure < 0n ? -size : size,
      // What is counted in USDT gains and loses nothing against it.
      ...(asset === PIVOT ? { realised: 0n, unrealised: 0n } : profitOf(traded, worth)),
      venueFees: hedge.feesValue,
      slippage: hedge.slippage,
    }
  })
}

/**
 * Assets whose position is not what the owner put in and what exchanges and hedges moved, or of which something else is
 * reserved than orders have: none, unless the tables were changed by hand.
 */
export const auditExposures = async (db: Db): Promise<{ asset: string; exposure: bigint; moved: bigint }[]> => {
  // One statement each, in one transaction: an order that begins between is in all or none of them.
  const [exposures, flows, reserved] = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => [await exposuresOf(tx), await hedgeFlows(tx), await reservedByOrders(tx)] as const)
  return exposures.flatMap(({ asset, exposure, boughtUnits, soldUnits, reserved: held }) => {
    const hedge = flows.find((flow) => flow.asset === asset) ?? NOTHING
    const moved = boughtUnits - soldUnits + hedge.boughtUnits - hedge.soldUnits
    return exposure === moved && held === (reserved.get(asset) ?? 0n) ? [] : [{ asset, exposure, moved }]
  })
}

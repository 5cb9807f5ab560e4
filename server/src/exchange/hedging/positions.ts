import type { Catalogue } from '../../market/assets/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { exposuresOf, profitOf, type Exposure, type ExchangePolicy } from '../exchanges/index.ts'
import { PIVOT, worthAt, type UsdtMarkets } from '../../market/rates/index.ts'
import { hedgeFlows, NO_FLOW, reservedByOrders } from './store.ts'

/** The platform's position in one asset. Ledger units; USDT in 1e-18, each quotient rounded against the platform. */
export interface AssetPosition extends Omit<Exposure, 'long' | 'short'> {
  /** the net amount of hedges: above 0, more was bought on venues than sold */
  hedged: bigint
  /** the limit in force; null: none */
  long: bigint | null
  short: bigint | null
  /** the exposure's value; null when it has no price. USDT has no exposure to itself */
  exposureUsdt: bigint | null
  realised: bigint
  unrealised: bigint | null
  venueFees: bigint
  slippage: bigint
}

export const readPositions = async (
  db: Db,
  catalogue: Pick<Catalogue, 'find'>,
  policy: Pick<ExchangePolicy, 'assets'>,
  usdtMarkets: UsdtMarkets,
): Promise<AssetPosition[]> => {
  const [exposures, flows] = await Promise.all([exposuresOf(db), hedgeFlows(db)])
  return exposures.map((exposure) => {
    const { asset } = exposure
    const hedge = flows.find((flow) => flow.asset === asset) ?? NO_FLOW
    const rules = policy.assets.get(asset)
    const scale = catalogue.find(asset)?.scale
    const middle = asset === PIVOT ? 0n : usdtMarkets.open.get(asset)?.middle
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
      // USDT is the unit of account, so it has no profit or loss.
      ...(asset === PIVOT ? { realised: 0n, unrealised: 0n } : profitOf(traded, worth)),
      venueFees: hedge.feesValue,
      slippage: hedge.slippage,
    }
  })
}

/**
 * Returns assets whose position differs from the operator's capital plus exchanges and hedges, or whose reserved amount
 * differs from that of the orders: none, unless the tables were changed by hand.
 */
export const auditExposures = async (db: Db): Promise<{ asset: string; exposure: bigint; moved: bigint }[]> => {
  // One statement for each, in one transaction: an order that begins between them is in all of them or in none.
  const [exposures, flows, reserved] = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => [await exposuresOf(tx), await hedgeFlows(tx), await reservedByOrders(tx)] as const)
  return exposures.flatMap(({ asset, exposure, boughtUnits, soldUnits, reserved: held }) => {
    const hedge = flows.find((flow) => flow.asset === asset) ?? NO_FLOW
    const moved = boughtUnits - soldUnits + hedge.boughtUnits - hedge.soldUnits
    return exposure === moved && held === (reserved.get(asset) ?? 0n) ? [] : [{ asset, exposure, moved }]
  })
}

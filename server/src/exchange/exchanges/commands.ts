import { orderErrors } from '@bursar/contract'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import { apply, applyAll, totalOf, type Outcome } from '../../ledger/postings/index.ts'
import { itemOf, type NewOrder } from '../../ledger/orders/index.ts'
import { type AnswerKey, type ApiRefusal, refusal } from '../../platform/api/route.ts'
import { worthAt } from '../../market/rates/index.ts'
import type { Direction } from './direction.ts'
import type { Exchange } from './exchange.ts'
import { inventoryOf, levelInventory, moveInventory, type InventoryMove, type Traded } from './inventory.ts'
import { addFunded } from './limits.ts'
import { exchangeNotice } from './notice.ts'
import { fillTransfer, fundingItem } from './postings.ts'
import type { AssetRules } from './policy.ts'
import type { PriceBasis, Quote } from './quoting.ts'
import { exchangeRows, rowOf } from './store.ts'

/** An exchange to fill, as an order. */
export interface Fill {
  exchange: Exchange
  direction: Direction
  order: NewOrder
  /** of the request that orders it */
  answerKeys: readonly AnswerKey[]
}

/** Returns the order of an exchange. @param caused the localId identifies the cause, and no merchant can use it */
export const orderOf = (exchange: Exchange, { spend }: Direction, caused: boolean): NewOrder => ({
  transfer: fillTransfer(exchange),
  rows: [{ table: exchangeRows, values: rowOf(exchange) }],
  operation: 'createExchange',
  localId: caused ? null : exchange.localId,
  scale: spend.scale,
})

/** Makes the exchange record of a priced order. */
export const exchangeOf = (
  {
    merchantId,
    direction,
    side,
    localId,
    meta,
    keyId,
  }: Pick<Exchange, 'merchantId' | 'side' | 'localId' | 'meta' | 'keyId'> & { direction: Direction },
  { exchange, fee, target, price, market, basis }: Quote,
  { id, transferId, at }: { id: string; transferId: string; at: Date },
): Exchange => ({
  merchantId,
  id,
  spendTicker: direction.spend.ticker,
  targetTicker: direction.target.ticker,
  side,
  exchange,
  fee,
  target,
  first: direction.first,
  second: direction.second,
  price,
  market,
  basis,
  state: 'done',
  failedReason: null,
  localId,
  meta,
  transferId,
  keyId,
  createdAt: at,
})

/**
 * Fills exchanges in one transaction: postings, localIds, answers, rows and inventory. An exchange that the ledger
 * refuses moves nothing, and adds no inventory for the others: inventory is moved last, for the filled ones only.
 * @throws ApiRefusal, after which the caller has to roll back, when the platform lacks an asset for all of them
 * together
 */
export const fillAll = async (tx: Tx, fills: readonly Fill[]): Promise<Outcome[]> => {
  const outcomes = await apply(
    tx,
    fills.map(({ order, answerKeys }) => itemOf(order, answerKeys)),
  )
  const lacking = await moveInventory(tx, movesOf(fills.filter((_, i) => outcomes[i]!.kind === 'applied')))
  if (lacking) throw await noInventory(tx, lacking)
  return outcomes
}

/** Sums up their inventory moves by asset. */
const movesOf = (fills: readonly Fill[]): InventoryMove[] => {
  const moves = new Map<string, InventoryMove>()
  const add = (rules: AssetRules, units: bigint, value: bigint, margin: bigint): void => {
    const { units: before, traded } = moves.get(rules.ticker) ?? { units: 0n, traded: NOTHING }
    const [bought, sold] = units > 0n ? [units, 0n] : [0n, -units]
    moves.set(rules.ticker, {
      asset: rules.ticker,
      units: before + units,
      bounds: rules,
      traded: sumOf(traded!, {
        boughtUnits: bought,
        boughtValue: bought > 0n ? value : 0n,
        soldUnits: sold,
        soldValue: sold > 0n ? value : 0n,
        margin,
      }),
    })
  }
  for (const {
    exchange: { exchange, target, basis },
    direction,
  } of fills) {
    const [came, went] = [worthOf(direction.spend, exchange, basis), worthOf(direction.target, target, basis)]
    add(direction.spend, exchange, came, 0n)
    add(direction.target, -target, went, came - went)
  }
  return [...moves.values()]
}

const NOTHING: Traded = { boughtUnits: 0n, boughtValue: 0n, soldUnits: 0n, soldValue: 0n, margin: 0n }

const sumOf = (a: Traded, b: Traded): Traded => ({
  boughtUnits: a.boughtUnits + b.boughtUnits,
  boughtValue: a.boughtValue + b.boughtValue,
  soldUnits: a.soldUnits + b.soldUnits,
  soldValue: a.soldValue + b.soldValue,
  margin: a.margin + b.margin,
})

/** The value at the middles that the price was based on. */
const worthOf = ({ ticker, scale }: AssetRules, units: bigint, basis: PriceBasis): bigint =>
  worthAt(ticker, { units, scale }, BigInt(basis[ticker]?.middle ?? 0n))

/** Notifies the merchant of a filled exchange. */
export const notifyExchange = (exchange: Exchange, { spend, target }: Direction): Effects => ({
  items: [],
  notices: [exchangeNotice(exchange, { spend: spend.scale, target: target.scale })],
})

const noInventory = async (tx: Tx, { asset, units }: InventoryMove): Promise<ApiRefusal> => {
  const free = units < 0n && (await inventoryOf(tx, asset)) >= -units
  const why =
    units > 0n
      ? `no more ${asset} is bought now`
      : free
        ? `no more ${asset} is sold now`
        : `there is not that much ${asset} to sell`
  return refusal(orderErrors.notEnoughLiquidity, `${orderErrors.notEnoughLiquidity.meaning}: ${why}`)
}

/**
 * Moves the operator's capital into the position, or out of it if `units` is negative. @throws RangeError when there is
 * too little
 */
export const fundPosition = async (tx: Tx, asset: string, units: bigint, moment: Moment): Promise<void> => {
  if (units > (await totalOf(tx, asset, 'capital')))
    throw new RangeError(`the owner has less capital in ${asset}: send it to a wallet of the platform first`)
  const lacking = await moveInventory(tx, [{ asset, units, bounds: null }])
  if (lacking) throw new RangeError(`the position in ${asset} is smaller than that`)
  await addFunded(tx, asset, units)
  await levelInventory(tx, asset)
  await applyAll(tx, [fundingItem(asset, units, moment)])
}

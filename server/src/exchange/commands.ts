import { orderErrors } from '@bursar/contract'
import type { Moment } from '../base/moment.ts'
import type { Tx } from '../db/index.ts'
import type { Effects } from '../effects/index.ts'
import { apply, applyAll, totalOf, type Item, type Outcome } from '../ledger/index.ts'
import { refusal, refusalOf } from '../orders/index.ts'
import type { ApiRefusal } from '../platform/route.ts'
import { worthAt } from '../rates/index.ts'
import type { Direction } from './direction.ts'
import type { Exchange } from './exchange.ts'
import { inventoryOf, levelInventory, moveInventory, type InventoryMove } from './inventory.ts'
import { addFunded } from './limits.ts'
import { exchangeNotice } from './notice.ts'
import { fillTransfer, fundingItem } from './postings.ts'
import type { AssetRules } from './policy.ts'
import type { Side } from './pricing.ts'
import type { PriceBasis, Quote } from './quoting.ts'
import { insertExchange } from './store.ts'

/** What an exchange is made from: the order, and what it fills at. */
export interface Fill {
  merchantId: string
  direction: Direction
  side: Side
  quoted: Quote
  localId: string | null
  meta: string | null
  /** the localId names what caused it, and is nobody's to take */
  caused?: boolean
}

/**
 * Fills an exchange: inventory, postings, localId and row, all in this transaction. @throws ApiRefusal and has to be rolled back when the
 * house lacks the asset, the merchant lacks the money, or the localId is taken
 * @returns the exchange; what it tells is for the caller to carry out
 */
export const fill = async (tx: Tx, { merchantId, direction, side, quoted, localId, meta, caused = false }: Fill, { at, newId }: Moment): Promise<Exchange> => {
  const { spend, target, first, second } = direction
  const transferId = newId()
  const exchange: Exchange = {
    merchantId, id: newId(), spendTicker: spend.ticker, targetTicker: target.ticker, side, exchange: quoted.exchange, fee: quoted.fee,
    target: quoted.target, first, second, price: quoted.price, market: quoted.market, basis: quoted.basis, state: 'done', failedReason: null,
    localId, meta, transferId, createdAt: at,
  }
  const [came, went] = [worthOf(spend, quoted.exchange, quoted.basis), worthOf(target, quoted.target, quoted.basis)]
  const lacking = await moveInventory(tx, [
    { asset: spend.ticker, units: quoted.exchange, bounds: spend, traded: { value: came, margin: 0n } },
    { asset: target.ticker, units: -quoted.target, bounds: target, traded: { value: went, margin: came - went } },
  ])
  if (lacking) throw await noInventory(tx, lacking)
  const item: Item = { transfer: fillTransfer(exchange, transferId), ...(localId === null || caused ? {} : { localId: { value: localId, operation: 'createExchange' } }) }
  refuseUnlessApplied((await apply(tx, [item]))[0]!, direction)
  await insertExchange(tx, exchange)
  return exchange
}

/** At the middles that the price was made of. */
const worthOf = ({ ticker, scale }: AssetRules, units: bigint, basis: PriceBasis): bigint => worthAt(ticker, { units, scale }, BigInt(basis[ticker]?.middle ?? 0n))

/** What a filled exchange tells its merchant. */
export const tellExchange = (exchange: Exchange, { spend, target }: Direction): Effects => ({
  items: [],
  notices: [exchangeNotice(exchange, { spend: spend.scale, target: target.scale })],
})

const noInventory = async (tx: Tx, { asset, units }: InventoryMove): Promise<ApiRefusal> => {
  const free = units < 0n && (await inventoryOf(tx, asset)) >= -units
  const why = units > 0n ? `no more ${asset} is bought now` : free ? `no more ${asset} is sold now` : `there is not that much ${asset} to sell`
  return refusal(orderErrors.notEnoughLiquidity, `${orderErrors.notEnoughLiquidity.meaning}: ${why}`)
}

const refuseUnlessApplied = (outcome: Outcome, { spend }: Direction): void => {
  if (outcome.kind === 'applied') return
  throw outcome.kind === 'refused' ? refusalOf(outcome, spend.scale) : new Error(`an exchange was refused: ${outcome.kind}`)
}

/** Moves the owner's capital into the position, or out of it where `units` is below 0. @throws RangeError when there is too little */
export const fundPosition = async (tx: Tx, asset: string, units: bigint, moment: Moment): Promise<void> => {
  if (units > (await totalOf(tx, asset, 'capital'))) throw new RangeError(`the owner has less capital in ${asset}: send it to a wallet of the house first`)
  const lacking = await moveInventory(tx, [{ asset, units, bounds: null }])
  if (lacking) throw new RangeError(`the position in ${asset} is smaller than that`)
  await addFunded(tx, asset, units)
  await levelInventory(tx, asset)
  await applyAll(tx, [fundingItem(asset, units, moment)])
}

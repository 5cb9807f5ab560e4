import type { FiatAsset } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import {
  currentFee,
  newPayout,
  orderOf,
  readPartLimits,
  type CardRules,
  type PlacingDeps,
} from '../../cards/card-payouts/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { fillPart, type TradingDeps, type Order } from '../exchanges/index.ts'
import { type Charge, readOwnFee, type JudgedOrder } from '../../ledger/orders/index.ts'
import type { AnswerKey } from '../../platform/api/route.ts'
import { lessFee, placeAsWhole } from './holding.ts'
import { fiatBody } from './notice.ts'

/** Dependencies of payouts to cards. */
export interface CardDeps extends PlacingDeps {
  rules: CardRules
}

/** A priced exchange and the card to which its proceeds are paid, as a batch. */
export interface FiatOrder extends Order {
  asset: FiatAsset
  /** the whole number, validated; stored sealed, notified masked */
  card: string
  /** the merchant's own payout fee */
  payoutFee: string | undefined
  /** of the request */
  answerKeys: readonly AnswerKey[]
  /** judges the payout by the merchant's policy; undefined: the order is free */
  charge?: Charge | undefined
}

/**
 * Exchanges and holds the proceeds for their payout, in this transaction.
 * @returns the order and the status Exchanged, or the exchange that the ledger refused, without effects
 * @throws ApiRefusal: roll back
 */
export const exchangeAndPayOut = async (
  tx: Tx,
  { trading, cards }: { trading: Pick<TradingDeps, 'runtime'>; cards: CardDeps },
  order: FiatOrder,
  moment: Moment,
): Promise<JudgedOrder> => {
  const { merchantId, direction, asset, card, localId, meta } = order
  // The localId and meta belong to the whole order, not to its exchange.
  const exchange = await fillPart(tx, trading, { ...order, localId: null, meta: null }, moment)
  if ('outcome' in exchange) return { ...exchange, effects: noEffects }
  const fee = readOwnFee(order.payoutFee, currentFee(asset, exchange.target), asset)
  const units = lessFee(exchange.target, fee, asset)
  const limits = readPartLimits('batch', units, asset, cards.rules)
  await order.charge?.(tx, { merchantId, asset, units, to: null })
  const plain = newPayout(
    { merchantId, kind: 'batch', units, fee, localId: null, meta, notifiedAs: null },
    asset,
    card,
    moment,
  )
  const { id } = plain
  const body = fiatBody({ id, exchange, direction, fee, localId, meta, causedBy: null }, plain.maskedCard)
  const payout = { ...plain, notifiedAs: { kind: 'FiatExchangeWithdraw', objectId: id, body } }
  const placed = await placeAsWhole(
    tx,
    orderOf(payout, { card, limits, scale: asset.scale, keyId: order.keyId }, cards, moment.newId),
    { kind: 'fiat', exchangeId: exchange.id, localId, meta, causedBy: null },
    order.answerKeys,
  )
  const notice = {
    merchantId,
    objectId: id,
    kind: 'FiatExchangeWithdraw',
    status: 'Exchanged',
    body: { ...body, status: 'Exchanged' },
  }
  return { order: placed, outcome: { kind: 'applied' }, effects: { items: [], notices: [notice] } }
}

import { orderErrors } from '@bursar/contract'
import { type AnswerKey, refusal } from '../../platform/api/route.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { fillPart, PRICE_DECIMALS, type TradingDeps, type Order } from '../exchanges/index.ts'
import { type Charge, placeWithin, readOwnFee, type JudgedOrder } from '../../ledger/orders/index.ts'
import type { Notice } from '../../merchants/webhooks/index.ts'
import {
  checkWithdrawable,
  newWithdrawal,
  orderOf,
  type Place,
  type Withdrawal,
} from '../../pay-out/withdrawals/index.ts'
import { lessFee, placeAsWhole } from './holding.ts'
import { cryptoBody, type CausedBy, type ExchangedOrder } from './notice.ts'

/** A priced exchange and the destination of its proceeds. */
export interface CryptoOrder extends Order {
  place: Place
  /** the current withdrawal fee of an amount received, ledger units */
  currentFee(received: bigint): bigint
  /** the merchant's own withdrawal fee */
  withdrawalFee: string | undefined
  causedBy: CausedBy | null
  /** the intent id of the payment */
  intentId: string
  /** of the request; none: it has a cause */
  answerKeys: readonly AnswerKey[]
  /** judges the withdrawal by the merchant's policy; undefined: the order is free, or has a cause */
  charge?: Charge | undefined
}

/**
 * Exchanges and holds the proceeds for their withdrawal, in this transaction.
 * @returns the order and the status Exchanged; the withdrawal notifies Done or Failed. Or the exchange that the ledger
 *   refused, without effects
 * @throws ApiRefusal: roll back
 */
export const exchangeAndSend = async (
  tx: Tx,
  deps: Pick<TradingDeps, 'runtime'>,
  order: CryptoOrder,
  moment: Moment,
): Promise<JudgedOrder> => {
  const { direction, place, localId, meta, causedBy, intentId } = order
  // The localId and meta belong to the whole order, not to its exchange.
  const exchange = await fillPart(tx, deps, { ...order, localId: null, meta: null }, moment)
  if ('outcome' in exchange) return { ...exchange, effects: noEffects }
  const fee = readOwnFee(order.withdrawalFee, order.currentFee(exchange.target), place.where.asset)
  const units = sentOf(exchange.target, fee, place)
  const { asset, on } = place.where
  const to = { network: on.network, address: place.to }
  await order.charge?.(tx, { merchantId: order.merchantId, asset, units, to })
  const { withdrawal, notice } = notifiedAsWhole(
    place,
    { exchange, direction, intentId, units, fee, localId, meta, causedBy },
    moment,
  )
  const placed = await placeAsWhole(
    tx,
    orderOf(withdrawal, place, order.keyId),
    { kind: 'crypto', exchangeId: exchange.id, localId, meta, causedBy },
    order.answerKeys,
  )
  return { order: placed, outcome: { kind: 'applied' }, effects: { items: [], notices: [notice] } }
}

/**
 * Received money that is sent on unconverted, because its target says so. Amounts are ledger units of the place's
 * asset.
 */
export interface SentOn {
  merchantId: string
  place: Place
  /** the amount that the receiver gets */
  units: bigint
  fee: bigint
  causedBy: CausedBy
  causeId: string
  intentId: string
}

/**
 * Sends received money on, notified as an exchange with withdrawal at a price of 1 (`contract.md` 4.1), so that a
 * target causes the same notifications for every paid asset. @throws ApiRefusal when the money is no longer on the
 * balance
 */
export const sendOnAsWhole = async (
  tx: Tx,
  { merchantId, place, units, fee, causedBy, causeId, intentId }: SentOn,
  moment: Moment,
): Promise<Effects> => {
  const { ticker, scale } = place.where.asset
  const received = units + fee
  const same = { spendTicker: ticker, targetTicker: ticker, first: ticker, second: ticker }
  const exchange = {
    merchantId,
    createdAt: moment.at,
    ...same,
    exchange: received,
    target: received,
    fee: 0n,
    price: 10n ** BigInt(PRICE_DECIMALS),
  }
  const direction = { spend: { scale }, target: { scale } }
  const { withdrawal, notice } = notifiedAsWhole(
    place,
    { exchange, direction, intentId, units, fee, localId: causeId, meta: null, causedBy },
    moment,
  )
  await placeWithin(tx, orderOf(withdrawal, place, null))
  return { items: [], notices: [notice] }
}

type Whole = Omit<ExchangedOrder, 'id'> & { units: bigint; intentId: string }

/** Makes a withdrawal that is notified as the exchange it belongs to, and the notification of Exchanged. */
const notifiedAsWhole = (
  place: Place,
  { units, intentId, ...whole }: Whole,
  moment: Moment,
): { withdrawal: Withdrawal; notice: Notice } => {
  const {
    exchange: { merchantId },
    fee,
    meta,
  } = whole
  const plain = newWithdrawal(
    place,
    { merchantId, intentId, units, fee, localId: null, meta, notifiedAs: null },
    moment,
  )
  const { id } = plain
  const kind = 'CryptoExchangeWithdraw'
  const body = cryptoBody({ id, ...whole }, place)
  const notice = {
    merchantId,
    objectId: id,
    kind,
    status: 'Exchanged',
    body: { ...body, status: 'Exchanged', internal: place.internal },
  }
  return { withdrawal: { ...plain, notifiedAs: { kind, objectId: id, body } }, notice }
}

/** The amount that the receiver gets: the proceeds less the fee, in a precision that the network can carry. */
const sentOf = (received: bigint, fee: bigint, { where }: Place): bigint => {
  const { asset, on } = where
  const units = lessFee(received, fee, asset)
  if (units % 10n ** BigInt(asset.scale - on.decimals) !== 0n) {
    throw refusal(
      orderErrors.invalidOrder,
      `fee has more decimals than the ${on.decimals} that ${asset.ticker} has on ${on.network}`,
      'fee',
    )
  }
  checkWithdrawable(units, where)
  return units
}

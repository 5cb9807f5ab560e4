import { orderErrors } from '@bursar/contract'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import { fillOrder, PRICE_DECIMALS, type TradingDeps, type Order } from '../exchanges/index.ts'
import { apply } from '../../ledger/postings/index.ts'
import { readOwnFee, refusal } from '../../ledger/orders/index.ts'
import type { Notice } from '../../merchants/webhooks/index.ts'
import {
  checkWithdrawable,
  holdItem,
  newWithdrawal,
  type Place,
  type Withdrawal,
} from '../../pay-out/withdrawals/index.ts'
import { hold, lessFee } from './holding.ts'
import { cryptoBody, type CausedBy, type ExchangedOrder } from './notice.ts'
import { insertExchangeWithdrawal } from './store.ts'

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
}

/**
 * Exchanges and holds the proceeds for their withdrawal, in this transaction.
 * @returns its id and the status Exchanged; the withdrawal notifies Done or Failed
 * @throws ApiRefusal: roll back
 */
export const exchangeAndSend = async (
  tx: Tx,
  deps: Pick<TradingDeps, 'runtime'>,
  order: CryptoOrder,
  moment: Moment,
): Promise<{ id: string; effects: Effects }> => {
  const { merchantId, direction, place, localId, meta, causedBy, intentId } = order
  // The localId and meta belong to the whole order, not to its exchange.
  const exchange = await fillOrder(tx, deps, { ...order, localId: null, meta: null }, moment)
  const fee = readOwnFee(order.withdrawalFee, order.currentFee(exchange.target), place.where.asset)
  const units = sentOf(exchange.target, fee, place)
  const { withdrawal, notice } = notifiedAsWhole(
    place,
    { exchange, direction, intentId, units, fee, localId, meta, causedBy },
    moment,
  )
  const { id } = withdrawal
  await hold(
    tx,
    holdItem(withdrawal, order.keyId),
    causedBy === null ? localId : null,
    'createCryptoExchangeWithdrawal',
  )
  await insertExchangeWithdrawal(tx, {
    merchantId,
    id,
    exchangeId: exchange.id,
    kind: 'crypto',
    localId,
    meta,
    causedBy,
    createdAt: moment.at,
  })
  return { id, effects: { items: [], notices: [notice] } }
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
 * target causes the same notifications whatever asset was paid. @throws ApiRefusal when the money is no longer on the
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
  const [outcome] = await apply(tx, [holdItem(withdrawal, null)])
  if (outcome!.kind !== 'applied') throw refusal(orderErrors.notEnoughBalance, orderErrors.notEnoughBalance.meaning)
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

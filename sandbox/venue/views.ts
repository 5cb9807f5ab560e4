/** Shows orders and trades as Binance's spot API does (documentation of November 2026). */
import { textOf } from './amounts.ts'
import type { Order, Trade, VenueState } from './engine.ts'

export const orderView = (order: Order): object => ({
  symbol: order.symbol,
  orderId: order.orderId,
  orderListId: -1,
  clientOrderId: order.clientOrderId,
  price: textOf(order.price),
  origQty: textOf(order.amount),
  executedQty: textOf(order.executed),
  origQuoteOrderQty: '0.00000000',
  cummulativeQuoteQty: textOf(order.spentQuote),
  status: order.status,
  timeInForce: order.timeInForce,
  type: 'LIMIT',
  side: order.side,
  stopPrice: '0.00000000',
  icebergQty: '0.00000000',
  time: order.at,
  updateTime: order.at,
  isWorking: true,
  workingTime: order.at,
  ...(order.expiryReason === undefined ? {} : { expiryReason: order.expiryReason }),
  selfTradePreventionMode: 'EXPIRE_MAKER',
})

/** Returns the response to a new order, `newOrderRespType=FULL`. */
export const placedView = (order: Order, trades: readonly Trade[]): object => {
  const {
    stopPrice: _stop,
    icebergQty: _iceberg,
    time: _time,
    updateTime: _update,
    isWorking: _working,
    ...shown
  } = orderView(order) as Record<string, unknown>
  const fills = trades.filter(({ orderId }) => orderId === order.orderId)
  return {
    ...shown,
    transactTime: order.at,
    fills: fills.map(({ id, price, amount, commission, commissionAsset }) => ({
      price: textOf(price),
      qty: textOf(amount),
      commission: textOf(commission),
      commissionAsset,
      tradeId: id,
    })),
  }
}

export const tradeView = (trade: Trade): object => ({
  symbol: trade.symbol,
  id: trade.id,
  orderId: trade.orderId,
  orderListId: -1,
  price: textOf(trade.price),
  qty: textOf(trade.amount),
  quoteQty: textOf(trade.quote),
  commission: textOf(trade.commission),
  commissionAsset: trade.commissionAsset,
  time: trade.at,
  isBuyer: trade.isBuyer,
  isMaker: false,
  isBestMatch: true,
})

export const accountView = ({ balances }: VenueState, now: number): object => ({
  makerCommission: 10,
  takerCommission: 10,
  buyerCommission: 0,
  sellerCommission: 0,
  canTrade: true,
  canWithdraw: false,
  canDeposit: true,
  brokered: false,
  updateTime: now,
  accountType: 'SPOT',
  permissions: ['SPOT'],
  balances: Object.entries(balances).map(([asset, units]) => ({ asset, free: textOf(units), locked: '0.00000000' })),
})

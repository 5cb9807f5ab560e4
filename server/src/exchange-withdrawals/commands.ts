import { orderErrors } from '@bursar/contract'
import type { Moment } from '../base/moment.ts'
import type { Tx } from '../db/index.ts'
import type { Effects } from '../effects/index.ts'
import { fillOrder, type DeskDeps, type Order } from '../exchange/index.ts'
import { readOwnFee, refusal } from '../orders/index.ts'
import { checkWithdrawable, holdItem, newWithdrawal, type Place } from '../withdrawals/index.ts'
import { hold, lessFee } from './holding.ts'
import { cryptoBody, type CausedBy } from './notice.ts'
import { insertExchangeWithdrawal } from './store.ts'

/** A priced exchange and where what it buys is sent. */
export interface CryptoOrder extends Order {
  place: Place
  /** the current withdrawal fee of an amount received, ledger units */
  currentFee(received: bigint): bigint
  /** the merchant's own withdrawal fee */
  withdrawalFee: string | undefined
  causedBy: CausedBy | null
}

/**
 * Exchanges, and holds what was bought for its withdrawal, all in this transaction. @throws ApiRefusal: roll back
 * @returns its id, and that it is Exchanged; Done or Failed are told by the withdrawal
 */
export const exchangeAndSend = async (tx: Tx, deps: Pick<DeskDeps, 'runtime'>, order: CryptoOrder, moment: Moment): Promise<{ id: string; effects: Effects }> => {
  const { merchantId, direction, place, localId, meta, causedBy } = order
  // The localId and meta belong to the whole, not to its exchange.
  const exchange = await fillOrder(tx, deps, { ...order, localId: null, meta: null }, moment)
  const fee = readOwnFee(order.withdrawalFee, order.currentFee(exchange.target), place.where.asset)
  const units = sentOf(exchange.target, fee, place)
  const plain = newWithdrawal(place, { merchantId, units, fee, localId: null, meta, toldAs: null }, moment)
  const { id } = plain
  const body = cryptoBody({ id, exchange, direction, fee, localId, meta, causedBy }, place)
  const withdrawal = { ...plain, toldAs: { kind: 'CryptoExchangeWithdraw', objectId: id, body } }
  await hold(tx, holdItem(withdrawal), causedBy === null ? localId : null, 'createCryptoExchangeWithdrawal')
  await insertExchangeWithdrawal(tx, { merchantId, id, exchangeId: exchange.id, kind: 'crypto', localId, meta, causedBy, createdAt: moment.at })
  const notice = { merchantId, objectId: id, kind: 'CryptoExchangeWithdraw', status: 'Exchanged', body: { ...body, status: 'Exchanged', internal: place.internal } }
  return { id, effects: { items: [], notices: [notice] } }
}

/** What the receiver gets: what was bought less the fee, as the network can carry it. */
const sentOf = (received: bigint, fee: bigint, { where }: Place): bigint => {
  const { asset, on } = where
  const units = lessFee(received, fee, asset)
  if (units % 10n ** BigInt(asset.scale - on.decimals) !== 0n) {
    throw refusal(orderErrors.invalidOrder, `fee has more decimals than the ${on.decimals} that ${asset.ticker} has on ${on.network}`, 'fee')
  }
  checkWithdrawable(units, where)
  return units
}

import { estimateErrors } from '@bursar/contract'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import {
  estimate,
  PRICE_DECIMALS,
  readDirection,
  readPrice,
  readSideAmount,
  type TradingDeps,
  type Direction,
  type Quote,
} from '../exchanges/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import {
  chargeUnder,
  placeDecided,
  type Charge,
  type JudgedOrder,
  type OrderPolicy,
  type OrderRequest,
} from '../../ledger/orders/index.ts'
import { ApiRefusal, type ApiAnswer, refusal } from '../../platform/api/route.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'

/**
 * The request fields of both kinds: `spend` states the amount spent, `withdraw` the amount withdrawn, including the
 * withdrawal fee.
 */
export interface Asked {
  ticker: string
  spendTicker: string
  amount: string
  /** `exchange` is an older name of `spend` (`contract.md` 16 #25) */
  side: 'spend' | 'withdraw' | 'exchange'
}

/** The fields of an order of either kind. */
export interface OrderBody extends Asked {
  fee: string
  exchangeFee: string
  price: string
  to: string
  localId?: string
  meta?: string
}

type Errors = Parameters<typeof readDirection>[2]

/** Reads the requested exchange. @param carried narrows a direction to amounts that can be sent */
export const readExchange = (
  { policy }: Pick<TradingDeps, 'policy'>,
  asked: Asked,
  errors: Errors,
  carried = (direction: Direction): Direction => direction,
) => {
  const direction = carried(
    readDirection(policy, { spendTicker: asked.spendTicker, targetTicker: asked.ticker }, errors),
  )
  const side = asked.side === 'withdraw' ? 'target' : 'spend'
  return { direction, side, amount: readSideAmount(direction, side, asked.amount, errors) } as const
}

/**
 * Answers both estimates (`contract.md` 5.24, 5.26). @param feeOf withdrawal fee of an amount received, in its asset;
 * it refuses as an order would
 */
export const estimateWhole = async (
  trading: TradingDeps,
  asking: Parameters<typeof estimate>[1],
  price: string | undefined,
  feeOf: (received: bigint) => bigint,
): Promise<ApiAnswer> => {
  const quoted = await estimate(trading, asking, price === undefined ? undefined : readPrice(price, estimateErrors))
  const fee = await asEstimated(async () => feeOf(quoted.target))
  const { ticker, scale } = asking.direction.target
  if (fee >= quoted.target) {
    throw refusal(
      estimateErrors.invalidOrder,
      `Amount too low: the withdrawal fee alone is ${formatUnits(fee, scale)} ${ticker}`,
      'amount',
    )
  }
  return { status: 200, body: estimateBody(asking.direction, quoted, fee) }
}

/** Replaces the error codes of an order's refusal by those of an estimate. */
export const asEstimated = async <T>(judge: () => Promise<T>): Promise<T> => {
  try {
    return await judge()
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === estimateErrors.invalidOrder.status)
      throw refusal(estimateErrors.invalidOrder, error.message, error.field)
    throw error
  }
}

const estimateBody = ({ spend, target, first, second }: Direction, quoted: Quote, fee: bigint): unknown => ({
  withdraw: {
    ticker: target.ticker,
    amount: formatUnits(quoted.target, target.scale),
    fee: formatUnits(fee, target.scale),
  },
  spend: { ticker: spend.ticker, amount: formatUnits(quoted.spend, spend.scale) },
  exchange: {
    ticker: spend.ticker,
    amount: formatUnits(quoted.exchange, spend.scale),
    fee: formatUnits(quoted.fee, spend.scale),
  },
  price: { value: formatUnits(quoted.price, PRICE_DECIMALS), pair: [first, second] },
})

/**
 * Places an order of either kind.
 * @param make places it in the transaction, with the request's answer keys. If the merchant's policy limits the API,
 * `charge` judges and counts the payment
 */
export const placeWhole = async (
  runtime: Runtime,
  orderPolicy: OrderPolicy,
  request: OrderRequest,
  make: (tx: Tx, moment: Moment, charge: Charge | undefined) => Promise<JudgedOrder>,
): Promise<ApiAnswer> => {
  const { merchantId } = request
  const isLimited = await orderPolicy.isLimited(merchantId)
  const [placed] = await placeDecided(runtime, [request], async (tx, _requests, moment) => [
    await make(tx, moment, await chargeUnder(orderPolicy, isLimited, tx, merchantId)),
  ])
  if ('error' in placed!) throw placed.error
  return placed!.answer
}

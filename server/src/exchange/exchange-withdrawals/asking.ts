import { estimateErrors } from '@bursar/contract'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { carryOut, type Effects } from '../../ledger/effects/index.ts'
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
import { refusal, unlessKnown } from '../../ledger/orders/index.ts'
import { withStoredAnswer } from '../../platform/api/answers.ts'
import { ApiRefusal, type ApiAnswer, type ApiRequest } from '../../platform/api/route.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'

/**
 * The request fields of both kinds: `spend` states what is spent, `withdraw` what is withdrawn, including the
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

/** Creates an order in a transaction, unless its request was handled before, with the answer that repetitions get. */
export const placeWhole = (
  runtime: Runtime,
  request: ApiRequest,
  make: (tx: Tx, moment: Moment) => Promise<{ id: string; effects: Effects }>,
): Promise<ApiAnswer> => {
  const moment = momentOf(runtime)
  const { localId } = request.body as OrderBody
  const identity = { merchantId: request.merchantId, keys: request.answerKeys, localId: localId ?? null }
  return unlessKnown(runtime.db, identity, (tx) =>
    withStoredAnswer(tx, request, moment.at, async () => {
      const { id, effects } = await make(tx, moment)
      await carryOut(tx, effects, moment)
      return { status: 200, body: { id } }
    }),
  )
}

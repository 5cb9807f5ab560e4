import { estimateErrors, orderErrors } from '@bursar/contract'
import { inTransaction } from '../db/index.ts'
import { carryOut } from '../effects/index.ts'
import { estimate, priceOrder, readDirection, readPrice, readSideAmount, type DeskDeps } from '../exchange/index.ts'
import { formatUnits } from '../money/index.ts'
import { readText, refusal } from '../orders/index.ts'
import { withStoredAnswer } from '../platform/answers.ts'
import type { ApiAnswer, ApiRequest, Route } from '../platform/route.ts'
import { momentOf } from '../platform/runtime.ts'
import { currentFee, readAsset, readPlace, type Place, type PlacingDeps, type Terms } from '../withdrawals/index.ts'
import { exchangeAndSend } from './commands.ts'
import { estimateBody } from './estimate.ts'
import { carriedOn } from './terms.ts'

export interface ExchangeWithdrawalDeps {
  desk: DeskDeps
  placing: PlacingDeps
  /** of withdrawals */
  terms(): Promise<Terms>
}

/** Which amount the merchant names: what is spent, or what is withdrawn with the withdrawal fee in it. */
type WithdrawalSide = 'spend' | 'withdraw'

interface Asked {
  ticker: string
  spendTicker: string
  amount: string
  side: WithdrawalSide
  blockchain: string
}

interface CryptoBody extends Asked {
  fee: string
  exchangeFee: string
  price: string
  to: string
  localId?: string
  meta?: string
}

export const exchangeWithdrawalRoutes = (deps: ExchangeWithdrawalDeps): Route[] => [
  { operation: 'estimateCryptoExchangeWithdrawal', handle: (request) => estimateCrypto(deps, request) },
  { operation: 'createCryptoExchangeWithdrawal', handle: (request) => createCrypto(deps, request) },
]

const ok = (body: unknown): ApiAnswer => ({ status: 200, body })

/** What is exchanged, on which network what is bought can be sent, and the amount that is named. */
const readAsked = ({ desk, placing }: ExchangeWithdrawalDeps, asked: Asked, errors: typeof estimateErrors | typeof orderErrors) => {
  const where = readAsset(asked, placing.rules, errors.invalidOrder)
  const direction = carriedOn(readDirection(desk.policy, { spendTicker: asked.spendTicker, targetTicker: asked.ticker }, errors), where)
  const side = asked.side === 'withdraw' ? 'target' : 'spend'
  return { where, direction, side, amount: readSideAmount(direction, side, asked.amount, errors) } as const
}

const estimateCrypto = async (deps: ExchangeWithdrawalDeps, { merchantId, query }: ApiRequest): Promise<ApiAnswer> => {
  const { where, direction, side, amount } = readAsked(deps, query as unknown as Asked, estimateErrors)
  const limit = query.price === undefined ? undefined : readPrice(query.price, estimateErrors)
  const terms = await deps.terms()
  const internal = query.to === undefined ? false : (await readPlace(deps.placing, { merchantId, to: query.to }, where, terms)).internal
  const quoted = await estimate(deps.desk, { merchantId, direction, side, amount }, limit)
  const fee = currentFee(where, quoted.target, internal, terms, deps.placing.rules.catalogue)
  if (fee >= quoted.target) {
    const least = formatUnits(fee, where.asset.scale)
    throw refusal(estimateErrors.invalidOrder, `Amount too low: the withdrawal fee alone is ${least} ${where.asset.ticker}`, 'amount')
  }
  return ok(estimateBody(direction, quoted, fee))
}

const createCrypto = async (deps: ExchangeWithdrawalDeps, request: ApiRequest): Promise<ApiAnswer> => {
  const { merchantId } = request
  const body = request.body as CryptoBody
  for (const field of ['meta', 'localId'] as const) readText(body[field], field)
  const { where, direction, side, amount } = readAsked(deps, body, orderErrors)
  const limit = readPrice(body.price, orderErrors)
  const terms = await deps.terms()
  const place: Place = await readPlace(deps.placing, { merchantId, to: body.to }, where, terms)
  const given = { fee: body.exchangeFee, localId: body.localId ?? null, meta: body.meta ?? null }
  const order = await priceOrder(deps.desk, { merchantId, direction, side, amount, limit, ...given })
  const feeOf = (received: bigint): bigint => currentFee(where, received, place.internal, terms, deps.placing.rules.catalogue)
  const { runtime } = deps.desk
  const moment = momentOf(runtime)
  return inTransaction(runtime.db, (tx) =>
    withStoredAnswer(tx, request, moment.at, async () => {
      const whole = { ...order, place, currentFee: feeOf, withdrawalFee: body.fee, causedBy: null }
      const { id, effects } = await exchangeAndSend(tx, deps.desk, whole, moment)
      await carryOut(tx, effects, moment)
      return ok({ id })
    }),
  )
}

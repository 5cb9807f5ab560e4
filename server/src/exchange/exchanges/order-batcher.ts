import { Batcher } from '../../platform/base/batcher.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { carryOut, joinEffects, noEffects } from '../../ledger/effects/index.ts'
import { answerOf, answersOf, answerToKnown } from '../../ledger/orders/index.ts'
import { ApiRefusal, type ApiAnswer, type ApiRequest } from '../../platform/api/route.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { notifyExchange } from './commands.ts'
import { fillOrders, newKnown, type Filled, type Filling, type Order } from './trading.ts'

/**
 * Collects exchange requests: those that arrive while others are being filled are filled together, in one transaction.
 */
export interface OrderBatcher {
  /** Answers `{id}`, or the refusal; a repetition of the request gets the first answer. @throws ApiRefusal */
  place(request: Pick<ApiRequest, 'answerKeys'>, order: Order): Promise<ApiAnswer>
}

const MOST_AT_ONCE = 100
/**
 * One batch is filled while the next one gathers. All orders of a merchant go to the same lane, so that lanes don't
 * wait for each other's account locks.
 */
const LANES = 2

type Result = { answer: ApiAnswer } | { error: unknown }

export const createOrderBatcher = (runtime: Runtime): OrderBatcher => {
  const batcher = new Batcher<Filling, Result>({
    most: MOST_AT_ONCE,
    lanes: LANES,
    keyOf: ({ order }) => order.merchantId,
    run: (fillings) => serve(runtime, fillings),
  })
  return {
    place: async ({ answerKeys }, order) => {
      const known = newKnown(runtime.newId, momentOf(runtime).at)
      const result = await batcher.submit({
        order,
        known,
        answers: answersOf(answerKeys, { id: known.id, scale: order.direction.spend.scale }),
      })
      if ('error' in result) throw result.error
      return result.answer
    },
  }
}

/**
 * Fills all orders together. When that fails, it fills them one by one, so that none makes its neighbours fail: too
 * little of an asset for all may be enough for some. It tries again after a lost database connection. Orders that use
 * the same quote are filled one after another, so that each finds a quote of its own.
 */
const serve = async (runtime: Runtime, fillings: readonly Filling[]): Promise<Result[]> => {
  const results = new Map<Filling, Result>()
  const first = new Map(fillings.toReversed().map((filling) => [promiseKey(filling.order), filling]))
  const isFirst = (filling: Filling): boolean => first.get(promiseKey(filling.order)) === filling
  const together = fillings.filter(isFirst)
  const alone = fillings.filter((filling) => !isFirst(filling))
  try {
    const answers = await fillTogether(runtime, together)
    together.forEach((filling, i) => results.set(filling, answers[i]!))
  } catch (error) {
    // A COMMIT whose answer was lost may have filled it; the repetition then finds it.
    if (together.length === 1 && error instanceof ApiRefusal) results.set(together[0]!, { error })
    else alone.unshift(...together)
  }
  for (const filling of alone) {
    const [result] = await fillTogether(runtime, [filling]).catch((error: unknown) => [{ error }])
    results.set(filling, result!)
  }
  return fillings.map((filling) => results.get(filling)!)
}

const promiseKey = ({ merchantId, direction, side, amount, limit }: Order): string =>
  [merchantId, direction.spend.ticker, direction.target.ticker, side, amount, limit].join(' ')

const fillTogether = (runtime: Runtime, fillings: readonly Filling[]): Promise<Result[]> =>
  inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const filled = await fillOrders(tx, fillings, new Date(runtime.clock.now()))
    const changes = filled.map((one, i) =>
      'exchange' in one && one.outcome.kind === 'applied'
        ? notifyExchange(one.exchange, fillings[i]!.order.direction)
        : noEffects,
    )
    await carryOut(tx, joinEffects(changes), moment)
    return filled.map((one, i) => resultOf(one, fillings[i]!))
  })

const resultOf = (filled: Filled, { known, order }: Filling): Result => {
  if ('refused' in filled) return { error: filled.refused }
  try {
    if ('known' in filled) return { answer: answerToKnown(filled.known) }
    return { answer: answerOf(filled.outcome, { id: known.id, scale: order.direction.spend.scale }) }
  } catch (error) {
    if (error instanceof ApiRefusal) return { error }
    throw error
  }
}

import { Batcher } from '../../platform/base/batcher.ts'
import {
  endedInSilence,
  placeDecided,
  type Decide,
  type RequestIdentity,
  type Placed,
} from '../../ledger/orders/index.ts'
import type { ApiAnswer, ApiRequest } from '../../platform/api/route.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { notifyExchange } from './commands.ts'
import { fillOrders, newIds, type Filling, type Order } from './trading.ts'

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

type Asked = Filling & RequestIdentity

export const createOrderBatcher = (runtime: Runtime): OrderBatcher => {
  const batcher = new Batcher<Asked, Placed>({
    most: MOST_AT_ONCE,
    lanes: LANES,
    keyOf: ({ merchantId }) => merchantId,
    run: (asked) => placeAll(runtime, asked),
  })
  return {
    place: async ({ answerKeys }, order) => {
      const { merchantId, localId } = order
      const ids = newIds(runtime.newId, momentOf(runtime).at)
      const placed = await batcher.submit({ order, ids, answerKeys, merchantId, localId })
      if ('error' in placed) throw placed.error
      return placed.answer
    },
  }
}

/**
 * Places all orders together, except those whose quote another one may use: they are placed one after another, so that
 * each finds a quote of its own. When the database is silent, they get the error of the last one that waited for it.
 */
const placeAll = async (runtime: Runtime, asked: readonly Asked[]): Promise<Placed[]> => {
  const first = new Map(asked.toReversed().map((one) => [quoteKey(one.order), one]))
  const isFirst = (one: Asked): boolean => first.get(quoteKey(one.order)) === one
  const results = new Map<Asked, Placed>()
  let last: Placed | undefined
  for (const group of [asked.filter(isFirst), ...asked.filter((one) => !isFirst(one)).map((one) => [one])]) {
    const silent = endedInSilence(last) ? last : undefined
    const placed = silent ? group.map(() => silent) : await placeDecided(runtime, group, fill(runtime))
    last = placed.at(-1)
    group.forEach((one, i) => results.set(one, placed[i]!))
  }
  return asked.map((one) => results.get(one)!)
}

const quoteKey = ({ merchantId, direction, side, amount, limit }: Order): string =>
  [merchantId, direction.spend.ticker, direction.target.ticker, side, amount, limit].join(' ')

const fill =
  ({ clock }: Runtime): Decide<Asked> =>
  async (tx, asked) =>
    (await fillOrders(tx, asked, clock.now)).map((filled) =>
      'refused' in filled ? filled : { ...filled, effects: notifyExchange(filled.exchange, filled.direction) },
    )

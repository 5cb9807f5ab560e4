/** Exchanges that a member of a merchant makes on a page. */
import { estimateErrors, orderErrors } from '@bursar/contract'
import { carryOut } from '../../ledger/effects/index.ts'
import { placedUnder } from '../../ledger/postings/index.ts'
import { mayPlaceOrders } from '../../merchants/accounts/index.ts'
import { authoriseSession, lockTeam, type Now, recordOf, type Session } from '../../people/access/index.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { notifyExchange } from './commands.ts'
import { directionsOf } from './direction.ts'
import { readDirection, readPrice, readSideAmount, sideOf, type Asked } from './order.ts'
import type { ExchangePolicy } from './policy.ts'
import { PRICE_DECIMALS } from './pricing.ts'
import { estimate, fillOrder, priceOrder, type TradingDeps } from './trading.ts'

/** The merchant is disabled or has ended: it exchanges nothing. */
export class NotServed extends Error {
  override name = 'NotServed'
}

/** The price of an exchange, as decimals. `spent` has the fee in it; the price is in `second` for one `first`. */
export interface Estimated {
  price: string
  first: string
  second: string
  spent: string
  fee: string
  received: string
  /** until then this price is valid, if the market does not move by more than the spread */
  endsAt: Date
}

/** Estimates an exchange as the API does. @throws ApiRefusal with the codes of an estimate */
export const estimateOf = async (deps: TradingDeps, merchantId: string, asked: Asked): Promise<Estimated> => {
  const direction = readDirection(deps.policy, asked, estimateErrors)
  const side = sideOf(asked.side)
  const amount = readSideAmount(direction, side, asked.amount, estimateErrors)
  const endsAt = new Date(deps.runtime.clock.now() + deps.policy.quoteMs)
  const quoted = await estimate(deps, { merchantId, direction, side, amount }, undefined)
  const { spend, target, first, second } = direction
  return {
    price: formatUnits(quoted.price, PRICE_DECIMALS),
    first,
    second,
    spent: formatUnits(quoted.spend, spend.scale),
    fee: formatUnits(quoted.fee, spend.scale),
    received: formatUnits(quoted.target, target.scale),
    endsAt,
  }
}

/** The assets that can be exchanged for another one. */
export const tradedAssets = (policy: ExchangePolicy): string[] => [
  ...new Set(directionsOf(policy).map(({ spend }) => spend.ticker)),
]

/** An exchange as a form states it. `price`: the worst price that is accepted; `formKey`: identifies the form. */
export interface MemberExchange extends Asked {
  merchantId: string
  price: string
  formKey: string
}

/**
 * Makes an exchange for a member, with the price and the limits of the API. The same form makes one exchange, however
 * often it is sent: later forms get the first one, before any price is read.
 * @returns the id of the exchange
 * @throws ApiRefusal with the codes of an order, NotAllowed, ProofNeeded or NotServed; nothing was exchanged then
 */
export const exchangeByMember = async (
  deps: TradingDeps,
  session: Session,
  given: MemberExchange,
  now: Now,
): Promise<string> => {
  const { merchantId, formKey } = given
  const { db } = deps.runtime
  const localId = `exchange-${formKey}`
  const before = await placedUnder(db, merchantId, localId)
  if (before) return before.objectId
  const direction = readDirection(deps.policy, given, orderErrors)
  const side = sideOf(given.side)
  const amount = readSideAmount(direction, side, given.amount, orderErrors)
  const limit = readPrice(given.price, orderErrors)
  const asked = { merchantId, direction, side, amount, limit, keyId: null, fee: undefined, localId, meta: null }
  const order = await priceOrder(deps, asked)
  try {
    return await inTransaction(db, async (tx) => {
      await lockTeam(tx, session, merchantId)
      await authoriseSession(tx, session, { merchantId, action: 'exchange', needsProof: true })
      if (!(await mayPlaceOrders(tx, merchantId))) throw new NotServed('the merchant is not served')
      const exchange = await fillOrder(tx, deps, order, now.moment)
      await carryOut(tx, notifyExchange(exchange, direction), now.moment)
      const { id, exchange: units, fee, target, spendTicker, targetTicker } = exchange
      const detail = {
        id,
        spent: `${formatUnits(units + fee, direction.spend.scale)} ${spendTicker}`,
        received: `${formatUnits(target, direction.target.scale)} ${targetTicker}`,
      }
      await recordOf(tx, session, { merchantId, action: 'exchanged', detail }, now)
      return id
    })
  } catch (error) {
    // The same form, sent twice at once: the other one was first.
    const first = error instanceof ApiRefusal && (await placedUnder(db, merchantId, localId))
    if (first) return first.objectId
    throw error
  }
}

import { formatUnits, parseUnits } from '../../../money/index.ts'
import { VenueUnreachable, type OrderKey, type Venue } from '../port.ts'
import { createCaller } from './caller.ts'
import type { CcxtSettings } from './wire.ts'

const SCALE = 18
/** A call may be several requests, each with a timeout of its own, behind the exchange's rate limit. */
const REQUESTS_OF_A_CALL = 4

/** A venue that ccxt talks to, in a process of its own. */
export const createCcxtVenue = (name: string, settings: CcxtSettings): Venue => {
  const caller = createCaller(settings, settings.timeoutMs * REQUESTS_OF_A_CALL)
  const keyOf = ({ clientId, market: { base, quote } }: OrderKey) => ({ clientId, market: { base, quote } })
  return {
    name,
    markets: async () =>
      (await caller.call('markets')).map(({ base, quote, amountStep, priceStep, leastAmount, leastNotional }) => ({
        base, quote, amountStep: amount(amountStep), priceStep: amount(priceStep), leastAmount: amount(leastAmount), leastNotional: amount(leastNotional),
      })),
    balances: async () => (await caller.call('balances')).map(({ asset, total, free }) => ({ asset, total: amount(total), free: amount(free) })),
    place: (order) =>
      caller.call('place', { ...keyOf(order), side: order.side, amount: formatUnits(order.amount, SCALE), price: formatUnits(order.price, SCALE), placedAt: order.placedAt, validMs: order.validMs }),
    find: async (order) => {
      const found = await caller.call('find', keyOf(order))
      if (found.kind === 'absent') return found
      const fills = found.fills.map((fill) => ({
        ...fill, amount: amount(fill.amount), price: amount(fill.price), cost: amount(fill.cost),
        fee: fill.fee && { asset: fill.fee.asset, amount: amount(fill.fee.amount) },
      }))
      return { ...found, executed: amount(found.executed), fills }
    },
    cancel: async (order) => void (await caller.call('cancel', keyOf(order))),
    close: () => caller.close(),
  }
}

/** What is no decimal is no answer. */
const amount = (text: unknown): bigint => {
  const parsed = typeof text === 'string' ? parseUnits(text, SCALE) : undefined
  if (!parsed?.ok) throw new VenueUnreachable(`the venue answered ${JSON.stringify(text)} for an amount`)
  return parsed.units
}

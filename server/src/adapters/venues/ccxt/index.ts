import { formatUnits, parseUnits } from '../../../platform/money/index.ts'
import { VenueUnreachable, type OrderKey, type Venue } from '../port.ts'
import type { Rests } from '../../rests.ts'
import { createCaller, type Caller } from './caller.ts'
import type { CcxtSettings } from './wire.ts'

const SCALE = 18
/** A call may be several requests, each with a timeout of its own, behind the exchange's rate limit. */
const REQUESTS_OF_A_CALL = 4

/**
 * Creates a venue that is called by ccxt in a separate process. After a rate limit error it is not called until the
 * pause is over.
 * @param start starts the process; a simulation has ccxt in its own process
 */
export const createCcxtVenue = (
  name: string,
  settings: CcxtSettings,
  rests: Rests,
  start: typeof createCaller = createCaller,
): Venue => {
  const caller = start(settings, settings.timeoutMs * REQUESTS_OF_A_CALL)
  const provider = settings.exchange
  const resting = (): string | undefined => {
    const until = rests.until(provider)
    return until === undefined
      ? undefined
      : `${provider} said that it is asked too often, and is left alone until ${new Date(until).toISOString()}`
  }
  const call: Caller['call'] = (operation, ...args) => {
    const why = resting()
    if (why !== undefined) return Promise.reject(new VenueUnreachable(why))
    return caller.call(operation, ...args).catch((error: unknown) => {
      if (error instanceof VenueUnreachable && error.limited) rests.heard(provider, error.limited)
      throw error
    })
  }
  const keyOf = ({ clientId, market: { base, quote } }: OrderKey) => ({ clientId, market: { base, quote } })
  return {
    name,
    markets: async () =>
      (await call('markets')).map(
        ({ base, quote, amountStep, priceStep, leastAmount, leastNotional, mostAmount, mostPosition }) => ({
          base,
          quote,
          amountStep: amount(amountStep),
          priceStep: amount(priceStep),
          leastAmount: amount(leastAmount),
          leastNotional: amount(leastNotional),
          mostAmount: bound(mostAmount),
          mostPosition: bound(mostPosition),
        }),
      ),
    balances: async () =>
      (await call('balances')).map(({ asset, total, free }) => ({ asset, total: amount(total), free: amount(free) })),
    place: async (order) => {
      const why = resting()
      // Nothing was sent.
      if (why !== undefined) return { kind: 'refused', reason: why }
      return call('place', {
        ...keyOf(order),
        side: order.side,
        amount: formatUnits(order.amount, SCALE),
        price: formatUnits(order.price, SCALE),
        placedAt: order.placedAt,
        validMs: order.validMs,
      })
    },
    find: async (order) => {
      const found = await call('find', keyOf(order))
      if (found.kind === 'absent') return found
      const fills = found.fills.map((fill) => ({
        ...fill,
        amount: amount(fill.amount),
        price: amount(fill.price),
        cost: amount(fill.cost),
        fee: fill.fee && { asset: fill.fee.asset, amount: amount(fill.fee.amount) },
      }))
      return { ...found, executed: amount(found.executed), fills }
    },
    cancel: async (order) => void (await call('cancel', keyOf(order))),
    close: () => caller.close(),
  }
}

/** Reads a limit; 0 means none. */
const bound = (text: unknown): bigint | undefined => (text === null || amount(text) === 0n ? undefined : amount(text))

/** Reads a decimal. Throws for anything else. */
const amount = (text: unknown): bigint => {
  const parsed = typeof text === 'string' ? parseUnits(text, SCALE) : undefined
  if (!parsed?.ok) throw new VenueUnreachable(`the venue answered ${JSON.stringify(text)} for an amount`)
  return parsed.units
}

/**
 * An acquirer that pays out as tests tell it, and remembers every order as a real one does: what it paid is what it
 * says.
 */
import {
  AcquirerUnreachable,
  type Acquirer,
  type AcquirerCapabilities,
  type AcquirerState,
  type PayoutOrder,
} from '../../adapters/acquirers/port.ts'

/**
 * How an order goes. `drops`: taken, and the answer is lost. `vanishes`: nothing reached it, and nobody can tell.
 * `unreachable`: nothing reached it, provably.
 */
export type Behaviour =
  | 'pays'
  | 'waits'
  | 'refuses'
  | 'refuses-elsewhere'
  | 'drops'
  | 'vanishes'
  | 'unreachable'
  | 'breaks'

interface Order extends PayoutOrder {
  state: AcquirerState
}

export interface TestAcquirer extends Acquirer {
  /** what the next orders meet, in order; then `otherwise` */
  next: Behaviour[]
  otherwise: Behaviour
  /** orders that reached it, by reference */
  orders: Map<string, Order>
  asked: string[]
  /** minor units on top of each payment */
  fee: bigint | undefined
  /** when it can't be asked */
  isMute: boolean
  /** called before an order is answered */
  before: (order: PayoutOrder) => Promise<void>
  /** Ends an order, or changes how it ended. */
  end(
    reference: string,
    how: 'pays' | 'refuses' | 'reverses',
    said?: Partial<{ units: bigint; ticker: 'UAH' | 'KZT' }>,
  ): void
  /** minor units that cards have got of it */
  paid(): bigint
}

const refused = (code: string, elsewhere?: boolean): AcquirerState => ({
  kind: 'refused',
  acquirerReference: 'a-1',
  code,
  message: `refused: ${code}`,
  maskedCard: undefined,
  ...(elsewhere ? { elsewhere } : {}),
})

export const createTestAcquirer = (name: string, payout: AcquirerCapabilities['payout']): TestAcquirer => {
  const orders: TestAcquirer['orders'] = new Map()
  const ended = (
    order: PayoutOrder,
    kind: 'succeeded' | 'reversed',
    said: Partial<{ units: bigint; ticker: 'UAH' | 'KZT' }> = {},
  ): AcquirerState => ({
    kind,
    acquirerReference: `${name}-${order.reference}`,
    ticker: order.ticker,
    units: order.units,
    feeUnits: acquirer.fee,
    maskedCard: undefined,
    ...said,
  })
  const take = (order: PayoutOrder, behaviour: Behaviour): AcquirerState => {
    if (orders.has(order.reference)) throw new Error(`${name} got reference ${order.reference} twice`)
    const state: AcquirerState =
      behaviour === 'refuses'
        ? refused('card_blocked')
        : behaviour === 'refuses-elsewhere'
          ? refused('no_funds', true)
          : behaviour === 'pays'
            ? ended(order, 'succeeded')
            : { kind: 'waiting' }
    orders.set(order.reference, { ...order, state })
    return state
  }
  const acquirer: TestAcquirer = {
    name,
    capabilities: { payIn: {}, payout, refund: false, statement: false },
    next: [],
    otherwise: 'pays',
    orders,
    asked: [],
    fee: 0n,
    isMute: false,
    before: async () => {},
    createPayment: () => Promise.reject(new Error('not of these tests')),
    readCallback: () => {
      throw new Error('not of these tests')
    },
    paymentState: () => Promise.reject(new Error('not of these tests')),
    payOut: async (order) => {
      const behaviour = acquirer.next.shift() ?? acquirer.otherwise
      await acquirer.before(order)
      if (behaviour === 'unreachable')
        throw new AcquirerUnreachable(`no route to ${name} for ${order.card}`, { sent: false })
      if (behaviour === 'vanishes') throw new AcquirerUnreachable(`timeout for ${order.card}`, { sent: true })
      if (behaviour === 'breaks')
        throw new TypeError(
          `undefined is not a function: ${JSON.stringify(order, (_, value: unknown) => String(value))} ${order.card}`,
        )
      const state = take(order, behaviour)
      if (behaviour === 'drops') throw new AcquirerUnreachable(`connection reset, sent ${order.card}`, { sent: true })
      return state
    },
    payoutState: async (reference) => {
      acquirer.asked.push(reference)
      if (acquirer.isMute) throw new AcquirerUnreachable('timeout', { sent: true })
      return orders.get(reference)?.state ?? { kind: 'unknown', reason: 'no such reference' }
    },
    end: (reference, how, said) => {
      const order = orders.get(reference)!
      order.state =
        how === 'refuses' ? refused('card_blocked') : ended(order, how === 'pays' ? 'succeeded' : 'reversed', said)
    },
    paid: () =>
      [...orders.values()]
        .filter(({ state }) => state.kind === 'succeeded')
        .reduce((sum, { units }) => sum + units, 0n),
  }
  return acquirer
}

/**
 * A double of an acquirer's account that pays to cards. It remembers every order. The state that it
 * states of an order is the payment that it made.
 * Sources: the contract of `Acquirer` in adapters/acquirers/port.ts, which the conformance suite proves of the adapters
 * and of the emulators in sandbox/acquirers (documents of Freedom Pay, WayForPay and LiqPay, docs/dialects.md); answers
 * that are lost after the order was taken: rows; refusals whose cause is the account: row A-7; a card
 * that is paid and given back later: the README of sandbox/bank.
 */
import {
  AcquirerUnreachable,
  type Acquirer,
  type AcquirerCapabilities,
  type AcquirerState,
  type PayoutOrder,
} from '../../server/src/adapters/acquirers/port.ts'

/**
 * How an order goes. `drops`: taken, and the answer is lost. `vanishes`: nothing arrived, and the caller can't know it.
 * `unreachable`: nothing arrived, and the caller knows it. `breaks`: the adapter throws an error of its own.
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

export interface PayoutAcquirer extends Acquirer {
  /** how the next orders go, in order; then `otherwise` */
  next: Behaviour[]
  otherwise: Behaviour
  /** orders that reached it, by reference */
  orders: Map<string, Order>
  asked: string[]
  /** minor units on top of each payment */
  fee: bigint | undefined
  /** true: it can't be queried */
  isMute: boolean
  /** called before an order is answered */
  before: (order: PayoutOrder) => Promise<void>
  /** Ends an order, or changes how it ended. */
  end(
    reference: string,
    how: 'pays' | 'refuses' | 'reverses',
    said?: Partial<{ units: bigint; ticker: 'UAH' | 'KZT' }>,
  ): void
  /** minor units that cards have received */
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

/** @param acquirer the object to fill, where a test refers to it before */
export const createPayoutAcquirer = (
  name: string,
  payout: AcquirerCapabilities['payout'],
  acquirer = {} as PayoutAcquirer,
): PayoutAcquirer => {
  const orders: PayoutAcquirer['orders'] = new Map()
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
  return Object.assign<PayoutAcquirer, PayoutAcquirer>(acquirer, {
    name,
    capabilities: { payIn: {}, payout, refund: false, statement: false },
    next: [],
    otherwise: 'pays',
    orders,
    asked: [],
    fee: 0n,
    isMute: false,
    before: async () => {},
    createPayment: () => Promise.reject(new Error('this account only pays out')),
    readCallback: () => {
      throw new Error('this account only pays out')
    },
    paymentState: () => Promise.reject(new Error('this account only pays out')),
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
  })
}

/**
 * A double of an acquirer's account that charges cards on its page and refunds them; a test decides each answer.
 * Sources: the contract of `Acquirer` in adapters/acquirers/port.ts, which the conformance suite proves of the adapters
 * and of the emulators in sandbox/acquirers (documents of Freedom Pay, WayForPay and LiqPay). From docs/dialects.md:
 * a state with the sum that went back, or without it; a refund that waits or is refused;
 * a lost answer; a callback before the answer, twice, or of an unknown order; another card
 * after a refusal.
 */
import {
  AcquirerRefusal,
  AcquirerUnreachable,
  ForgedCallback,
  type Acquirer,
  type AcquirerCapabilities,
  type AcquirerState,
  type PaymentOrder,
  type StatementLine,
} from '../../server/src/adapters/acquirers/port.ts'

export interface PaymentAcquirer extends Acquirer {
  /** payments that it has, by our reference */
  orders: Map<string, { order: PaymentOrder; state: AcquirerState }>
  refunds: Map<string, { units: bigint; reference: string }>
  /** how many requests for a refund arrived */
  refundsSent: number
  lines: StatementLine[]
  /** how often the state of a payment was asked for */
  asked: number
  /** thrown, in order, instead of an answer; `lost`: after the request has taken effect */
  troubles: { at: 'create' | 'state' | 'refund'; error: 'refusal' | 'not-sent' | 'sent' | 'lost' }[]
  /** how refunds are answered */
  refundAnswer: 'succeeded' | 'refused' | 'waiting'
  /** The payer did this on the page. */
  pays(reference: string, more?: Partial<Extract<AcquirerState, { kind: 'succeeded' | 'reversed' }>>): AcquirerState
  refuses(reference: string, code?: string, message?: string): AcquirerState
  /** Money of a payment went back without us: all of it, or so much; undefined: it does not report how much. */
  reverses(reference: string, backUnits?: bigint | 'all'): AcquirerState
  /** A signed callback as it is posted to us. */
  callback(
    reference: string,
    state?: AcquirerState,
    more?: { signature?: string; salt?: string },
  ): { headers: Record<string, string>; body: Buffer }
}

const ALL: AcquirerCapabilities = {
  payIn: { UAH: { least: 1n, most: 100_000_000n }, KZT: { least: 1n, most: 100_000_000n } },
  payout: { UAH: { least: 1n, most: 100_000_000n }, KZT: { least: 1n, most: 100_000_000n } },
  refund: true,
  namesRefunds: true,
  statement: true,
  takesOtherCards: true,
}
const revive = (_: string, value: unknown): unknown =>
  typeof value === 'string' && /^n\d+$/.test(value) ? BigInt(value.slice(1)) : value
const flatten = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `n${value}` : value)

export const createPaymentAcquirer = (name: string, capabilities: AcquirerCapabilities = ALL): PaymentAcquirer => {
  const trouble = (at: PaymentAcquirer['troubles'][number]['at'], isBefore: boolean): void => {
    const next = self.troubles[0]
    if (next?.at !== at || (next.error === 'lost') === isBefore) return
    self.troubles.shift()
    if (next.error === 'refusal') throw new AcquirerRefusal('no', 'the shop is closed')
    throw new AcquirerUnreachable('no answer', { sent: next.error !== 'not-sent' })
  }
  const self: PaymentAcquirer = {
    name,
    capabilities: { ...capabilities },
    refusals: new Map([['51', 'funds']]),
    orders: new Map(),
    refunds: new Map(),
    refundsSent: 0,
    lines: [],
    asked: 0,
    troubles: [],
    refundAnswer: 'succeeded',
    createPayment: async (order) => {
      trouble('create', true)
      if (self.orders.has(order.reference)) throw new Error(`${order.reference} was ordered before`)
      self.orders.set(order.reference, { order, state: { kind: 'waiting' } })
      trouble('create', false)
      return {
        method: 'GET',
        url: `https://${name}.example/pay/${order.reference}`,
        fields: {},
        acquirerReference: `${name}-${order.reference}`,
      }
    },
    readCallback: ({ headers, body }) => {
      if (headers.signature !== `${name}-key`) throw new ForgedCallback('wrong signature')
      const { reference, state } = JSON.parse(body.toString(), revive) as { reference: string; state: AcquirerState }
      return { reference, state, ack: { status: 200, contentType: 'text/plain', body: `ok ${reference}` } }
    },
    paymentState: async (reference) => {
      self.asked += 1
      trouble('state', true)
      return self.orders.get(reference)?.state ?? { kind: 'unknown', reason: 'no such order' }
    },
    payOut: async () => ({ kind: 'unknown' }),
    payoutState: async () => ({ kind: 'unknown' }),
    refund: async (order, sending) => {
      const { reference, refundReference, units, ticker } = order
      if (self.refunds.has(refundReference)) return self.refundState!(order)
      await sending?.()
      trouble('refund', true)
      self.refundsSent += 1
      if (self.refundAnswer === 'refused')
        return { kind: 'refused', acquirerReference: undefined, code: '9', message: 'too late', maskedCard: undefined }
      if (self.refundAnswer === 'waiting') return { kind: 'waiting' }
      self.refunds.set(refundReference, { units, reference })
      trouble('refund', false)
      return {
        kind: 'succeeded',
        acquirerReference: refundReference,
        ticker,
        units,
        feeUnits: undefined,
        maskedCard: undefined,
      }
    },
    refundState: async ({ refundReference, units, ticker }) => {
      trouble('refund', true)
      if (!self.refunds.has(refundReference))
        return self.refundAnswer === 'waiting' ? { kind: 'waiting' } : { kind: 'unknown', reason: 'nothing shows' }
      return {
        kind: 'succeeded',
        acquirerReference: refundReference,
        ticker,
        units,
        feeUnits: undefined,
        maskedCard: undefined,
      }
    },
    statement: async ({ from, to }) => self.lines.filter(({ at }) => at >= from && at < to),
    pays: (reference, more = {}) => {
      const entry = self.orders.get(reference)!
      const { ticker, units } = entry.order
      entry.state = {
        kind: 'succeeded',
        acquirerReference: `${name}-${reference}`,
        ticker,
        units,
        feeUnits: 50n,
        maskedCard: '411111******1111',
        ...more,
      }
      return entry.state
    },
    refuses: (reference, code = '51', message = 'Insufficient funds') => {
      const entry = self.orders.get(reference)!
      entry.state = {
        kind: 'refused',
        acquirerReference: `${name}-${reference}`,
        code,
        message,
        maskedCard: '411111******1111',
      }
      return entry.state
    },
    reverses: (reference, backUnits) => {
      const entry = self.orders.get(reference)!
      const { backUnits: _, ...paid } = entry.state as Extract<AcquirerState, { kind: 'succeeded' | 'reversed' }>
      const back = backUnits === 'all' ? paid.units : backUnits
      entry.state = {
        ...paid,
        kind: back === undefined || back === paid.units ? 'reversed' : 'succeeded',
        ...(back === undefined ? {} : { backUnits: back }),
      }
      return entry.state
    },
    callback: (reference, state = self.orders.get(reference)!.state, { signature = `${name}-key`, salt } = {}) => ({
      headers: { signature, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ reference, state, salt }, flatten)),
    }),
  }
  return self
}

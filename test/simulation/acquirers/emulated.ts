/**
 * An emulator of the sandbox (LiqPay, WayForPay, Freedom Pay) as the acquirer of one account, with the simulation's
 * clock, and with callbacks and due changes that happen when the simulation says so.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { notify, type Context } from '../../../sandbox/acquirers/emulator/context.ts'
import { plainTelling, type Order, type RefundRow } from '../../../sandbox/acquirers/emulator/order.ts'
import {
  confirmSecure,
  decide,
  endRefunds,
  findOrder,
  giveBackOutside,
  payByCard,
  reverse,
} from '../../../sandbox/acquirers/emulator/payments.ts'
import { wake } from '../../../sandbox/acquirers/emulator/payouts.ts'
import { openRecords } from '../../../sandbox/acquirers/records.ts'
import { serve } from '../../../sandbox/http/server.ts'
import { forwardTo, startHttpFront } from '../fronts/http.ts'
import type { AccountOptions, Payment, Payout, SimulatedAccount } from './account.ts'
import { createCallbacks } from './callbacks.ts'
import { createDecisions } from './decisions.ts'
import { createDue } from './due.ts'
import { createEarlier, readable } from './earlier.ts'
import type { Interface } from './interfaces.ts'
import type { PayerPage } from './payer-page.ts'

const PAYOUT_MS = 1_000
const REVERSE_MS = 2_000
/** Largest payment and payout of any of them: the program's own limits are lower. */
const MOST = { payment: 30_000_000n, payout: 30_000_000n }

export const startEmulated = async (
  spoken: Interface & Required<Pick<Interface, 'emulated'>>,
  { name, dir, clock, faults, random }: AccountOptions,
): Promise<SimulatedAccount> => {
  const dialect = spoken.emulated.dialect(() => context)
  const callbacks = createCallbacks((status, body) => dialect.isAcknowledged(status, body))
  const decisions = createDecisions(random)
  const due = createDue(clock)
  /** payments that succeeded after the acquirer had said that they failed, or long after the payer had left */
  const late = new Set<string>()
  const urls = { front: '' }
  const context: Context = {
    dialect,
    orders: openRecords<Order>(join(dir, `${name}.jsonl`)),
    faults: decisions.faults,
    deliveries: callbacks,
    most: MOST,
    url: () => urls.front,
    now: clock.now,
    newToken: () => randomBytes(16).toString('hex'),
    payoutMs: PAYOUT_MS,
    reverseMs: REVERSE_MS,
    arrange: due.arrange,
  }
  const server = await serve({ name: dialect.name, port: 0, routes: spoken.emulated.routes(context) })
  const earlier = createEarlier(forwardTo(server.url))
  const front = await startHttpFront({ name, faults, forward: earlier.forward })
  urls.front = front.url
  const ordersOf = (kind: Order['kind']): Order[] => context.orders.all().filter((order) => order.kind === kind)
  const payment = (reference: string): Order => findOrder(context, reference, 'payment')!
  const payout = (reference: string): Order => findOrder(context, reference, 'payout')!
  const tokens = createTokens(server.url)
  return {
    name,
    interface: spoken,
    front,
    earlier,
    callbacks,
    cards: dialect.cards.map(({ number }) => number),
    waysToPay: ['as ordered', 'another amount'],
    payments: () =>
      ordersOf('payment').map((order) => ({
        ...paymentView(name, order),
        isLate: late.has(order.reference) || (order.before ?? []).length > 0,
        isHeard: callbacks.isHeard(order.id),
        isStated: false,
      })),
    payouts: () =>
      ordersOf('payout').map((order) => ({ ...payoutView(name, order), isHeard: callbacks.isHeard(order.id) })),
    open: async (page) => {
      const token = await tokens.of(page)
      return ordersOf('payment').find((order) => order.token === token)?.reference
    },
    pay: (reference, card, paying) => {
      const work = (): Order => {
        const paid = payByCard(context, payment(reference), card)
        return paid.status === 'secure' ? confirmSecure(context, paid, dialect.secureCode) : paid
      }
      return (paying === 'another amount' ? decisions.as('wrong-amount', work) : work()).status
    },
    reverse: (order) => void reverse(context, (order.kind === 'payment' ? payment : payout)(order.reference)),
    queueRefunds: decisions.queueRefunds,
    recordOf: ({ reference }) => readable(dialect.message(payment(reference)).body),
    refundThere: ({ reference }, units) => void giveBackOutside(context, payment(reference), units),
    succeedLate: ({ reference }, outcome = 'success') => {
      late.add(reference)
      const { reason: _, outcome: _outcome, dueAt: _due, ...order } = payment(reference)
      decisions.as(outcome, () => decide(context, { ...order, status: 'processing' }))
    },
    release: ({ reference }, outcome) =>
      void decide(context, { ...payout(reference), outcome, telling: payout(reference).telling ?? plainTelling }),
    callAbout: (reference) => {
      const order = ordersOf('payment').findLast(({ status }) => status === 'succeeded')
      if (order === undefined) return false
      notify(context, { ...order, id: `payment ${reference}`, reference, telling: plainTelling })
      return true
    },
    goOn: () => {
      const ready = due.take()
      for (const id of ready) wake(context, id)
      const open = context.orders.all().filter(({ refunds = [] }) => refunds.some(({ status }) => status === 'pending'))
      for (const order of open) endRefunds(context, order)
      return ready.length + open.length
    },
    stop: async () => {
      await front.close()
      await server.stop()
    },
  }
}

/** The pages that payers' browsers have open: a form is posted once, past the front. */
const createTokens = (origin: string) => {
  const open = new Map<string, string>()
  const post = async (path: string, fields: URLSearchParams): Promise<string | undefined> => {
    const answer = await fetch(origin + path, { method: 'POST', body: fields, redirect: 'manual' })
    await answer.text()
    return answer.headers.get('location') ?? undefined
  }
  return {
    of: async ({ url, fields }: PayerPage): Promise<string | undefined> => {
      const { pathname } = new URL(url)
      if (fields === undefined) return pathname.slice('/pay/'.length)
      const key = fields.toString()
      const token = open.get(key) ?? (await post(pathname, fields))?.slice('/pay/'.length)
      if (token !== undefined) open.set(key, token)
      return token
    },
  }
}

const sumOf = (refunds: readonly RefundRow[]): bigint => refunds.reduce((sum, { units }) => sum + BigInt(units), 0n)

const paymentView = (
  account: string,
  { reference, description, status, currency, moved, decidedAt, refunds = [] }: Order,
): Omit<Payment, 'isLate' | 'isHeard' | 'isStated'> => {
  const own = refunds.filter(({ isOutside }) => isOutside !== true)
  return {
    kind: 'payment',
    account,
    reference,
    description,
    status,
    currency,
    paid: moved === undefined ? undefined : BigInt(moved),
    decidedAt,
    refunded: sumOf(own),
    refunds: own.length,
    refundedThere: sumOf(refunds.filter(({ isOutside }) => isOutside === true)),
  }
}

const payoutView = (
  account: string,
  { reference, status, currency, moved, card, dueAt }: Order,
): Omit<Payout, 'isHeard'> => ({
  kind: 'payout',
  account,
  reference,
  status,
  currency,
  sent: moved === undefined ? undefined : BigInt(moved),
  card: card === undefined ? '' : card.first + card.last,
  isStuck: status === 'processing' && dueAt === undefined,
})

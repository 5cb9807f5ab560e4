/** Acquirers by themselves: callbacks, late decisions, money that goes back; and operators at their consoles. */
import { acceptPayment, requestRefund } from '../../../server/src/cards/acquiring/index.ts'
import { RefundRefused } from '../../../server/src/cards/acquiring/refunding.ts'
import { carryOut } from '../../../server/src/ledger/effects/index.ts'
import { inTransaction } from '../../../server/src/platform/db/index.ts'
import { openSubjects } from '../../../server/src/platform/runtime/alerts.ts'
import { subscriberOf } from '../acquirers/console.ts'
import type { Payment } from '../acquirers/index.ts'
import type { Post } from '../acquirers/callbacks.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { Simulation } from '../simulation.ts'
import { uuidOf } from '../virtual.ts'
import type { Action } from './action.ts'

/** Orders that people still look at. */
const NEWEST = 10

/** Delivers callbacks to the api as it listens now; the program's public URL only names the path. */
export const postTo =
  ({ roles }: Simulation): Post =>
  async ({ url, headers, body }) => {
    const api = roles.get('api')?.api
    if (api === undefined || api === null) return undefined
    try {
      const { pathname, search } = new URL(url)
      const answer = await fetch(`${api}${pathname}${search}`, { method: 'POST', headers, body })
      return { status: answer.status, body: await answer.text() }
    } catch {
      return undefined
    }
  }

const waitingOf = ({ acquirers }: Simulation): number =>
  acquirers.accounts.reduce((sum, { callbacks }) => sum + callbacks.waiting, 0)

const call: Action = {
  name: 'acquirer calls',
  weight: (simulation) => Math.min(waitingOf(simulation), 10),
  run: async (simulation, random) => {
    const { name, callbacks } = random.pick(simulation.acquirers.accounts.filter((one) => one.callbacks.waiting > 0))
    return `${name}: ${await callbacks.attempt(random, postTo(simulation))}`
  },
}

const callAboutUnknown: Action = {
  name: 'acquirer calls about an unknown order',
  weight: () => 0.3,
  run: async ({ acquirers }, random) => {
    const account = random.pick(acquirers.accounts)
    return `${account.name}: ${account.callAbout(uuidOf(random.bytes(16)))}`
  },
}

const goOn: Action = {
  name: 'acquirers go on',
  weight: () => 3,
  run: async ({ acquirers }, random) => {
    const changed = acquirers.accounts.reduce((sum, account) => sum + account.goOn(), 0)
    const stuck = acquirers.payouts().filter(({ isStuck }) => isStuck)
    if (stuck.length === 0 || !random.chance(0.3)) return `${changed}`
    const payout = random.pick(stuck)
    acquirers.accountOf(payout).release(payout, random.pick(['success', 'success', 'refused']))
    return `${changed} and one that was stuck`
  },
}

const succeedLate: Action = {
  name: 'card payment succeeds after all',
  weight: () => 0.5,
  run: async ({ acquirers }, random) => {
    const ended = acquirers.payments().filter(({ status }) => status === 'refused' || status === 'processing')
    if (ended.length === 0) return 'there is none'
    const payment = random.pick(ended.slice(-NEWEST))
    acquirers.accountOf(payment).succeedLate(payment)
    return `${payment.description} was ${payment.status}`
  },
}

const takeBack: Action = {
  name: 'money comes back',
  weight: () => 0.4,
  run: async ({ acquirers }, random) => {
    const all = [...acquirers.payments(), ...acquirers.payouts()].filter(({ status }) => status === 'succeeded')
    if (all.length === 0) return 'there is none'
    const order = random.pick(all.slice(-NEWEST))
    acquirers.accountOf(order).reverse(order)
    return `${order.kind} of ${order.kind === 'payment' ? order.paid : order.sent} ${order.currency}`
  },
}

/** One of the newest payments that were paid. */
export const drawPaid = ({ acquirers }: Simulation, random: Random): Payment | undefined => {
  const paid = acquirers.payments().filter(({ status }) => status === 'succeeded')
  return paid.length === 0 ? undefined : random.pick(paid.slice(-NEWEST))
}

/** @param units minor units; undefined: all that is left */
export const refundByOperator = async (
  { books, db, moment, routing }: Simulation,
  { reference, paid, refunds }: Payment,
  units: bigint | undefined,
): Promise<string> => {
  const order = { paymentId: reference, units, reason: 'simulation', actor: 'simulation' }
  const began = books.nextTurn()
  try {
    const { id } = await inTransaction(db, (tx) => requestRefund(tx, order, routing, moment()))
    books.refundsAsked.push({ reference, id, before: refunds, began, ended: books.nextTurn() })
    return `${units ?? 'all'} of ${paid}`
  } catch (error) {
    if (!(error instanceof RefundRefused)) throw error
    return 'refused'
  }
}

const refund: Action = {
  name: 'operator refunds a card',
  weight: () => 0.8,
  run: async (simulation, random) => {
    const payment = drawPaid(simulation, random)
    if (payment === undefined) return 'nothing is paid'
    // More than a half: a refund that a network repeats is too large the second time.
    return refundByOperator(simulation, payment, random.chance(0.5) ? undefined : (payment.paid! * 2n) / 3n)
  },
}

/** Of a payment without money nothing can be given back. */
const refundUnpaid: Action = {
  name: 'operator refunds a card that has not paid',
  weight: () => 0.4,
  run: async (simulation, random) => {
    const unpaid = simulation.acquirers.payments().filter(({ paid }) => paid === undefined)
    if (unpaid.length === 0) return 'there is none'
    const { reference, description, status } = random.pick(unpaid.slice(-NEWEST))
    const order = { paymentId: reference, units: 100n, reason: 'simulation', actor: 'simulation' }
    try {
      await inTransaction(simulation.db, (tx) => requestRefund(tx, order, simulation.routing, simulation.moment()))
      simulation.problems.push(`a refund of ${description} was taken up, which has not been paid`)
    } catch (error) {
      if (!(error instanceof RefundRefused)) throw error
    }
    return `${description} is ${status}`
  },
}

const refundThere: Action = {
  name: 'card is refunded at the acquirer',
  weight: () => 0.3,
  run: async (simulation, random) => {
    const payment = drawPaid(simulation, random)
    if (payment === undefined) return 'nothing is paid'
    const left = payment.paid! - payment.refunded - payment.refundedThere
    const units = random.chance(0.3) ? left : left / 4n
    if (units <= 0n) return 'nothing is left'
    simulation.acquirers.accountOf(payment).refundThere(payment, units)
    return `${units} of ${payment.paid}`
  },
}

/** Money in suspense goes to the merchant after all. */
const accept: Action = {
  name: 'operator accepts money in suspense',
  weight: () => 0.4,
  run: async (simulation, random) => {
    const suspended = await openSubjects(simulation.db, ['payment-suspended'], '')
    const known = simulation.acquirers.payments().filter(({ reference }) => suspended.includes(reference))
    if (known.length === 0) return 'there is none'
    const { reference, description } = random.pick(known)
    try {
      await inTransaction(simulation.db, async (tx) => {
        const moment = simulation.moment()
        await carryOut(tx, await acceptPayment(tx, reference, subscriberOf(simulation), moment), moment)
      })
    } catch (error) {
      // The program refuses to credit money that is going back.
      return `${description}: ${(error as Error).name}`
    }
    simulation.books.accepted.add(reference)
    return description
  },
}

export const ACQUIRERS: readonly Action[] = [
  call,
  callAboutUnknown,
  goOn,
  succeedLate,
  takeBack,
  refund,
  refundUnpaid,
  refundThere,
  accept,
]

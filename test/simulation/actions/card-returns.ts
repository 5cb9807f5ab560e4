/**
 * Answers of acquirers that come too late or are those of before, in one step: a card payout comes back, or a payment
 * is charged back, while an answer is on its way; a refund is judged by an answer from before the payment succeeded;
 * and a refund waits in the acquirer's queue when it is ordered again.
 */
import { findPayment } from '../../../server/src/cards/acquiring/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { Payout, SimulatedAccount } from '../acquirers/account.ts'
import type { Simulation } from '../simulation.ts'
import { postTo } from './acquirers.ts'
import type { Action } from './action.ts'
import {
  calmCards,
  judgeLastRefund,
  now,
  orderInvoice,
  orderPayout,
  payDeclined,
  payInvoice,
  refund,
  run,
  work,
} from './card-stories.ts'
import { GOOD_CARD } from './cards.ts'
import { isComplete } from './sent.ts'
import { during } from './stalled.ts'

const ASKING = /^ask .+ for card payouts$/
const ASKING_PAYMENTS = /^ask .+ for payments$/
const SENDING = /^send card payouts$/
const REFUNDING = /^refunds of payments$/
/** After this time an order is asked about again, ms. */
const ASKED_AGAIN_MS = 60_000
/** Longer than the claim of a worker on a refund lasts, ms. */
const REFUND_CLAIM_MS = 121_000
/** A front can stand still before an exchange, and before its answer. */
const BEFORE_ANSWER = 1

interface PaidOut {
  account: SimulatedAccount
  payout: Payout
}

/** A payout that its card has got, of which the program does not know that yet. */
const getPayout = async (simulation: Simulation, random: Random): Promise<PaidOut | undefined> => {
  const { acquirers, clock } = simulation
  const { wanted } = await orderPayout(simulation, random)
  clock.advance(1_000)
  await run(simulation, SENDING)
  clock.advance(5_000)
  for (const account of acquirers.accounts) account.goOn()
  const card = wanted.card.slice(0, 6) + wanted.card.slice(-4)
  const payout = acquirers.payouts().find((one) => one.card === card && one.status === 'succeeded')
  return payout && { account: acquirers.accountOf(payout), payout }
}

const comeBack = async (simulation: Simulation, { account, payout }: PaidOut): Promise<void> => {
  account.reverse(payout)
  await account.callbacks.attemptAll(postTo(simulation))
}

/** The answer that the card got the money is on its way, and before it arrives the money comes back. */
const comesBackMeanwhile = async (simulation: Simulation, paid: PaidOut): Promise<string> => {
  const { account, payout } = paid
  const stall = simulation.faults.stall(account.name, BEFORE_ANSWER, new RegExp(payout.reference))
  simulation.clock.advance(ASKED_AGAIN_MS)
  const isAsked = await during(simulation, stall, run(simulation, ASKING), () => comeBack(simulation, paid))
  return isAsked ? 'came back meanwhile' : 'was not asked about'
}

/** The program hears that the money came back before it hears that the card got it; the next answer is of before. */
const toldEarly = async (simulation: Simulation, paid: PaidOut): Promise<string> => {
  const { clock, faults } = simulation
  const { account } = paid
  clock.advance(ASKED_AGAIN_MS)
  faults.set(account.name, 1, ['lose-answer'])
  await run(simulation, ASKING)
  faults.clear()
  account.earlier.keep()
  await comeBack(simulation, paid)
  account.earlier.isEarlier = true
  clock.advance(ASKED_AGAIN_MS)
  await run(simulation, ASKING)
  account.earlier.isEarlier = false
  return 'came back before it was known'
}

const PAYOUT_STORIES = { comesBackMeanwhile, toldEarly }

const isQuiet = (simulation: Simulation): boolean => isComplete(simulation) && simulation.together === 1

const payoutComesBack: Action = {
  name: 'a card payout comes back',
  weight: (simulation) => (isQuiet(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    await calmCards(simulation)
    const paid = await getPayout(simulation, random)
    if (paid === undefined) return 'no card got it'
    const name = random.pick(Object.keys(PAYOUT_STORIES) as (keyof typeof PAYOUT_STORIES)[])
    const result = await PAYOUT_STORIES[name](simulation, paid)
    await work(simulation)
    return `${paid.account.name} ${paid.payout.sent}: ${result}`
  },
}

/**
 * A worker asks about a payment before it sends the refund, and is told what was true before the payment succeeded.
 * Before that arrives, another worker takes the refund over and sends it.
 */
const refundOvertaken = async (simulation: Simulation, random: Random, id: string): Promise<string> => {
  const { clock, db, faults } = simulation
  const paid = await payDeclined(simulation, random, id)
  if (paid === undefined) return 'no page'
  await work(simulation)
  if (now(paid).status !== 'refused') return `is ${now(paid).status}`
  const { account } = paid
  account.earlier.keep()
  account.succeedLate(now(paid))
  await work(simulation)
  const state = (await findPayment(db, paid.payment.reference))?.state
  if (!(await refund(simulation, paid, undefined))) return `${state}, no refund`
  const second = await simulation.startSecondWorker()
  try {
    account.earlier.isEarlier = true
    const stall = faults.stall(account.name, BEFORE_ANSWER)
    const stood = await during(simulation, stall, run(simulation, REFUNDING), async () => {
      account.earlier.isEarlier = false
      clock.advance(REFUND_CLAIM_MS)
      // It waits in the acquirer's queue, and has not ended when the first answer arrives.
      await account.queueRefunds(() => run(simulation, REFUNDING, second))
    })
    const isMade = await judgeLastRefund(simulation, paid)
    return `${stood ? 'overtaken' : 'was not asked about'}, ${isMade ? 'made' : 'not made'}`
  } finally {
    account.earlier.isEarlier = false
    await second.stop()
  }
}

/** Exchanges before a refund is ordered: a question about its payment. */
const BEFORE_REFUND = 1

/** A network orders a refund twice: the first one waits in the acquirer's queue, and the second one is refused. */
const refundQueued = async (simulation: Simulation, random: Random, id: string): Promise<string> => {
  const paid = await payInvoice(simulation, id, { card: GOOD_CARD, how: () => 'as ordered' })
  if (paid === undefined) return 'no page'
  await work(simulation)
  const { account } = paid
  const { paid: units = 0n } = now(paid)
  // More than a half: the second one is too large.
  const part = random.chance(0.3) ? undefined : (units * 2n) / 3n
  if (!(await refund(simulation, paid, part))) return `${now(paid).status}, no refund`
  simulation.faults.failOnce(account.name, 'repeat', /./, BEFORE_REFUND)
  await account.queueRefunds(() => run(simulation, REFUNDING))
  simulation.faults.clear()
  // A part that waits shows in some records only, and without that nothing distinguishes it from one that was refused.
  if (part !== undefined && !/wait_reserve/.test(account.recordOf(now(paid)))) return 'queued, and not shown'
  return (await judgeLastRefund(simulation, paid)) ? 'queued' : 'not made'
}

/** The answer that a card has paid is on its way, and before it arrives the money is charged back. */
const chargedBackMeanwhile = async (simulation: Simulation, _: Random, id: string): Promise<string> => {
  const paid = await payInvoice(simulation, id, { card: GOOD_CARD, how: () => 'as ordered' })
  if (paid === undefined) return 'no page'
  if (now(paid).status !== 'succeeded') return `is ${now(paid).status}`
  const { account } = paid
  const stall = simulation.faults.stall(account.name, BEFORE_ANSWER)
  simulation.clock.advance(ASKED_AGAIN_MS)
  const isAsked = await during(simulation, stall, run(simulation, ASKING_PAYMENTS), async () => {
    account.reverse(now(paid))
    await account.callbacks.attemptAll(postTo(simulation))
  })
  return isAsked ? 'charged back meanwhile' : 'was not asked about'
}

const PAYMENT_STORIES = { refundOvertaken, refundQueued, chargedBackMeanwhile }

const paymentChanges: Action = {
  name: 'an answer about a card payment is out of date',
  weight: (simulation) => (isQuiet(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    await calmCards(simulation)
    const id = await orderInvoice(simulation, random)
    if (id === undefined) return 'no invoice'
    const name = random.pick(Object.keys(PAYMENT_STORIES) as (keyof typeof PAYMENT_STORIES)[])
    const result = await PAYMENT_STORIES[name](simulation, random, id)
    await work(simulation)
    return `${name}: ${result}`
  },
}

export const CARD_RETURNS: readonly Action[] = [payoutComesBack, paymentChanges]
